//! The edge: the outermost layer, through which every request comes in and every answer goes out.
//!
//! It gives the request its id, refuses plain HTTP where TLS is expected, holds the request to its deadline, turns a panic
//! into an answer, puts the headers on that every answer has, writes the one line of the access log, and sees to it that a caller
//! who goes on sending behind its answer does so neither for long nor much.

mod context;
mod log;
mod request_id;
mod tls;
mod unread;

use std::panic::AssertUnwindSafe;
use std::rc::Rc;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, web};
use futures_util::FutureExt as _;
use tracing::{Instrument as _, Span};

pub(crate) use context::RequestContext;
use unread::Unread;

use crate::error::{ApiError, Code};
use crate::state::AppState;

/// Sees a request through.
pub(crate) async fn edge(
    state: web::Data<AppState>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let unread = Unread::of(&mut request);
    let context = Rc::new(RequestContext::begin(&state, &request));
    request.extensions_mut().insert(context.clone());
    let outcome = if tls::is_missing(state.transport, &request) {
        Ok(request.error_response(ApiError::plain(Code::HttpsRequired)))
    } else {
        see_through(&state, request, next, context.span.clone()).await
    };
    match outcome {
        Ok(mut response) => {
            context.at_route(response.request());
            response
                .response()
                .error()
                .inspect(|error| log::failure(&context, error));
            context.finish(&state, response.response_mut());
            Ok(response.map_body(|_, body| unread.behind(body, state.deadline)))
        }
        // The request is gone with what was working on it; only its context is left to answer by.
        Err(error) => {
            let mut response = error.error_response();
            log::failure(&context, &error);
            context.finish(&state, &mut response);
            let response = response.map_body(|_, body| unread.behind(body, state.deadline));
            Err(InternalError::from_response(error, response).into())
        }
    }
}

async fn see_through(
    state: &AppState,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    span: Span,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // A handler that panics leaves nothing behind that another request would see: what is shared guards itself, and an open
    // transaction rolls back when it is dropped.
    let work = AssertUnwindSafe(async move { next.call(request).await }).catch_unwind();
    match tokio::time::timeout(state.deadline, work.instrument(span)).await {
        Ok(Ok(response)) => response.map(ServiceResponse::map_into_boxed_body),
        Ok(Err(_panic)) => {
            Err(ApiError::failed(Code::InternalError, "the handler panicked").into())
        }
        Err(elapsed) => Err(ApiError::failed(Code::ServiceUnavailable, elapsed).into()),
    }
}

#[cfg(test)]
mod tests;
