//! The codes of refusals: their names, their statuses and their words, in one place.

use actix_web::http::StatusCode;
use actix_web::http::header::HeaderValue;

/// A stable code of the contract ("Errors") or of the decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Code {
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

impl Code {
    /// Every code, by status.
    pub(crate) const ALL: [Self; 21] = [
        Self::ValidationError,
        Self::InvoiceNotCancellable,
        Self::Unauthenticated,
        Self::InvalidApiKey,
        Self::AccountDisabled,
        Self::PartnerDisabled,
        Self::HttpsRequired,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::RequestTimeout,
        Self::Conflict,
        Self::InvoiceLocked,
        Self::DuplicateInvoiceNumber,
        Self::PlanLimitReached,
        Self::IdempotencyKeyReused,
        Self::IdempotentReplayInFlight,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::RateLimited,
        Self::InternalError,
        Self::ServiceUnavailable,
    ];

    /// The name in the body.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ValidationError => "VALIDATION_ERROR",
            Self::InvoiceNotCancellable => "INVOICE_NOT_CANCELLABLE",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::InvalidApiKey => "INVALID_API_KEY",
            Self::AccountDisabled => "ACCOUNT_DISABLED",
            Self::PartnerDisabled => "PARTNER_DISABLED",
            Self::HttpsRequired => "HTTPS_REQUIRED",
            Self::NotFound => "NOT_FOUND",
            Self::MethodNotAllowed => "METHOD_NOT_ALLOWED",
            Self::RequestTimeout => "REQUEST_TIMEOUT",
            Self::Conflict => "CONFLICT",
            Self::InvoiceLocked => "INVOICE_LOCKED",
            Self::DuplicateInvoiceNumber => "DUPLICATE_INVOICE_NUMBER",
            Self::PlanLimitReached => "PLAN_LIMIT_REACHED",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::IdempotentReplayInFlight => "IDEMPOTENT_REPLAY_IN_FLIGHT",
            Self::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
            Self::UnsupportedMediaType => "UNSUPPORTED_MEDIA_TYPE",
            Self::RateLimited => "RATE_LIMITED",
            Self::InternalError => "INTERNAL_ERROR",
            Self::ServiceUnavailable => "SERVICE_UNAVAILABLE",
        }
    }

    /// The answer's status.
    pub(crate) const fn status(self) -> StatusCode {
        match self {
            Self::ValidationError | Self::InvoiceNotCancellable => StatusCode::BAD_REQUEST,
            Self::Unauthenticated | Self::InvalidApiKey => StatusCode::UNAUTHORIZED,
            Self::AccountDisabled | Self::PartnerDisabled | Self::HttpsRequired => {
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
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::ServiceUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The message where a refusal has no words of its own.
    pub(crate) const fn message(self) -> &'static str {
        match self {
            Self::ValidationError => {
                "the request is not valid; field_errors names each faulty field"
            }
            Self::InvoiceNotCancellable => {
                "an invoice that is PAID or CANCELLED cannot be cancelled"
            }
            Self::Unauthenticated => "send your API key as `Authorization: Bearer <key>`",
            Self::InvalidApiKey => "the API key is not valid here",
            Self::AccountDisabled => "the account was switched off by the partner that manages it",
            Self::PartnerDisabled => "the partner was switched off by the operator of this service",
            Self::HttpsRequired => "requests are taken by HTTPS only",
            Self::NotFound => "there is nothing at this path",
            Self::MethodNotAllowed => {
                "this path does not know the method; the Allow header lists those that it knows"
            }
            Self::RequestTimeout => "the body did not arrive within 15 seconds",
            Self::Conflict => "the request conflicts with the present state",
            Self::InvoiceLocked => "an invoice that is PAID or CANCELLED cannot be amended",
            Self::DuplicateInvoiceNumber => "the account has an invoice with this number already",
            Self::PlanLimitReached => "the account's plan allows no more invoices this month",
            Self::IdempotencyKeyReused => {
                "this Idempotency-Key was used before with another body; original_response is what it was answered"
            }
            Self::IdempotentReplayInFlight => {
                "a request with this Idempotency-Key is still being worked on; send it again after a short pause"
            }
            Self::PayloadTooLarge => "the body is larger than 1 MiB",
            Self::UnsupportedMediaType => "send the body as application/json in UTF-8",
            Self::RateLimited => {
                "the key's quota for this minute is used up; Retry-After says when to come back"
            }
            Self::InternalError => {
                "something failed on our side; try again, ideally with the same Idempotency-Key"
            }
            Self::ServiceUnavailable => {
                "the service cannot answer at the moment; try again, ideally with the same Idempotency-Key"
            }
        }
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
}
