//! What is known of a request on its way through.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use access::Verdict;
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
use crate::entry::CallerName;
use crate::error::{Code, Refusal};
use crate::front::Front;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What is known of a request on its way through. Edge and extractors share it, and it outlives the request when a deadline
/// or a panic ends that.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(super) request_id: String,
    pub(super) method: &'static str,
    pub(super) span: Span,
    pub(super) began: Instant,
    pub(super) route: RefCell<Option<String>>,
    pub(super) caller: Cell<Option<CallerName>>,
    verdict: Cell<Option<Verdict>>,
}

impl Passage {
    /// Begins a request's passage.
    pub(super) fn begin(front: &Front, request: &ServiceRequest) -> Self {
        let (method, headers) = (log::common_name(request.method()), request.headers());
        let request_id = request_id(front, headers);
        let header = |name: &str| headers.get(name)?.to_str().ok();
        Self {
            span: front.traces.begin(method, &request_id, &header),
            request_id,
            method,
            began: Instant::now(),
            route: RefCell::default(),
            caller: Cell::default(),
            verdict: Cell::default(),
        }
    }

    /// The passage of a request.
    pub(crate) fn of(request: &HttpRequest) -> Result<Rc<Self>, Refusal> {
        let passage = request.extensions().get::<Rc<Self>>().cloned();
        passage.ok_or_else(|| Refusal::failed(Code::InternalError, "the edge was not passed"))
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
    pub(crate) fn judged(&self, verdict: Verdict) {
        self.verdict.set(Some(verdict));
    }

    /// Ends the passage: puts the headers on that every answer has, and writes the log.
    pub(super) fn finish(&self, front: &Front, response: &mut HttpResponse) {
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if !headers.contains_key(CACHE_CONTROL) {
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if let Ok(id) = HeaderValue::from_str(&self.request_id) {
            headers.insert(X_REQUEST_ID, id);
        }
        if let Some(verdict) = self.verdict.get() {
            put_quota(headers, &verdict);
        }
        if front.farewell.is_being_said() {
            response
                .head_mut()
                .set_connection_type(ConnectionType::Close);
        }
        log::answered(self, front, response.status());
    }
}

fn put_quota(headers: &mut HeaderMap, verdict: &Verdict) {
    headers.insert(LIMIT, HeaderValue::from(verdict.limit));
    headers.insert(REMAINING, HeaderValue::from(verdict.remaining));
    headers.insert(RESET, HeaderValue::from(verdict.reset_timestamp()));
}
