//! The codes of error responses, each with its status and message.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;
use strum::{EnumMessage, IntoStaticStr, VariantArray};

/// A stable code of the contract ("Errors"). Its name in the body is the variant's in upper case:
/// `VALIDATION_ERROR`.
///
/// The documentation of a variant, one line, is the message of errors without their own message. A new code
/// needs a variant and an arm in [`ErrorCode::status`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, EnumMessage, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// the request is not valid; field_errors names each faulty field
    ValidationError,
    /// an invoice that is PAID or CANCELLED cannot be cancelled
    InvoiceNotCancellable,
    /// send your API key as `Authorization: Bearer <key>`
    Unauthenticated,
    /// the API key is not valid here
    InvalidApiKey,
    /// the account was switched off by the partner that manages it
    AccountDisabled,
    /// the partner was switched off by the operator of this service
    PartnerDisabled,
    /// requests are taken by HTTPS only
    HttpsRequired,
    /// the form was sent by another site
    CrossSiteRequest,
    /// there is nothing at this path
    NotFound,
    /// this path does not know the method; the Allow header lists those that it knows
    MethodNotAllowed,
    /// the body did not arrive within 15 seconds
    RequestTimeout,
    /// the request conflicts with the present state
    Conflict,
    /// an invoice that is PAID or CANCELLED cannot be amended
    InvoiceLocked,
    /// the account has an invoice with this number already
    DuplicateInvoiceNumber,
    /// the account's plan allows no more invoices this month
    PlanLimitReached,
    /// this Idempotency-Key was used before with another body; original_response is what it was answered
    IdempotencyKeyReused,
    /// a request with this Idempotency-Key is still being worked on; send it again after a short pause
    IdempotentReplayInFlight,
    /// this link is no longer valid
    Gone,
    /// the body is larger than 1 MiB
    PayloadTooLarge,
    /// send the body as application/json in UTF-8
    UnsupportedMediaType,
    /// the key's quota for this minute is used up; Retry-After says when to come back
    RateLimited,
    /// something failed on our side; try again, ideally with the same Idempotency-Key
    InternalError,
    /// the service cannot answer at the moment; try again, ideally with the same Idempotency-Key
    ServiceUnavailable,
}

impl ErrorCode {
    /// Every code, by status.
    pub const ALL: &[Self] = Self::VARIANTS;

    /// Whether operations of the API use this code. The other codes are used by pages only.
    #[must_use]
    pub const fn is_of_the_api(self) -> bool {
        !matches!(self, Self::CrossSiteRequest | Self::Gone)
    }

    /// The name in the body.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The status of the response.
    #[must_use]
    pub const fn status(self) -> StatusCode {
        match self {
            Self::ValidationError | Self::InvoiceNotCancellable => StatusCode::BAD_REQUEST,
            Self::Unauthenticated | Self::InvalidApiKey => StatusCode::UNAUTHORIZED,
            Self::AccountDisabled | Self::PartnerDisabled | Self::HttpsRequired | Self::CrossSiteRequest => {
                StatusCode::FORBIDDEN
            }
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
            Self::Conflict
            | Self::InvoiceLocked
            | Self::DuplicateInvoiceNumber
            | Self::PlanLimitReached
            | Self::IdempotencyKeyReused
            | Self::IdempotentReplayInFlight => StatusCode::CONFLICT,
            Self::Gone => StatusCode::GONE,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::ServiceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The message of errors without their own message.
    #[must_use]
    pub fn message(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// The challenge of a 401 (RFC 9110, section 11.6.1; RFC 6750, section 3).
    pub(crate) fn challenge(self) -> Option<HeaderValue> {
        let text = match self {
            Self::Unauthenticated => r#"Bearer realm="countinghouse""#,
            Self::InvalidApiKey => r#"Bearer realm="countinghouse", error="invalid_token""#,
            _ => return None,
        };
        Some(HeaderValue::from_static(text))
    }
}
