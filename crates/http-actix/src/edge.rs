//! The edge: the outermost layer, through which every request comes in and every answer goes out.
//!
//! It gives the request its id, refuses plain HTTP where TLS is expected, holds the request to its deadline, turns a panic
//! into an answer, puts the headers on that every answer has, writes the one line of the access log, and sees to it that a caller
//! who goes on sending behind its answer does so neither for long nor much.

mod log;
mod passage;
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

pub(crate) use passage::Passage;
use unread::Unread;

use crate::error::{Code, Refusal};
use crate::front::Front;

/// Sees a request through.
pub(crate) async fn edge(
    front: web::Data<Front>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let unread = Unread::of(&mut request);
    let passage = Rc::new(Passage::begin(&front, &request));
    request.extensions_mut().insert(passage.clone());
    let outcome = if tls::is_missing(front.transport, &request) {
        Ok(request.error_response(Refusal::plain(Code::HttpsRequired)))
    } else {
        see_through(&front, request, next, passage.span.clone()).await
    };
    match outcome {
        Ok(mut response) => {
            passage.at_route(response.request());
            response
                .response()
                .error()
                .inspect(|error| log::failure(&passage, error));
            passage.finish(&front, response.response_mut());
            Ok(response.map_body(|_, body| unread.behind(body, front.deadline)))
        }
        // The request is gone with what was working on it; only its passage is left to answer by.
        Err(error) => {
            let mut response = error.error_response();
            log::failure(&passage, &error);
            passage.finish(&front, &mut response);
            let response = response.map_body(|_, body| unread.behind(body, front.deadline));
            Err(InternalError::from_response(error, response).into())
        }
    }
}

async fn see_through(
    front: &Front,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    span: Span,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // A handler that panics leaves nothing behind that another request would see: what is shared guards itself, and an open
    // transaction rolls back when it is dropped.
    let work = AssertUnwindSafe(async move { next.call(request).await }).catch_unwind();
    match tokio::time::timeout(front.deadline, work.instrument(span)).await {
        Ok(Ok(response)) => response.map(ServiceResponse::map_into_boxed_body),
        Ok(Err(_panic)) => Err(Refusal::failed(Code::InternalError, "the handler panicked").into()),
        Err(elapsed) => Err(Refusal::failed(Code::ServiceUnavailable, elapsed).into()),
    }
}

#[cfg(test)]
mod tests;
