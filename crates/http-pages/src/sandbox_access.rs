//! The pages of the sandbox do not exist where it is off, nor for a request that names another host than this
//! machine.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::HOST;
use actix_web::http::uri::Authority;
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpRequest};

use crate::forms::PageError;
use crate::state::PagesState;

/// Refuses requests that may not see the sandbox, before any other check: a refusal for another reason would
/// tell that there is a page.
pub(crate) async fn require(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_on = request.app_data::<Data<PagesState>>().is_some_and(|state| state.sandbox.is_some());
    if !is_on || !is_loopback(request.request()) {
        return Err(PageError::not_found().into());
    }
    next.call(request).await.map(ServiceResponse::map_into_boxed_body)
}

/// Whether a request names a loopback host (RFC 6761, section 6.3). Another site whose host name resolves to
/// this machine fails this check.
fn is_loopback(http: &HttpRequest) -> bool {
    let host = http.headers().get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| http.uri().authority().map(|authority| authority.as_str()));
    let Some(authority) = host.and_then(|host| host.parse::<Authority>().ok()) else {
        return false;
    };
    let name = authority.host();
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
