//! Admits a request: checks its key, whether the key is switched off, and its quota.

use access::{AccessError, AccountCaller, Authenticator, Bucket, KeyId, KeyUse, PartnerCaller};
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::{HttpRequest, web};
use http_server::{ApiError, CallerId, ErrorCode, RequestContext};
use time::OffsetDateTime;

use crate::state::AppState;

/// A kind of caller, account or partner: each route accepts the keys of one kind.
pub(crate) trait CallerKind: Sized + 'static {
    /// The caller that a bearer token belongs to.
    async fn authenticate(authenticator: &Authenticator, token: &str) -> Result<Self, AccessError>;
    /// The key whose quota is counted.
    fn key(&self) -> KeyId;
    /// The id of the caller, for the log.
    fn id(&self) -> CallerId;
    /// The use of the key at this time, to be recorded; `None` for partners.
    fn key_use(&self, at: OffsetDateTime) -> Option<KeyUse>;
}

impl CallerKind for AccountCaller {
    async fn authenticate(authenticator: &Authenticator, token: &str) -> Result<Self, AccessError> {
        authenticator.account(token).await
    }

    fn key(&self) -> KeyId {
        self.key()
    }

    fn id(&self) -> CallerId {
        CallerId::Account(self.scope().id)
    }

    fn key_use(&self, at: OffsetDateTime) -> Option<KeyUse> {
        Some(KeyUse { account: self.scope().id, key: self.key(), at })
    }
}

impl CallerKind for PartnerCaller {
    async fn authenticate(authenticator: &Authenticator, token: &str) -> Result<Self, AccessError> {
        authenticator.partner(token).await
    }

    fn key(&self) -> KeyId {
        self.key()
    }

    fn id(&self) -> CallerId {
        CallerId::Partner(self.scope().id)
    }

    fn key_use(&self, _: OffsetDateTime) -> Option<KeyUse> {
        None
    }
}

/// Checks the key, whether it is switched off, and its quota, in this order.
pub(super) async fn admit<C: CallerKind>(request: &HttpRequest) -> Result<C, ApiError> {
    let state = app_state(request)?;
    let context = RequestContext::of(request)?;
    context.set_route(request);
    let caller: C = authenticate(request).await?;
    context.set_caller(caller.id());
    let bucket = match *request.method() {
        Method::GET | Method::HEAD => Bucket::Reads,
        _ => Bucket::Writes,
    };
    let (quota, now) = (state.quotas.of(bucket), state.clock.now());
    if let Some(used) = caller.key_use(now) {
        state.key_uses.note(used);
    }
    let decision = state.limiter.take(caller.key(), bucket, quota, now).await;
    context.set_quota(decision);
    if decision.allowed { Ok(caller) } else { Err(ApiError::rate_limited(decision.retry_after(now))) }
}

/// Checks the key, and whether it is switched off.
pub(super) async fn authenticate<C: CallerKind>(request: &HttpRequest) -> Result<C, ApiError> {
    let token = bearer(request.headers()).map_err(to_api_error)?;
    C::authenticate(&app_state(request)?.authenticator, &token).await.map_err(to_api_error)
}

/// The bearer token (RFC 6750, section 2.1), which may not be a valid key.
///
/// # Errors
/// [`AccessError::Unauthenticated`] without an `Authorization` header, with several, or with another scheme.
pub(super) fn bearer(headers: &HeaderMap) -> Result<String, AccessError> {
    let mut values = headers.get_all(AUTHORIZATION);
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(AccessError::Unauthenticated);
    };
    // Bytes that are not UTF-8 become U+FFFD, which no key contains.
    let text = String::from_utf8_lossy(value.as_bytes());
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => {
            Ok(token.trim().to_owned())
        }
        _ => Err(AccessError::Unauthenticated),
    }
}

pub(super) fn app_state(request: &HttpRequest) -> Result<&web::Data<AppState>, ApiError> {
    let state = request.app_data::<web::Data<AppState>>();
    state.ok_or_else(|| ApiError::internal("there is no AppState"))
}

fn to_api_error(error: AccessError) -> ApiError {
    let code = match error {
        AccessError::Unauthenticated => ErrorCode::Unauthenticated,
        AccessError::InvalidKey => ErrorCode::InvalidApiKey,
        AccessError::AccountDisabled(_) => ErrorCode::AccountDisabled,
        AccessError::PartnerDisabled => ErrorCode::PartnerDisabled,
        AccessError::Store(error) => return error.into(),
    };
    ApiError::new(code, error.to_string())
}
