//! A request that has shown a valid key and fits into its quota.

use access::Bucket;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;

use super::bearer::bearer;
use super::caller::Caller;
use crate::edge::RequestContext;
use crate::error::{ApiError, Code};
use crate::state::AppState;

/// A request of a caller that was let in. Holding it is the permission; only a valid key makes one.
pub(crate) struct Authenticated<C> {
    /// Who is calling.
    pub(crate) caller: C,
}

impl<C: Caller> FromRequest for Authenticated<C> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { enter(&request).await.map(|caller| Self { caller }) })
    }
}

/// Lets a request in: key, switches, quota.
pub(crate) async fn enter<C: Caller>(request: &HttpRequest) -> Result<C, ApiError> {
    let state = front_of(request)?;
    let context = RequestContext::of(request)?;
    context.at_route(request);
    let token = bearer(request.headers())?;
    let caller = C::enter(&state.authenticator, &token).await?;
    context.of_caller(caller.name());
    let bucket = match *request.method() {
        Method::GET | Method::HEAD => Bucket::Reads,
        _ => Bucket::Writes,
    };
    let (quota, now) = (state.quotas.of(bucket), state.clock.now());
    let decision = state.limiter.take(caller.key(), bucket, quota, now).await;
    context.judged(decision);
    if decision.allowed {
        Ok(caller)
    } else {
        Err(ApiError::rate_limited(decision.retry_after(now)))
    }
}

pub(super) fn front_of(request: &HttpRequest) -> Result<web::Data<AppState>, ApiError> {
    let state = request.app_data::<web::Data<AppState>>().cloned();
    state.ok_or_else(|| ApiError::failed(Code::InternalError, "the state was not handed in"))
}
