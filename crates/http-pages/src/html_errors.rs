//! Errors as pages.

use actix_web::HttpResponse;
use actix_web::body::BoxBody;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue};
use http_server::{ErrorNote, ErrorPages};
use kernel::PublicUrls;
use pages::{ErrorPage, Template as _};

use crate::page::{HTML, put_headers};

/// Turns errors into pages.
#[derive(Debug, Clone)]
pub struct HtmlErrors(pub PublicUrls);

impl ErrorPages for HtmlErrors {
    fn page(&self, error: HttpResponse, request_id: &str) -> HttpResponse {
        let note = error.extensions().get::<ErrorNote>().cloned();
        let mut page = ErrorPage::new(error.status().as_u16(), request_id, &self.0);
        if let Some(ErrorNote { sentence, link }) = note {
            page = page.saying(sentence, link);
        }
        let Ok(html) = page.render() else {
            return error;
        };
        let mut answer = error.set_body(BoxBody::new(html));
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
        put_headers(answer.headers_mut(), None);
        answer
    }
}
