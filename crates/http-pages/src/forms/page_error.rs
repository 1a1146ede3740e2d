//! Errors of pages: the response, and the text of its page.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::{HttpResponse, ResponseError};
use http_server::{ApiError, ErrorCode, ErrorNote};
use invoices::InvoiceStatus;
use kernel::{ReadError, StoreError};
use pages::texts::ENGLISH;

/// What a handler of a page returns.
pub(crate) type PageResult = Result<HttpResponse, PageError>;

/// An error of a page. A client that accepts HTML gets a page with the note, or else with the sentence for
/// the status. It may instead be a redirect to another page, such as the sign-in.
#[derive(Debug)]
pub(crate) struct PageError {
    /// Boxed, so that a `Result` with this error stays small.
    error: Box<ApiError>,
    note: Option<ErrorNote>,
    redirect: Option<String>,
}

impl PageError {
    /// An error with its own sentence on the page.
    pub(crate) fn new(code: ErrorCode, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self {
            error: Box::new(ApiError::new(code, &*sentence)),
            note: Some(ErrorNote { sentence, link: None }),
            redirect: None,
        }
    }

    /// Adds a link to the page of the error.
    pub(crate) fn with_link(mut self, href: impl Into<String>, words: impl Into<String>) -> Self {
        if let Some(note) = &mut self.note {
            note.link = Some((href.into(), words.into()));
        }
        self
    }

    /// A redirect to another page that must come first, such as the sign-in.
    pub(crate) fn see_other(location: impl Into<String>) -> Self {
        let error = Box::new(ApiError::plain(ErrorCode::Unauthenticated));
        Self { error, note: None, redirect: Some(location.into()) }
    }

    /// A conflict: the present state does not allow the change.
    pub(crate) fn conflict(sentence: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, sentence)
    }

    /// A conflict whose page shows the text of the error, with the words of pages for a status.
    pub(crate) fn refused(error: &impl ToString) -> Self {
        let text = error.to_string();
        let written = |word| match InvoiceStatus::parse(word) {
            Ok(status) => (ENGLISH.invoicing.status)(status).to_lowercase(),
            Err(_other) => word.to_owned(),
        };
        let text = text.split(' ').map(written).collect::<Vec<_>>().join(" ");
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
        Self::conflict(format!("{first}{}.", letters.as_str()))
    }

    /// A conflict: the record was changed after the form was opened. `current` is the URL of its page.
    pub(crate) fn changed(current: String) -> Self {
        let sentence = "This was changed in the meantime, so your changes were not saved. Open the page again to \
                        see the current version.";
        Self::conflict(sentence).with_link(current, "Open the current version")
    }

    /// A conflict: what the page of a button showed was changed. `current` is the URL of its page.
    pub(crate) fn not_done(current: String) -> Self {
        let sentence = "This was changed in the meantime, so nothing was done. Open the page again to see the current \
                        version, and decide there.";
        Self::conflict(sentence).with_link(current, "Open the current version")
    }

    /// The account has no such record.
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

impl From<ReadError> for PageError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound(_) => Self::not_found(),
            ReadError::Store(error) => error.into(),
        }
    }
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// The response to an error with a note or a redirect.
#[derive(Debug)]
struct PageErrorResponse(PageError);

impl From<PageError> for actix_web::Error {
    /// An error without a note or a redirect becomes the `ApiError` itself, whose cause the server logs.
    fn from(error: PageError) -> Self {
        match error {
            PageError { error, note: None, redirect: None } => (*error).into(),
            other => PageErrorResponse(other).into(),
        }
    }
}

impl fmt::Display for PageErrorResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl ResponseError for PageErrorResponse {
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

#[cfg(test)]
mod tests {
    use invoices::AmendRefused;

    use super::*;

    #[test]
    fn refusal_names_a_status_as_pages_do() {
        let refused = PageError::refused(&AmendRefused::Locked(InvoiceStatus::PartiallyPaid));
        let sentence = refused.note.map(|note| note.sentence);
        assert_eq!(sentence.as_deref(), Some("An invoice that is partly paid cannot be amended."));
    }
}
