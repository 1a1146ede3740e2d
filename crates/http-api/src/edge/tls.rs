//! Whether a request came by TLS where TLS is expected.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderName, X_FORWARDED_PROTO};

use crate::state::Transport;

const PROTO: HeaderName = X_FORWARDED_PROTO;

/// Whether the proxy in front does not vouch for TLS. Where several proxies have written into the header, all of them must.
pub(crate) fn is_missing(transport: Transport, request: &ServiceRequest) -> bool {
    if transport != Transport::BehindTlsProxy || is_exempt(request.path()) {
        return false;
    }
    let mut protocols = request.headers().get_all(PROTO).flat_map(|value| {
        let text = value.to_str().unwrap_or_default();
        text.split(',').map(str::trim)
    });
    let vouched = protocols.next().is_some_and(is_https) && protocols.all(is_https);
    !vouched
}

fn is_https(protocol: &str) -> bool {
    protocol.eq_ignore_ascii_case("https")
}

/// Health and figures are asked for from inside the house, past the proxy.
fn is_exempt(path: &str) -> bool {
    path == "/metrics" || path == "/health" || path.starts_with("/health/")
}
