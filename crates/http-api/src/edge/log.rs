//! The access log and the log of failures: each request is one line, each failure one more.
//!
//! Never in them: keys, the Authorization header, bodies, query strings, raw paths.

use actix_web::http::{Method, StatusCode};

use super::context::RequestContext;
use crate::error::ApiError;
use crate::extract::CallerName;
use crate::state::AppState;

/// Writes the line of an answered request, and counts it.
pub(super) fn answered(context: &RequestContext, state: &AppState, status: StatusCode) {
    let took = context.began.elapsed();
    let route = context.route.borrow();
    let route = route.as_deref().unwrap_or("unmatched");
    let method = context.method;
    let (account, partner) = match context.caller.get() {
        Some(CallerName::Account(id)) => (Some(tracing::field::display(id)), None),
        Some(CallerName::Partner(id)) => (None, Some(tracing::field::display(id))),
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
    state.traces.answered(span, method, route, status.as_u16());
    state.metrics.request(method, route, status.as_u16(), took);
}

/// Writes what stands behind a failure of ours, with its whole chain of causes.
pub(super) fn failure(context: &RequestContext, error: &actix_web::Error) {
    let refusal = error.as_error::<ApiError>();
    let Some((refusal, cause)) = refusal.and_then(|refusal| Some((refusal, refusal.cause()?)))
    else {
        return;
    };
    let mut chain = cause.to_string();
    let mut next = cause.source();
    while let Some(deeper) = next {
        chain.push_str(": ");
        chain.push_str(&deeper.to_string());
        next = deeper.source();
    }
    let request_id = &context.request_id;
    tracing::error!(request_id, cause = chain, "{refusal}");
}

/// The method's name if it is a common one: a caller can make up any number of others, and each would be a new series.
pub(super) fn common_name(method: &Method) -> &'static str {
    const COMMON: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    let common = COMMON.into_iter().find(|name| method == *name);
    common.unwrap_or("OTHER")
}

#[cfg(test)]
mod tests;
