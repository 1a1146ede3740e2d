//! What is known of a request on its way through.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use access::QuotaDecision;
use actix_web::dev::ServiceRequest;
use actix_web::http::ConnectionType;
use actix_web::http::header::{
    CACHE_CONTROL, HeaderMap, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use tokio::time::Instant;
use tracing::Span;

use super::log;
use super::request_id::{X_REQUEST_ID, request_id};
use crate::error::{ApiError, Code};
use crate::extract::CallerName;
use crate::state::AppState;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What is known of a request on its way through. Edge and extractors share it, and it outlives the request when a deadline
/// or a panic ends that.
#[derive(Debug)]
pub(crate) struct RequestContext {
    pub(super) request_id: String,
    pub(super) method: &'static str,
    pub(super) span: Span,
    pub(super) began: Instant,
    pub(super) route: RefCell<Option<String>>,
    pub(super) caller: Cell<Option<CallerName>>,
    decision: Cell<Option<QuotaDecision>>,
}

impl RequestContext {
    /// Begins a request's context.
    pub(super) fn begin(state: &AppState, request: &ServiceRequest) -> Self {
        let (method, headers) = (log::common_name(request.method()), request.headers());
        let request_id = request_id(state, headers);
        let header = |name: &str| headers.get(name)?.to_str().ok();
        Self {
            span: state.traces.begin(method, &request_id, &header),
            request_id,
            method,
            began: Instant::now(),
            route: RefCell::default(),
            caller: Cell::default(),
            decision: Cell::default(),
        }
    }

    /// The context of a request.
    pub(crate) fn of(request: &HttpRequest) -> Result<Rc<Self>, ApiError> {
        let context = request.extensions().get::<Rc<Self>>().cloned();
        context.ok_or_else(|| ApiError::failed(Code::InternalError, "the edge was not passed"))
    }

    /// Notes the route that was matched: its pattern, which has no caller's data in it.
    pub(crate) fn at_route(&self, request: &HttpRequest) {
        if self.route.borrow().is_none() {
            self.route.replace(request.match_pattern());
        }
    }

    /// Notes who is calling.
    pub(crate) fn of_caller(&self, caller: CallerName) {
        self.caller.set(Some(caller));
    }

    /// Notes what the limiter said.
    pub(crate) fn judged(&self, decision: QuotaDecision) {
        self.decision.set(Some(decision));
    }

    /// Ends the context: puts the headers on that every answer has, and writes the log.
    pub(super) fn finish(&self, state: &AppState, response: &mut HttpResponse) {
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if let Ok(id) = HeaderValue::from_str(&self.request_id) {
            headers.insert(X_REQUEST_ID, id);
        }
        if let Some(decision) = self.decision.get() {
            put_quota(headers, &decision);
        }
        if state.shutdown.is_being_said() {
            response
                .head_mut()
                .set_connection_type(ConnectionType::Close);
        }
        log::answered(self, state, response.status());
    }
}

fn put_quota(headers: &mut HeaderMap, decision: &QuotaDecision) {
    headers.insert(LIMIT, HeaderValue::from(decision.limit));
    headers.insert(REMAINING, HeaderValue::from(decision.remaining));
    headers.insert(RESET, HeaderValue::from(decision.reset_timestamp()));
}
