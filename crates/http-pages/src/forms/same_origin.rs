//! Accepts requests that change something only from pages of this service (OWASP, "Cross-Site Request Forgery
//! Prevention").

use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, ORIGIN};
use actix_web::middleware::Next;
use actix_web::web::Data;
use kernel::PublicUrls;

use super::page_error::PageError;
use crate::state::PagesState;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses forms from another site, before any other check. Forms are only posted: the response to any other
/// method but GET and HEAD is 405, whichever site sends it.
pub(crate) async fn require(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_ours = request.method() != Method::POST
        || request
            .app_data::<Data<PagesState>>()
            .is_some_and(|state| is_same_origin(request.headers(), &state.public_urls));
    if !is_ours {
        return Err(PageError::cross_site().into());
    }
    next.call(request).await.map(ServiceResponse::map_into_boxed_body)
}

/// Whether a request came from a page of this service. Browsers send `Sec-Fetch-Site` (W3C Fetch Metadata);
/// older ones send `Origin` (RFC 6454, section 7).
fn is_same_origin(headers: &HeaderMap, urls: &PublicUrls) -> bool {
    let mut sites = headers.get_all(SEC_FETCH_SITE);
    match (sites.next(), sites.next()) {
        (Some(site), None) => site.as_bytes() == b"same-origin",
        (Some(_), Some(_)) => false,
        (None, _) => {
            let mut origins = headers.get_all(ORIGIN);
            let (first, second) = (origins.next(), origins.next());
            second.is_none() && first.is_some_and(|origin| origin.as_bytes() == urls.origin().as_bytes())
        }
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn only_our_own_pages_may_send_forms() {
        let urls = PublicUrls::new("https://books.example.com/invoices");
        let allowed = |headers: &[(&str, &str)]| {
            let request =
                headers.iter().fold(TestRequest::post(), |request, header| request.append_header(*header));
            is_same_origin(request.to_http_request().headers(), &urls)
        };
        assert!(allowed(&[("sec-fetch-site", "same-origin")]));
        assert!(allowed(&[("sec-fetch-site", "same-origin"), ("origin", "https://else.example.com")]));
        assert!(allowed(&[("origin", "https://books.example.com")]));
        for site in ["cross-site", "same-site", "none", "", "Same-Origin"] {
            assert!(!allowed(&[("sec-fetch-site", site), ("origin", "https://books.example.com")]), "{site}");
        }
        assert!(!allowed(&[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")]));
        for origin in
            ["null", "", "https://books.example.com/", "http://books.example.com", "https://example.com"]
        {
            assert!(!allowed(&[("origin", origin)]), "{origin}");
        }
        assert!(!allowed(&[]));
    }
}
