//! A request that was let in and has sent its body.

use actix_web::dev::Payload;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;

use super::authenticated::enter;
use super::caller::Caller;
use super::payload::read_body;
use crate::error::ApiError;

/// A request with a body, for a route on which an idempotency key is ignored.
pub(crate) struct Writing<C> {
    /// Who is calling.
    pub(crate) caller: C,
    /// The body as it came.
    pub(crate) body: Bytes,
}

impl<C: Caller> FromRequest for Writing<C> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = enter(&request).await?;
            let body = read_body(request.headers(), payload).await?;
            Ok(Self { caller, body })
        })
    }
}
