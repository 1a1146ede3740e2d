//! Errors as pages.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http_server::{ErrorNote, ErrorPages, FailedRequest};
use kernel::PublicUrls;
use pages::{ErrorPage, Template as _, links};

use crate::page::{HTML, put_headers};

/// Turns errors into pages.
#[derive(Debug, Clone)]
pub struct HtmlErrors(pub PublicUrls);

impl ErrorPages for HtmlErrors {
    fn page(&self, error: HttpResponse, request: FailedRequest<'_>) -> HttpResponse {
        let note = error.extensions().get::<ErrorNote>().cloned();
        let wait = error.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        let urls = links(&self.0);
        let page = ErrorPage::new(error.status().as_u16(), request.id, &urls);
        let mut page = page.of_path(request.path, wait, &urls).of_company(request.company);
        if error.status() == StatusCode::FORBIDDEN {
            page = page.at_its_address(self.0.base());
        }
        if takes_forms_only(&error) {
            page = page.of_forms_only();
        }
        if let Some(ErrorNote { sentence, link }) = note {
            page = page.saying(sentence, link);
        }
        let Ok(html) = page.render() else {
            return error;
        };
        let mut response = error.set_body(BoxBody::new(html));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
        put_headers(response.headers_mut(), None);
        response
    }
}

/// Whether the path of a refused method takes POST and no other method.
fn takes_forms_only(error: &HttpResponse) -> bool {
    error.headers().get(ALLOW).is_some_and(|allow| allow == "POST")
}
