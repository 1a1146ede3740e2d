//! The context of a request in progress.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use access::QuotaDecision;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use actix_web::{HttpMessage as _, HttpRequest};
use kernel::{AccountId, PartnerId};
use tokio::time::Instant;
use tracing::Span;

use crate::error::ApiError;
use crate::state::ServerState;

/// The header of requests and responses.
const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The maximum length of a client's own request id.
const MAX_REQUEST_ID: usize = 128;
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// The context of a request in progress: its id, method, route, caller and quota. Middleware and extractors
/// share it; it outlives a request that is ended by its deadline or a panic.
#[derive(Debug)]
pub struct RequestContext {
    pub(crate) request_id: String,
    pub(crate) method: &'static str,
    pub(crate) span: Span,
    pub(crate) began: Instant,
    pub(crate) route: RefCell<Option<String>>,
    pub(crate) caller: Cell<Option<CallerId>>,
    pub(crate) company: RefCell<Option<String>>,
    quota: Cell<Option<QuotaDecision>>,
}

/// The caller whose key authenticated the request, for the log.
#[derive(Debug, Clone, Copy)]
pub enum CallerId {
    Account(AccountId),
    Partner(PartnerId),
}

impl RequestContext {
    pub(crate) fn begin(state: &ServerState, request: &ServiceRequest) -> Self {
        let (method, headers) = (common_name(request.method()), request.headers());
        let request_id = request_id(state, headers);
        let header = |name: &str| headers.get(name)?.to_str().ok();
        Self {
            span: state.traces.begin(method, &request_id, &header),
            request_id,
            method,
            began: Instant::now(),
            route: RefCell::default(),
            caller: Cell::default(),
            company: RefCell::default(),
            quota: Cell::default(),
        }
    }

    /// The context of a request.
    ///
    /// # Errors
    /// An internal error when the request did not come through [`serve`](crate::serve()).
    pub fn of(request: &HttpRequest) -> Result<Rc<Self>, ApiError> {
        let context = request.extensions().get::<Rc<Self>>().cloned();
        context.ok_or_else(|| ApiError::internal("there is no RequestContext"))
    }

    /// Records the pattern of the matched route; unlike the path, it contains no data of the caller.
    pub fn set_route(&self, request: &HttpRequest) {
        if self.route.borrow().is_none() {
            self.route.replace(request.match_pattern());
        }
    }

    /// Records the authenticated caller.
    pub fn set_caller(&self, caller: CallerId) {
        self.caller.set(Some(caller));
    }

    /// Records the name of the company whose page was requested, for the title of an error page.
    pub fn set_company(&self, name: &str) {
        self.company.replace(Some(name.to_owned()));
    }

    /// Records the decision of the rate limiter, which the response's headers show.
    pub fn set_quota(&self, decision: QuotaDecision) {
        self.quota.set(Some(decision));
    }

    /// Adds the headers that every response carries.
    pub(crate) fn put_headers(&self, headers: &mut HeaderMap) {
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if let Ok(id) = HeaderValue::from_str(&self.request_id) {
            headers.insert(X_REQUEST_ID, id);
        }
        if let Some(decision) = self.quota.get() {
            headers.insert(LIMIT, HeaderValue::from(decision.limit));
            headers.insert(REMAINING, HeaderValue::from(decision.remaining));
            headers.insert(RESET, HeaderValue::from(decision.reset_timestamp()));
        }
    }
}

/// The name of a common method, else `OTHER`: a client can invent method names, and each would start a new
/// metric series.
fn common_name(method: &Method) -> &'static str {
    const COMMON: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let common = COMMON.into_iter().find(|name| method == *name);
    common.unwrap_or("OTHER")
}

/// The client's own request id if it is safe in logs and file names, else a new one.
fn request_id(state: &ServerState, headers: &HeaderMap) -> String {
    let mut sent = headers.get_all(X_REQUEST_ID);
    let own = match (sent.next(), sent.next()) {
        (Some(value), None) => value.to_str().ok().filter(|text| is_safe(text)),
        _ => None,
    };
    own.map_or_else(|| state.ids.uuid_at(state.clock.now()).to_string(), str::to_owned)
}

fn is_safe(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_REQUEST_ID).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_id_with_unsafe_characters_is_replaced() {
        for safe in ["a", "A.b_c-9", &"x".repeat(128)] {
            assert!(is_safe(safe), "{safe}");
        }
        for unsafe_id in ["", "a b", "a/b", "é", "a\"b", &"x".repeat(129)] {
            assert!(!is_safe(unsafe_id), "{unsafe_id}");
        }
    }
}
