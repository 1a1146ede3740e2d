//! The id in a path.

use actix_web::HttpRequest;
use kernel::{Entity, FieldErrors, Id};

use crate::error::ApiError;

/// The `id` of a path. Handlers read it after the caller was let in, so that it says nothing to strangers.
///
/// # Errors
/// A validation error on `id` when it is no UUID.
pub(crate) fn path_id<E: Entity>(request: &HttpRequest) -> Result<Id<E>, ApiError> {
    let text = request.match_info().get("id").unwrap_or_default();
    Id::parse(text).ok_or_else(|| ApiError::invalid(FieldErrors::one("id", "must be a UUID")))
}
