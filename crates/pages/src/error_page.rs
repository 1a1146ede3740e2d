//! The page of an error.

use askama::Template;
use kernel::PublicUrls;

use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, ErrorText, Texts};

/// The page of an error: what is the case, what to do, and the id by which the request is found in the log.
#[derive(Debug, Clone, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    t: &'static Texts,
    stylesheet: String,
    title: &'static str,
    sentence: String,
    /// An address and its words.
    link: Option<(String, String)>,
    request_id: String,
}

impl Page for ErrorPage {}

impl ErrorPage {
    /// The page of an answer's status.
    #[must_use]
    pub fn new(status: u16, request_id: &str, urls: &PublicUrls) -> Self {
        let ErrorText { title, sentence } = (ENGLISH.error)(status);
        Self {
            t: &ENGLISH,
            stylesheet: urls.asset(&stylesheet::NAME),
            title,
            sentence: sentence.to_owned(),
            link: None,
            request_id: request_id.to_owned(),
        }
    }

    /// Says another sentence than that of the status, and where to go from there.
    #[must_use]
    pub fn saying(self, sentence: String, link: Option<(String, String)>) -> Self {
        Self { sentence, link, ..self }
    }
}
