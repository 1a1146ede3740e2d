//! The access log: one line for each request, and one more with the cause of a failure.
//!
//! Keys, the Authorization header, bodies, query strings and raw paths are never logged.

use actix_web::http::StatusCode;
use kernel::error_chain;

use crate::context::{CallerId, RequestContext};
use crate::error::ApiError;
use crate::state::ServerState;

/// Logs, traces and counts a request once its response is sent.
pub(crate) fn record_response(context: &RequestContext, state: &ServerState, status: StatusCode) {
    let took = context.began.elapsed();
    let route = context.route.borrow();
    let route = route.as_deref().unwrap_or("unmatched");
    let method = context.method;
    let (account, partner) = match context.caller.get() {
        Some(CallerId::Account(id)) => (Some(tracing::field::display(id)), None),
        Some(CallerId::Partner(id)) => (None, Some(tracing::field::display(id))),
        None => (None, None),
    };
    tracing::info!(
        method,
        route,
        status = status.as_u16(),
        duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        request_id = context.request_id,
        account,
        partner,
        "request"
    );
    let span = &context.span;
    state.traces.record_response(span, method, route, status.as_u16());
    state.metrics.request(method, route, status.as_u16(), took);
}

/// Logs the cause of a failure with its whole chain of sources.
pub(crate) fn failure(context: &RequestContext, error: &actix_web::Error) {
    let Some(error) = error.as_error::<ApiError>() else {
        return;
    };
    let Some(cause) = error.cause() else {
        return;
    };
    let request_id = &context.request_id;
    tracing::error!(request_id, cause = error_chain(cause.as_ref()), "{error}");
}

#[cfg(test)]
mod tests;
