//! Error pages, which browsers get instead of a JSON body.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::ACCEPT;

/// The text of an error page, used instead of the sentence for the status; stored as an extension of the
/// response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorNote {
    /// What happened, and what to do.
    pub sentence: String,
    /// A link to go on with: its URL and text.
    pub link: Option<(String, String)>,
}

/// The request that an error page responds to.
#[derive(Debug, Clone, Copy)]
pub struct FailedRequest<'a> {
    /// The id that its response shows as `X-Request-Id`.
    pub id: &'a str,
    /// The path, on which the page's link back depends.
    pub path: &'a str,
    /// The name of the company whose page was requested, if the handler found it.
    pub company: Option<&'a str>,
}

/// Turns error responses into pages.
pub trait ErrorPages: Send + Sync {
    /// Replaces the body of the error response to a request with a page. The status stays, and so do all
    /// headers except those that describe the body.
    fn page(&self, error: HttpResponse, request: FailedRequest<'_>) -> HttpResponse;
}

/// Whether the response to an error is a page: outside the API, for clients whose `Accept` names `text/html`.
pub(crate) fn is_wanted(request: &ServiceRequest) -> bool {
    let is_html = |range: &str| {
        let media_type = range.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case("text/html")
    };
    let mut accepted = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    // The path as the router sees it, with escapes decoded.
    !request.match_info().as_str().starts_with("/api/") && accepted.any(|value| value.split(',').any(is_html))
}
