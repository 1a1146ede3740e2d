//! Responses with pages, and the headers of every page.

use std::fmt::Display;

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
};
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::ApiError;
use kernel::{Named as _, PublicUrls};
use pages::{Brand, Confirmation, Page};

use crate::compression;
use crate::forms::{Done, FormFields};

pub(crate) const HTML: &str = "text/html; charset=utf-8";
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Renders and compresses a page outside the serving threads, since it may be long.
pub(crate) async fn render<P: Page>(
    request: &HttpRequest,
    make: impl FnOnce() -> P + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    render_with(StatusCode::OK, request, make).await
}

/// Renders a short page on the serving thread: changing threads would take longer than rendering it.
pub(crate) fn render_short<P: Page>(request: &HttpRequest, page: P) -> Result<HttpResponse, ApiError> {
    let format = PageFormat::of(request, StatusCode::OK);
    format.respond(format.body(page)?)
}

/// As [`render`], with another status, such as 422 for a form with faults.
pub(crate) async fn render_with<P: Page>(
    status: StatusCode,
    request: &HttpRequest,
    make: impl FnOnce() -> P + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    let format = PageFormat::of(request, status);
    format.respond(run_blocking(move || format.body(make())).await??)
}

/// How a page is to be sent.
#[derive(Clone, Copy)]
struct PageFormat {
    status: StatusCode,
    is_gzip: bool,
    /// What the form that led to the page has done.
    done: Option<Confirmation>,
}

impl PageFormat {
    fn of(request: &HttpRequest, status: StatusCode) -> Self {
        // A form that is sent to the URL with the parameter leads to a page that says something else.
        let says = status == StatusCode::OK && request.method().is_safe();
        let done = if says { done(request) } else { None };
        Self { status, is_gzip: compression::is_accepted(request.headers()), done }
    }

    fn body(self, mut page: impl Page) -> Result<PageBody, ApiError> {
        if let Some(done) = self.done {
            page.confirm(done);
        }
        let html = page.render().map_err(ApiError::internal)?;
        Ok(PageBody {
            bytes: self.encoded(html)?,
            style: page.brand().map(Brand::csp_source),
            form_origin: page.form_origin().map(str::to_owned),
        })
    }

    fn encoded(self, html: String) -> Result<Vec<u8>, ApiError> {
        if !self.is_gzip {
            return Ok(html.into_bytes());
        }
        let compressed = compression::gzip_fast(html.as_bytes());
        compressed.map_err(ApiError::internal)
    }

    fn respond(self, body: PageBody) -> Result<HttpResponse, ApiError> {
        let mut response = HttpResponse::build(self.status);
        response.content_type(HTML);
        if self.is_gzip {
            response.insert_header((CONTENT_ENCODING, "gzip"));
        }
        let mut response = response.body(body.bytes);
        put_headers_with(response.headers_mut(), body.style.as_deref(), body.form_origin.as_deref());
        Ok(response)
    }
}

/// The body of a page, and what its headers depend on.
struct PageBody {
    bytes: Vec<u8>,
    /// The CSP source of the page's style element.
    style: Option<String>,
    /// The other origin that a form of the page leads to.
    form_origin: Option<String>,
}

/// Runs long computations outside the serving threads.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    // Boxed, since the runtime's code for blocking work is compiled for each type of closure.
    let work: Box<dyn FnOnce() -> T + Send> = Box::new(work);
    web::block(work).await.map_err(ApiError::internal)
}

/// The query parameter that names what the form that led to the page has done.
pub(crate) const DONE: &str = "done";

impl Done {
    /// The browser is redirected to a page that confirms what was done.
    pub(crate) fn confirmed(urls: &PublicUrls, path: impl Display, what: Confirmation) -> Self {
        Self::SeeOther(saying(&urls.page(path), what))
    }
}

/// The path of a page, with its query, that says this instead of what it may have said before.
pub(crate) fn saying(page: &str, what: Confirmation) -> String {
    with_parameter(page, DONE, what.as_str())
}

/// The path of a page, with its query, in which a parameter has this value.
pub(crate) fn with_parameter(page: &str, name: &str, value: &str) -> String {
    let (path, query) = page.split_once('?').unwrap_or((page, ""));
    let kept = form_urlencoded::parse(query.as_bytes()).filter(|(kept, _)| kept != name);
    let mut query = form_urlencoded::Serializer::new(String::new());
    let query = query.extend_pairs(kept).append_pair(name, value).finish();
    format!("{path}?{query}")
}

fn done(request: &HttpRequest) -> Option<Confirmation> {
    let query = FormFields::of_query(request).ok()?;
    Confirmation::parse(query.get(DONE)).ok()
}

/// Adds the headers that every page carries. `style` is the CSP source of the page's style element.
pub(crate) fn put_headers(headers: &mut HeaderMap, style: Option<&str>) {
    put_headers_with(headers, style, None);
}

/// The same for a page with a form that leads to another site.
fn put_headers_with(headers: &mut HeaderMap, style: Option<&str>, form_origin: Option<&str>) {
    let form_origin = form_origin.map(|origin| format!(" {origin}")).unwrap_or_default();
    let style = style.map(|source| format!(" {source}")).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'self'{style}; img-src 'self'; form-action 'self'{form_origin}; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    let strictest = HeaderValue::from_static("default-src 'none'");
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::try_from(policy).unwrap_or(strictest));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
}
