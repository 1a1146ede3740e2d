//! A request that has shown a valid key and fits into its quota.

use access::Bucket;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::{FromRequest, HttpRequest, web};
use futures_util::future::LocalBoxFuture;

use super::bearer::bearer;
use super::caller::Caller;
use crate::edge::Passage;
use crate::error::{Code, Refusal};
use crate::front::Front;

/// A request of a caller that was let in. Holding it is the permission; only a valid key makes one.
pub(crate) struct Entered<C> {
    /// Who is calling.
    pub(crate) caller: C,
}

impl<C: Caller> FromRequest for Entered<C> {
    type Error = Refusal;
    type Future = LocalBoxFuture<'static, Result<Self, Refusal>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { enter(&request).await.map(|caller| Self { caller }) })
    }
}

/// Lets a request in: key, switches, quota.
pub(crate) async fn enter<C: Caller>(request: &HttpRequest) -> Result<C, Refusal> {
    let front = front_of(request)?;
    let passage = Passage::of(request)?;
    passage.at_route(request);
    let token = bearer(request.headers())?;
    let caller = C::enter(&front.authenticator, &token).await?;
    passage.of_caller(caller.name());
    let bucket = match *request.method() {
        Method::GET | Method::HEAD => Bucket::Reads,
        _ => Bucket::Writes,
    };
    let (quota, now) = (front.quotas.of(bucket), front.clock.now());
    let verdict = front.limiter.take(caller.key(), bucket, quota, now).await;
    passage.judged(verdict);
    if verdict.allowed {
        Ok(caller)
    } else {
        Err(Refusal::rate_limited(verdict.retry_after(now)))
    }
}

pub(super) fn front_of(request: &HttpRequest) -> Result<web::Data<Front>, Refusal> {
    let front = request.app_data::<web::Data<Front>>().cloned();
    front.ok_or_else(|| Refusal::failed(Code::InternalError, "the front was not handed in"))
}
