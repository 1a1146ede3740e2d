//! The id in a path.

use actix_web::HttpRequest;
use http_server::ApiError;
use kernel::{Entity, FieldErrors, Id};

/// The `id` of a path. Handlers read it after the caller was admitted, so that a stranger learns nothing from
/// it.
///
/// # Errors
/// A validation error on `id` when it is no UUID.
pub(crate) fn path_id<E: Entity>(request: &HttpRequest) -> Result<Id<E>, ApiError> {
    let text = request.match_info().get("id").unwrap_or_default();
    Id::parse(text).ok_or_else(|| ApiError::invalid(FieldErrors::one("id", "must be a UUID")))
}
