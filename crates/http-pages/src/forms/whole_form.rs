//! Waits for the whole body of a form before its handler checks anything: a session that ends while the body
//! is being sent does not count any more.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::error::PayloadError;
use actix_web::http::Method;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::middleware::Next;
use actix_web::web::Bytes;
use actix_web::{Error, HttpMessage as _};
use futures_util::{StreamExt as _, stream};
use http_server::{RequestContext, read_body};

use super::page_error::PageError;

/// Reads the body of a form, and hands it to the handler. A form with a file is left to its handler: it may
/// be larger, so that only an owner who is signed in may send it.
pub(crate) async fn wait(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if request.method() == Method::POST && !has_file(&request) {
        RequestContext::of(request.request()).map_err(PageError::from)?.set_route(request.request());
        let payload = request.take_payload();
        let body = read_body(request.headers(), payload).await.map_err(PageError::from)?;
        let body = stream::iter([Ok::<Bytes, PayloadError>(body)]).boxed_local();
        request.set_payload(Payload::from(body));
    }
    next.call(request).await.map(ServiceResponse::map_into_boxed_body)
}

fn has_file(request: &ServiceRequest) -> bool {
    let media_type = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|value| value.trim_start().to_ascii_lowercase().starts_with("multipart/form-data"))
}
