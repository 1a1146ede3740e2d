//! The page of an error.

use askama::Template;
use kernel::PublicUrls;

use crate::stylesheet;
use crate::texts::{ENGLISH, ErrorText, Texts};

/// The page of an error: what is the case, what to do, and the id by which the request is found in the log.
#[derive(Debug, Clone, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    t: &'static Texts,
    stylesheet: String,
    text: ErrorText,
    request_id: String,
}

impl ErrorPage {
    /// The page of an answer's status.
    #[must_use]
    pub fn new(status: u16, request_id: &str, urls: &PublicUrls) -> Self {
        Self {
            t: &ENGLISH,
            stylesheet: urls.asset(&stylesheet::NAME),
            text: (ENGLISH.error)(status),
            request_id: request_id.to_owned(),
        }
    }
}
