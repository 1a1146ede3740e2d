//! Errors of pages: an answer, and what its page says.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::{HttpResponse, ResponseError};
use http_server::{ApiError, ErrorCode, ErrorNote};
use kernel::StoreError;

/// An error of a page. Where the caller wants HTML its page says the note, or else the sentence of its
/// status. It may also be the way to another page, which comes first.
#[derive(Debug)]
pub(crate) struct PageError {
    /// Boxed, so that a `Result` with this error stays small.
    error: Box<ApiError>,
    note: Option<ErrorNote>,
    redirect: Option<String>,
}

impl PageError {
    /// An error whose page says a sentence of its own.
    pub(crate) fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self {
            error: Box::new(ApiError::new(code, &*sentence)),
            note: Some(ErrorNote { sentence, link: None }),
            redirect: None,
        }
    }

    /// Says where to go from there.
    pub(crate) fn with_link(mut self, href: impl Into<String>, words: impl Into<String>) -> Self {
        if let Some(note) = &mut self.note {
            note.link = Some((href.into(), words.into()));
        }
        self
    }

    /// Another page comes first, such as the sign-in.
    pub(crate) fn see_other(location: impl Into<String>) -> Self {
        let error = Box::new(ApiError::plain(ErrorCode::Unauthenticated));
        Self { error, note: None, redirect: Some(location.into()) }
    }

    /// The state does not allow it.
    pub(crate) fn conflict(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, sentence)
    }

    /// The state does not allow it, and the error says why.
    pub(crate) fn refused(error: &impl ToString) -> Self {
        let text = error.to_string();
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        Self::conflict(format!("{first}{}.", letters.as_str()))
    }

    /// What the form shows was changed since it was opened.
    pub(crate) fn changed() -> Self {
        Self::conflict(
            "This was changed meanwhile, and nothing of yours was saved. Open the page again: it shows what is \
             there now.",
        )
    }

    /// There is no such record in the account.
    pub(crate) fn not_found() -> Self {
        ApiError::plain(ErrorCode::NotFound).into()
    }

    /// Another site sent the form.
    pub(crate) fn cross_site() -> Self {
        ApiError::plain(ErrorCode::CrossSiteRequest).into()
    }
}

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self { error: Box::new(error), note: None, redirect: None }
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> Self {
        ApiError::from(error).into()
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// An error with a note, or the way to another page, as it is answered.
#[derive(Debug)]
struct Answer(PageError);

impl From<PageError> for actix_web::Error {
    /// An error without a note is answered as the error that it is, whose cause the server logs.
    fn from(error: PageError) -> Self {
        match error {
            PageError { error, note: None, redirect: None } => (*error).into(),
            other => Answer(other).into(),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for Answer {
    fn status_code(&self) -> StatusCode {
        if self.0.redirect.is_some() { StatusCode::SEE_OTHER } else { self.0.error.status_code() }
    }

    fn error_response(&self) -> HttpResponse {
        if let Some(location) = &self.0.redirect {
            return HttpResponse::SeeOther().insert_header((LOCATION, location.as_str())).finish();
        }
        let mut response = self.0.error.error_response();
        if let Some(note) = &self.0.note {
            response.extensions_mut().insert(note.clone());
        }
        response
    }
}
