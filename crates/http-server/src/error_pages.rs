//! Errors as pages: what a browser gets in place of a JSON body.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::ACCEPT;

/// What the page of an error says in place of the sentence of its status, as an extension of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorNote {
    /// What is the case, and what to do.
    pub sentence: String,
    /// Where to go from there: an address and its words.
    pub link: Option<(String, String)>,
}

/// Makes pages of error answers.
pub trait ErrorPages: Send + Sync {
    /// Puts a page in place of the body of an error answer to a request for `path`. Status and headers stay,
    /// but for those that describe the body.
    fn page(&self, error: HttpResponse, request_id: &str, path: &str) -> HttpResponse;
}

/// Whether an error is answered with a page: outside the API, to callers whose `Accept` names `text/html`.
pub(crate) fn is_wanted(request: &ServiceRequest) -> bool {
    let is_html = |range: &str| {
        let media_type = range.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case("text/html")
    };
    let mut accepted = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    // The path as the router reads it, without its escapes.
    !request.match_info().as_str().starts_with("/api/") && accepted.any(|value| value.split(',').any(is_html))
}
