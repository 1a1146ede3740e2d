//! Refusals: what a caller is told when a request is not done, and the one table of their codes and statuses.
//!
//! `code` is the stable contract; messages are for people. Causes never leave the process: they are logged once, at
//! the edge.

mod body;
mod code;
mod from_domain;

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, ResponseError};
use idempotency::StoredResponse;
use kernel::FieldErrors;
use kernel::errors::Source;

pub(crate) use body::{ErrorAnswer, key_reused};
pub(crate) use code::Code;

/// A request that is not done, and why.
#[derive(Debug)]
pub(crate) struct ApiError {
    code: Code,
    message: String,
    faults: FieldErrors,
    hint: Option<Hint>,
    cause: Option<Source>,
}

/// What a header tells the caller to do instead.
#[derive(Debug, Clone, Copy)]
enum Hint {
    /// The methods that the path knows.
    Allow(&'static str),
    /// The seconds to wait.
    RetryAfter(i64),
}

impl ApiError {
    /// A refusal with a message of its own.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            faults: FieldErrors::default(),
            hint: None,
            cause: None,
        }
    }

    /// A refusal in the code's own words.
    pub(crate) fn plain(code: Code) -> Self {
        Self::new(code, code.message())
    }

    /// A refusal that names faulty fields.
    pub(crate) fn invalid(faults: FieldErrors) -> Self {
        Self {
            faults,
            ..Self::plain(Code::ValidationError)
        }
    }

    /// A failure on our side. The caller learns the code and nothing of the cause.
    pub(crate) fn failed(code: Code, cause: impl Into<Source>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..Self::plain(code)
        }
    }

    /// The path is there and does not know the method.
    pub(crate) fn method_not_allowed(allow: &'static str) -> Self {
        Self {
            hint: Some(Hint::Allow(allow)),
            ..Self::plain(Code::MethodNotAllowed)
        }
    }

    /// The key's quota is used up for so many seconds.
    pub(crate) fn rate_limited(retry_after: i64) -> Self {
        Self {
            hint: Some(Hint::RetryAfter(retry_after)),
            ..Self::plain(Code::RateLimited)
        }
    }

    /// What stands behind it, for the log.
    pub(crate) fn cause(&self) -> Option<&Source> {
        self.cause.as_ref()
    }

    /// Whether it is finished business that a repetition of the request gets again; a failure of ours is not.
    pub(crate) fn is_final(&self) -> bool {
        !self.code.status().is_server_error()
    }

    /// The answer as it can be kept under an idempotency key.
    pub(crate) fn answer(&self) -> StoredResponse {
        StoredResponse {
            status: self.code.status().as_u16(),
            body: ErrorAnswer::new(self.code, &self.message, &self.faults).to_bytes(),
        }
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
        let mut response = crate::answer::response(self.answer());
        let headers = response.headers_mut();
        if let Some(challenge) = self.code.challenge() {
            headers.insert(WWW_AUTHENTICATE, challenge);
        }
        match self.hint {
            Some(Hint::Allow(methods)) => headers.insert(ALLOW, HeaderValue::from_static(methods)),
            Some(Hint::RetryAfter(seconds)) => headers.insert(RETRY_AFTER, seconds.into()),
            None => return response,
        };
        response
    }
}

#[cfg(test)]
mod tests;
