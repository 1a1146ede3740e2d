//! Requests with a valid key and quota left. Holding the caller in one of these is the permission: only a
//! valid key makes it.

use actix_web::dev::Payload;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;
use http_server::{ApiError, read_body};

use super::admit::{Caller, admit};
use super::json_type::read_json;

/// A request that reads.
pub(crate) struct Authenticated<C> {
    pub(crate) caller: C,
}

/// A request with a JSON body, on a route that ignores `Idempotency-Key`.
pub(crate) struct AuthenticatedJson<C> {
    pub(crate) caller: C,
    /// The body's bytes.
    pub(crate) body: Bytes,
}

/// A request that writes and has no use for a body. One that comes is read and discarded, so that nothing is
/// done for a request that was cut off or is too large.
pub(crate) struct AuthenticatedWrite<C> {
    pub(crate) caller: C,
}

impl<C: Caller> FromRequest for Authenticated<C> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move {
            let caller = admit(&request).await?;
            Ok(Self { caller })
        })
    }
}

impl<C: Caller> FromRequest for AuthenticatedJson<C> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = admit(&request).await?;
            let body = read_json(request.headers(), payload).await?;
            Ok(Self { caller, body })
        })
    }
}

impl<C: Caller> FromRequest for AuthenticatedWrite<C> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = admit(&request).await?;
            read_body(request.headers(), payload).await?;
            Ok(Self { caller })
        })
    }
}
