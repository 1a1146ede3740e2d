//! Error responses.
//!
//! `code` is the stable contract; messages are for people. A cause is only logged in the access log, never
//! sent.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use kernel::errors::Source;
use kernel::{FieldErrors, ReadError, StoreError};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error_code::ErrorCode;
use crate::json::{json_response, to_json};

/// An error response: why a request was not carried out.
#[derive(Debug)]
pub struct ApiError {
    code: ErrorCode,
    message: String,
    faults: FieldErrors,
    /// Boxed, so that a `Result` with this error stays small.
    header: Option<Box<(HeaderName, HeaderValue)>>,
    original_response: Option<Box<RawValue>>,
    cause: Option<Source>,
}

/// The body of every error response (contract, "Errors").
#[derive(Debug, Serialize)]
struct ErrorBody<'a> {
    error: ErrorDetail<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_response: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct ErrorDetail<'a> {
    code: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    field_errors: Vec<FieldErrorBody<'a>>,
}

#[derive(Debug, Serialize)]
struct FieldErrorBody<'a> {
    field: &'a str,
    message: &'a str,
}

impl ApiError {
    /// An error with its own message.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            faults: FieldErrors::default(),
            header: None,
            original_response: None,
            cause: None,
        }
    }

    /// An error with the code's message.
    #[must_use]
    pub fn plain(code: ErrorCode) -> Self {
        Self::new(code, code.message())
    }

    /// A validation error that names faulty fields.
    #[must_use]
    pub fn invalid(faults: FieldErrors) -> Self {
        Self { faults, ..Self::plain(ErrorCode::ValidationError) }
    }

    /// A failure of the service. The client sees only the code; the cause is logged.
    #[must_use]
    pub fn failed(code: ErrorCode, cause: impl Into<Source>) -> Self {
        Self { cause: Some(cause.into()), ..Self::plain(code) }
    }

    /// An internal error. The client sees only the code; the cause is logged.
    #[must_use]
    pub fn internal(cause: impl Into<Source>) -> Self {
        Self::failed(ErrorCode::InternalError, cause)
    }

    /// The path does not support the method; `allow` lists the supported methods.
    #[must_use]
    pub fn method_not_allowed(allow: HeaderValue) -> Self {
        Self { header: Some(Box::new((ALLOW, allow))), ..Self::plain(ErrorCode::MethodNotAllowed) }
    }

    /// The key's quota is used up; `retry_after` is in seconds.
    #[must_use]
    pub fn rate_limited(retry_after: i64) -> Self {
        Self {
            header: Some(Box::new((RETRY_AFTER, retry_after.into()))),
            ..Self::plain(ErrorCode::RateLimited)
        }
    }

    /// A client address, or an account, has made too many attempts; `retry_after` is in seconds.
    #[must_use]
    pub fn too_many_attempts(retry_after: i64) -> Self {
        let message = "there were too many attempts; Retry-After says when to come back";
        Self { message: message.to_owned(), ..Self::rate_limited(retry_after) }
    }

    /// An idempotency key was used before with another body; contains the response body of that request, byte
    /// for byte.
    #[must_use]
    pub fn key_reused(original_response: &[u8]) -> Self {
        Self {
            original_response: serde_json::from_slice(original_response).ok(),
            ..Self::plain(ErrorCode::IdempotencyKeyReused)
        }
    }

    /// The cause, for the log.
    #[must_use]
    pub const fn cause(&self) -> Option<&Source> {
        self.cause.as_ref()
    }

    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Whether repeating the request would give the same error; a failure of the service may be temporary.
    #[must_use]
    pub fn is_final(&self) -> bool {
        !self.code.status().is_server_error()
    }

    /// The JSON body.
    #[must_use]
    pub fn body(&self) -> Vec<u8> {
        let faults = self.faults.iter();
        let field_errors =
            faults.map(|fault| FieldErrorBody { field: &fault.field, message: &fault.message }).collect();
        let error = ErrorDetail { code: self.code.name(), message: &self.message, field_errors };
        to_json(&ErrorBody { error, original_response: self.original_response.as_deref() })
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.code.status()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = json_response(self.code.status(), self.body());
        let headers = response.headers_mut();
        if let Some(challenge) = self.code.challenge() {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        if let Some(header) = &self.header {
            let (name, value) = header.as_ref().clone();
            headers.insert(name, value);
        }
        response
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Contended(_) | StoreError::Unavailable(_) => ErrorCode::ServiceUnavailable,
            StoreError::Inconsistent { .. } | StoreError::Failed(_) => ErrorCode::InternalError,
        };
        Self::failed(code, error)
    }
}

impl From<ReadError> for ApiError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::NotFound(text) => Self::new(ErrorCode::NotFound, text),
            ReadError::Store(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(error: &ApiError) -> String {
        String::from_utf8(error.body()).unwrap()
    }

    #[test]
    fn each_code_has_its_status_and_body() {
        let lines = ErrorCode::ALL.iter().map(|code| {
            let error = ApiError::plain(*code);
            format!("{} {}", error.status_code().as_u16(), text(&error))
        });
        insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn faulty_fields_are_listed_in_the_order_in_which_they_were_found() {
        let mut faults = FieldErrors::one("line_items.0.quantity", "must be above 0");
        faults.add("contact", "is required unless is_draft is true");
        insta::assert_snapshot!(text(&ApiError::invalid(faults)));
    }

    #[test]
    fn reused_key_shows_the_first_answer_byte_for_byte() {
        let error = ApiError::key_reused(br#"{"total":110.00,"id":"1"}"#);
        assert_eq!(error.status_code(), StatusCode::CONFLICT);
        let body = text(&error);
        let expected = r#","original_response":{"total":110.00,"id":"1"}}"#;
        assert!(body.ends_with(expected), "{body}");
        let body = text(&ApiError::key_reused(b""));
        assert!(!body.contains("original_response\":"), "{body}");
    }

    #[test]
    fn cause_is_neither_in_the_body_nor_in_the_message() {
        let error = ApiError::internal("password of the database");
        assert!(!text(&error).contains("password") && !error.to_string().contains("password"));
        assert!(!error.is_final());
    }
}
