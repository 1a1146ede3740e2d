//! Whether a request came by TLS where TLS is expected.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::X_FORWARDED_PROTO;

use crate::state::Transport;

/// Whether `X-Forwarded-Proto` is required and does not say `https`. Where several proxies have added a
/// value, each must.
pub(crate) fn is_missing(transport: Transport, request: &ServiceRequest) -> bool {
    if transport != Transport::BehindTlsProxy || is_exempt(request.path()) {
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

/// Health and metrics are read from the inner network, without the proxy.
fn is_exempt(path: &str) -> bool {
    path == "/metrics" || path == "/health" || path.starts_with("/health/")
}
