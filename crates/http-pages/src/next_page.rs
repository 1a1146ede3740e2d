//! Where a browser is sent after a sign-in: only to a path of this service.

use actix_web::HttpRequest;
use actix_web::http::Method;
use actix_web::http::header::{HOST, REFERER};
use form_urlencoded::byte_serialize;
use kernel::PublicUrls;
use pages::{Confirmation, links};

use crate::page;
use crate::routing::FORMS_ONLY;

/// The page after a sign-in that no other page required.
pub(crate) const HOME: &str = "/dashboard";

/// The maximum length of a path to go back to.
const MAX_LENGTH: usize = 2_000;

/// A path of this service, with its query; [`HOME`] for any other text. Browsers take a backslash for a
/// slash, drop tabs and line breaks, and read `//host` as another site (WHATWG URL, section 4.4).
pub(crate) fn local_path(text: &str) -> &str {
    let is_graphic = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let is_local = text.starts_with('/') && !text.starts_with("//") && text.len() <= MAX_LENGTH;
    if is_local && text.bytes().all(is_graphic) { text } else { HOME }
}

/// The page of a request: the requested page, or the page that contained the submitted form, which then says
/// that the form was not processed. A form that was shown again at an address without a page was opened on
/// the page above it.
pub(crate) fn page_of(request: &HttpRequest, urls: &PublicUrls) -> String {
    let sent_from = || {
        let header = |name| request.headers().get(name)?.to_str().ok();
        let referer = header(REFERER)?;
        // A page may have been opened under another host name of the service.
        let at_host = || referer.split_once("://")?.1.strip_prefix(header(HOST)?);
        referer.strip_prefix(urls.base()).or_else(|| at_host()?.strip_prefix(links(urls).base()))
    };
    match *request.method() {
        Method::GET | Method::HEAD => {
            let path = request.uri().path_and_query().map(|path| path.as_str());
            local_path(path.unwrap_or(HOME)).to_owned()
        }
        _ => {
            let page = local_path(sent_from().unwrap_or(HOME));
            let path = page.split('?').next().unwrap_or_default();
            let page = match path.rsplit_once('/') {
                Some((above, _)) if request.resource_map().match_name(path) == Some(FORMS_ONLY) => above,
                _ => page,
            };
            page::saying(page, Confirmation::NotProcessed)
        }
    }
}

/// The URL of a page that redirects to `next` afterwards.
pub(crate) fn with_next(urls: &PublicUrls, path: &str, next: &str) -> String {
    let next: String = byte_serialize(next.as_bytes()).collect();
    urls.page(format_args!("{path}?next={next}"))
}

#[cfg(test)]
mod tests {
    use actix_web::test::{TestRequest, call_and_read_body, init_service};
    use actix_web::web::ServiceConfig;
    use actix_web::{App, HttpResponse};

    use super::*;
    use crate::routing::{Routes, form_post};

    #[test]
    fn next_page_is_a_path_of_this_service() {
        for path in ["/", "/dashboard", "/dashboard/invoices?status=PAID&q=a%20b", "/a#b"] {
            assert_eq!(local_path(path), path);
        }
        for other in [
            "",
            "dashboard",
            "//evil.example.com",
            "/\\evil.example.com",
            "\\\\evil.example.com",
            "/\t/evil.example.com",
            "/\n/evil.example.com",
            " //evil.example.com",
            "https://evil.example.com",
            "javascript:alert(1)",
            "/é",
            "/a b",
            &format!("/{}", "a".repeat(2_000)),
        ] {
            assert_eq!(local_path(other), HOME, "{other:?}");
        }
    }

    #[actix_web::test]
    async fn page_of_a_form_is_its_referer_within_the_service() {
        let add = |config: &mut ServiceConfig| {
            Routes::new(config).service(form_post("/dashboard/invoices/{id}/send", async || "sent"));
        };
        let app = init_service(App::new().configure(add).wrap_fn(|request, _next| {
            let page = page_of(request.request(), &PublicUrls::new("https://books.example.com"));
            async move { Ok(request.into_response(HttpResponse::Ok().body(page))) }
        }));
        let app = app.await;
        let page = async |request: TestRequest| {
            let page = call_and_read_body(&app, request.to_request()).await;
            String::from_utf8(page.to_vec()).unwrap()
        };
        assert_eq!(page(TestRequest::get().uri("/dashboard?q=1")).await, "/dashboard?q=1");
        let post = || TestRequest::post().uri("/dashboard/invoices/1/send");
        let home = "/dashboard?done=not_processed";
        assert_eq!(page(post()).await, home);
        let from = async |referer: &str| page(post().insert_header((REFERER, referer))).await;
        let invoice = "https://books.example.com/dashboard/invoices/1";
        assert_eq!(from(invoice).await, "/dashboard/invoices/1?done=not_processed");
        let said = from(&format!("{invoice}?contact=2&done=saved")).await;
        assert_eq!(said, "/dashboard/invoices/1?contact=2&done=not_processed");
        let has_no_page = from(&format!("{invoice}/send")).await;
        assert_eq!(has_no_page, "/dashboard/invoices/1?done=not_processed");
        let again = from(&format!("{invoice}/send?done=not_processed")).await;
        assert_eq!(again, "/dashboard/invoices/1?done=not_processed");
        assert_eq!(from("https://books.example.com.evil.example.com/x").await, home);
        assert_eq!(from("https://evil.example.com/x").await, home);
        let elsewhere = post().insert_header((HOST, "localhost:8080"));
        let elsewhere = elsewhere.insert_header((REFERER, "http://localhost:8080/dashboard/invoices/1"));
        assert_eq!(page(elsewhere).await, "/dashboard/invoices/1?done=not_processed");
    }
}
