//! The codes of error answers, each with its status and its words.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use strum::{IntoStaticStr, VariantArray};

/// A stable code of the contract ("Errors"). Its name in the body is the variant's in upper case:
/// `VALIDATION_ERROR`.
///
/// A new code needs its variant here and its line in `ErrorCode::describe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    ValidationError,
    InvoiceNotCancellable,
    Unauthenticated,
    InvalidApiKey,
    AccountDisabled,
    PartnerDisabled,
    HttpsRequired,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    Conflict,
    InvoiceLocked,
    DuplicateInvoiceNumber,
    PlanLimitReached,
    IdempotencyKeyReused,
    IdempotentReplayInFlight,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimited,
    InternalError,
    ServiceUnavailable,
}

impl ErrorCode {
    /// Every code, by status.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// The name in the body.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The answer's status.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        self.describe().0
    }

    /// The message of an error that has none of its own.
    #[must_use]
    pub const fn message(self) -> &'static str {
        self.describe().1
    }

    /// What a 401 asks for (RFC 9110, section 11.6.1; RFC 6750, section 3).
    pub(crate) fn challenge(self) -> Option<HeaderValue> {
        let text = match self {
            Self::Unauthenticated => r#"Bearer realm="countinghouse""#,
            Self::InvalidApiKey => r#"Bearer realm="countinghouse", error="invalid_token""#,
            _ => return None,
        };
        Some(HeaderValue::from_static(text))
    }

    const fn describe(self) -> (StatusCode, &'static str) {
        match self {
            Self::ValidationError => {
                (StatusCode::BAD_REQUEST, "the request is not valid; field_errors names each faulty field")
            }
            Self::InvoiceNotCancellable => {
                (StatusCode::BAD_REQUEST, "an invoice that is PAID or CANCELLED cannot be cancelled")
            }
            Self::Unauthenticated => {
                (StatusCode::UNAUTHORIZED, "send your API key as `Authorization: Bearer <key>`")
            }
            Self::InvalidApiKey => (StatusCode::UNAUTHORIZED, "the API key is not valid here"),
            Self::AccountDisabled => {
                (StatusCode::FORBIDDEN, "the account was switched off by the partner that manages it")
            }
            Self::PartnerDisabled => {
                (StatusCode::FORBIDDEN, "the partner was switched off by the operator of this service")
            }
            Self::HttpsRequired => (StatusCode::FORBIDDEN, "requests are taken by HTTPS only"),
            Self::NotFound => (StatusCode::NOT_FOUND, "there is nothing at this path"),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "this path does not know the method; the Allow header lists those that it \
                 knows",
            ),
            Self::RequestTimeout => {
                (StatusCode::REQUEST_TIMEOUT, "the body did not arrive within 15 seconds")
            }
            Self::Conflict => (StatusCode::CONFLICT, "the request conflicts with the present state"),
            Self::InvoiceLocked => {
                (StatusCode::CONFLICT, "an invoice that is PAID or CANCELLED cannot be amended")
            }
            Self::DuplicateInvoiceNumber => {
                (StatusCode::CONFLICT, "the account has an invoice with this number already")
            }
            Self::PlanLimitReached => {
                (StatusCode::CONFLICT, "the account's plan allows no more invoices this month")
            }
            Self::IdempotencyKeyReused => (
                StatusCode::CONFLICT,
                "this Idempotency-Key was used before with another body; original_response \
                 is what it was answered",
            ),
            Self::IdempotentReplayInFlight => (
                StatusCode::CONFLICT,
                "a request with this Idempotency-Key is still being worked on; send it \
                 again after a short pause",
            ),
            Self::PayloadTooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "the body is larger than 1 MiB"),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "send the body as application/json in UTF-8")
            }
            Self::RateLimited => (
                StatusCode::TOO_MANY_REQUESTS,
                "the key's quota for this minute is used up; Retry-After says when to come \
                 back",
            ),
            Self::InternalError => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "something failed on our side; try again, ideally with the same \
                 Idempotency-Key",
            ),
            Self::ServiceUnavailable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "the service cannot answer at the moment; try again, ideally with the same \
                 Idempotency-Key",
            ),
        }
    }
}
