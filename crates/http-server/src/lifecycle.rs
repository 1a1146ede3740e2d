//! The middleware around every route: request id, TLS check, deadline, panics, common headers, access log,
//! unread bodies.

use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::time::Duration;

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::header::X_FORWARDED_PROTO;
use actix_web::http::{ConnectionType, Version};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpResponse, web};
use futures_util::FutureExt as _;
use tracing::{Instrument as _, Span};

use crate::access_log;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::error_code::ErrorCode;
use crate::error_pages::{self, FailedRequest};
use crate::state::{ServerState, Transport};
use crate::unread_body::UnreadBody;

/// Handles one request from the first byte to the last byte of its response.
pub(crate) async fn handle(
    state: web::Data<ServerState>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let unread = UnreadBody::of(&mut request);
    let context = Rc::new(RequestContext::begin(&state, &request));
    request.extensions_mut().insert(context.clone());
    let path = request.path().to_owned();
    let pages = state.error_pages.as_deref().filter(|_| error_pages::is_wanted(&request));
    // An extractor also uses an error to redirect the client to another page.
    let in_its_form = |error: HttpResponse| match pages {
        Some(pages) if !error.status().is_redirection() => {
            let company = context.company.borrow();
            let request = FailedRequest { id: &context.request_id, path: &path, company: company.as_deref() };
            pages.page(error, request)
        }
        _ => error,
    };
    let outcome = if lacks_tls(state.transport, &request) {
        Ok(request.error_response(ApiError::plain(ErrorCode::HttpsRequired)))
    } else {
        call(state.deadline, request, next, context.span.clone()).await
    };
    match outcome {
        Ok(mut response) => {
            context.set_route(response.request());
            if let Some(error) = response.response().error() {
                access_log::failure(&context, error);
                let (request, error) = response.into_parts();
                response = ServiceResponse::new(request, in_its_form(error));
            }
            finish(&context, &state, response.response_mut());
            end_with_connection(&mut response);
            Ok(response.map_body(|_, body| unread.drain_after(body, state.deadline)))
        }
        // The request was dropped together with the handler; only its context remains.
        Err(error) => {
            let mut response = in_its_form(error.error_response());
            access_log::failure(&context, &error);
            finish(&context, &state, &mut response);
            let response = response.map_body(|_, body| unread.drain_after(body, state.deadline));
            Err(InternalError::from_response(error, response).into())
        }
    }
}

async fn call(
    deadline: Duration,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    span: Span,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // Unwind-safe: shared state is behind locks, and an open transaction is rolled back when dropped.
    let work = AssertUnwindSafe(async move { next.call(request).await }).catch_unwind();
    match tokio::time::timeout(deadline, work.instrument(span)).await {
        Ok(Ok(response)) => response.map(ServiceResponse::map_into_boxed_body),
        Ok(Err(_panic)) => Err(ApiError::internal("the handler panicked").into()),
        Err(elapsed) => Err(ApiError::failed(ErrorCode::ServiceUnavailable, elapsed).into()),
    }
}

/// Whether `X-Forwarded-Proto` is required and is not `https`. If several proxies have added a value, each
/// must be `https`.
fn lacks_tls(transport: Transport, request: &ServiceRequest) -> bool {
    if !matches!(transport, Transport::BehindTlsProxy { .. }) || is_exempt(request.path()) {
        return false;
    }
    let mut protocols = request.headers().get_all(X_FORWARDED_PROTO).flat_map(|value| {
        let text = value.to_str().unwrap_or_default();
        text.split(',').map(str::trim)
    });
    let came_by_tls = protocols.next().is_some_and(is_https) && protocols.all(is_https);
    !came_by_tls
}

fn is_https(protocol: &str) -> bool {
    protocol.eq_ignore_ascii_case("https")
}

/// Health and metrics are requested from the internal network, without the proxy.
fn is_exempt(path: &str) -> bool {
    path == "/metrics" || path == "/health" || path.starts_with("/health/")
}

fn finish(context: &RequestContext, state: &ServerState, response: &mut HttpResponse) {
    context.put_headers(response.headers_mut());
    if state.shutdown.has_begun() {
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    access_log::record_response(context, state, response.status());
}

/// A body of unknown length is sent in chunks, which HTTP/1.0 does not have: there it ends with its
/// connection (RFC 9112, section 6.1).
fn end_with_connection(response: &mut ServiceResponse<BoxBody>) {
    let is_stream = response.response().body().size() == BodySize::Stream;
    if is_stream && response.request().version() < Version::HTTP_11 {
        let head = response.response_mut().head_mut();
        head.no_chunking(true);
        head.set_connection_type(ConnectionType::Close);
    }
}

#[cfg(test)]
mod tests;
