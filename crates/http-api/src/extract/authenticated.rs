//! Requests with a valid key and remaining quota.

use std::pin::pin;
use std::task::Poll;

use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::web::{Bytes, Data};
use actix_web::{FromRequest, HttpRequest};
use futures_util::future::LocalBoxFuture;
use futures_util::poll;
use http_server::{ApiError, read_body};
use kernel::{FieldErrors, Id};
use tokio::task::yield_now;

use super::admit::{CallerKind, admit, app_state, authenticate};
use super::json_type::read_json;
use crate::state::AppState;

/// A request of an authenticated caller. Holding one is the permission: only a valid key yields it. `B` is
/// the body as the route needs it; a request that only reads has none.
pub(crate) struct Authenticated<C, B = ()> {
    pub(crate) state: Data<AppState>,
    pub(crate) caller: C,
    pub(crate) body: B,
    pub(crate) http: HttpRequest,
}

/// A request with a JSON body, on a route that ignores `Idempotency-Key`.
pub(crate) type AuthenticatedJson<C> = Authenticated<C, Bytes>;

/// A request that writes and needs no body. If a body is sent it is read and discarded, so that a request
/// that is cut off or too large changes nothing.
pub(crate) type AuthenticatedWrite<C> = Authenticated<C, Discarded>;

/// The body as a route needs it, read once the caller is admitted.
pub(crate) trait Content: Sized + 'static {
    async fn read(headers: &HeaderMap, payload: Payload) -> Result<Self, ApiError>;
}

/// A body that was read and discarded.
pub(crate) struct Discarded;

impl Content for () {
    async fn read(_: &HeaderMap, _: Payload) -> Result<Self, ApiError> {
        Ok(())
    }
}

impl Content for Discarded {
    async fn read(headers: &HeaderMap, payload: Payload) -> Result<Self, ApiError> {
        read_body(headers, payload).await.map(|_discarded| Self)
    }
}

impl Content for Bytes {
    async fn read(headers: &HeaderMap, payload: Payload) -> Result<Self, ApiError> {
        read_json(headers, payload).await
    }
}

/// Waits for a body, and tells whether it came later than the head of its request.
async fn arrived<T>(read: impl Future<Output = T>) -> (T, bool) {
    let mut read = pin!(read);
    if let Poll::Ready(body) = poll!(read.as_mut()) {
        return (body, false);
    }
    // What the client sent together with the head is handed over while this task waits.
    yield_now().await;
    match poll!(read.as_mut()) {
        Poll::Ready(body) => (body, false),
        Poll::Pending => (read.await, true),
    }
}

impl<C: CallerKind, B: Content> FromRequest for Authenticated<C, B> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (http, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = admit(&http).await?;
            let (body, is_late) = arrived(B::read(http.headers(), payload)).await;
            let body = body?;
            // The key may have been revoked, or the account switched off, while the body was being sent.
            let caller = if is_late { authenticate(&http).await? } else { caller };
            Ok(Self { state: app_state(&http)?.clone(), caller, body, http })
        })
    }
}

/// The `id` of a path. Handlers read it after the caller is admitted, so that a client without a key learns
/// nothing from it.
///
/// # Errors
/// A validation error on `id` when it is not a UUID.
pub(crate) fn path_id<E>(request: &HttpRequest) -> Result<Id<E>, ApiError> {
    let text = request.match_info().get("id").unwrap_or_default();
    Id::parse(text).ok_or_else(|| ApiError::invalid(FieldErrors::one("id", "must be a UUID")))
}
