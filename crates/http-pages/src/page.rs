//! Pages as answers, and the headers that every page has.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY,
};
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use pages::{Brand, Confirmation, Page};

use crate::compression;
use crate::forms::FormFields;

pub(crate) const HTML: &str = "text/html; charset=utf-8";
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Renders and compresses a page off the serving threads: it may have many long lines.
pub(crate) async fn render<P: Page>(
    request: &HttpRequest,
    make: impl FnOnce() -> P + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    render_with(StatusCode::OK, request, make).await
}

/// The same with another status: 422 for a form that comes back with its faults.
pub(crate) async fn render_with<P: Page>(
    status: StatusCode,
    request: &HttpRequest,
    make: impl FnOnce() -> P + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    let is_gzip = compression::is_accepted(request.headers());
    let done = if status == StatusCode::OK { done(request) } else { None };
    let body = web::block(move || {
        let mut page = make();
        if let Some(done) = done {
            page.confirm(done);
        }
        body(&page, is_gzip)
    });
    let (body, style, form_origin) =
        body.await.map_err(|error| ApiError::failed(ErrorCode::InternalError, error))??;
    let mut answer = HttpResponse::build(status);
    answer.content_type(HTML);
    if is_gzip {
        answer.insert_header((CONTENT_ENCODING, "gzip"));
    }
    let mut answer = answer.body(body);
    put_headers_with(answer.headers_mut(), style.as_deref(), form_origin.as_deref());
    Ok(answer)
}

/// Works out what takes long off the serving threads.
pub(crate) async fn work_out<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    web::block(work).await.map_err(|error| ApiError::failed(ErrorCode::InternalError, error))
}

/// The field of an address that says what was done by the form that led there.
const DONE: &str = "done";

/// The address of a page that says what was done.
pub(crate) fn confirming(address: &str, what: Confirmation) -> String {
    format!("{address}?{DONE}={}", what.word())
}

fn done(request: &HttpRequest) -> Option<Confirmation> {
    let query = FormFields::parse(request.query_string().as_bytes()).ok()?;
    Confirmation::of_word(query.get(DONE))
}

/// The body of a page, the source of its style element, and where its forms lead besides the service.
type Body = (Vec<u8>, Option<String>, Option<String>);

fn body(page: &impl Page, is_gzip: bool) -> Result<Body, ApiError> {
    let html = page.render().map_err(|error| ApiError::failed(ErrorCode::InternalError, error))?;
    let body = if is_gzip { compression::gzip(html.as_bytes()) } else { Ok(html.into_bytes()) };
    let body = body.map_err(|error| ApiError::failed(ErrorCode::InternalError, error))?;
    Ok((body, page.brand().map(Brand::csp_source), page.form_origin().map(str::to_owned)))
}

/// Puts the headers on that every page has, and what it offers. `style` is the source of its style element.
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
