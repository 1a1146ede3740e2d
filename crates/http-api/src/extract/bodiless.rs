//! A request on a route that writes and has no use for a body.

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;

use super::authenticated::enter;
use super::caller::Caller;
use super::payload::read_anything;
use crate::error::ApiError;

/// A request that was let in and whose body, if it has one, was read and thrown away: nothing is done for a request that did not
/// arrive as a whole or is too large.
pub(crate) struct Bodiless<C> {
    /// Who is calling.
    pub(crate) caller: C,
}

impl<C: Caller> FromRequest for Bodiless<C> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = enter(&request).await?;
            read_anything(request.headers(), payload).await?;
            Ok(Self { caller })
        })
    }
}
