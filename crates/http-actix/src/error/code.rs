//! The codes of refusals: their names, their statuses and their words, in one table.

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
    pub(crate) const ALL: [Self; 20] = [
        Self::ValidationError,
        Self::InvoiceNotCancellable,
        Self::Unauthenticated,
        Self::InvalidApiKey,
        Self::AccountDisabled,
        Self::PartnerDisabled,
        Self::HttpsRequired,
        Self::NotFound,
        Self::MethodNotAllowed,
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

    /// The name in the body, the status, and the message where a refusal has no words of its own.
    const fn facts(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::ValidationError => (
                "VALIDATION_ERROR",
                StatusCode::BAD_REQUEST,
                "the request is not valid; field_errors names each faulty field",
            ),
            Self::InvoiceNotCancellable => (
                "INVOICE_NOT_CANCELLABLE",
                StatusCode::BAD_REQUEST,
                "an invoice that is PAID or CANCELLED cannot be cancelled",
            ),
            Self::Unauthenticated => (
                "UNAUTHENTICATED",
                StatusCode::UNAUTHORIZED,
                "send your API key as `Authorization: Bearer <key>`",
            ),
            Self::InvalidApiKey => (
                "INVALID_API_KEY",
                StatusCode::UNAUTHORIZED,
                "the API key is not valid here",
            ),
            Self::AccountDisabled => (
                "ACCOUNT_DISABLED",
                StatusCode::FORBIDDEN,
                "the account was switched off by the partner that manages it",
            ),
            Self::PartnerDisabled => (
                "PARTNER_DISABLED",
                StatusCode::FORBIDDEN,
                "the partner was switched off by the operator of this service",
            ),
            Self::HttpsRequired => (
                "HTTPS_REQUIRED",
                StatusCode::FORBIDDEN,
                "requests are taken by HTTPS only",
            ),
            Self::NotFound => (
                "NOT_FOUND",
                StatusCode::NOT_FOUND,
                "there is nothing at this path",
            ),
            Self::MethodNotAllowed => (
                "METHOD_NOT_ALLOWED",
                StatusCode::METHOD_NOT_ALLOWED,
                "this path does not know the method; the Allow header lists those that it knows",
            ),
            Self::Conflict => (
                "CONFLICT",
                StatusCode::CONFLICT,
                "the request conflicts with the present state",
            ),
            Self::InvoiceLocked => (
                "INVOICE_LOCKED",
                StatusCode::CONFLICT,
                "an invoice that is PAID or CANCELLED cannot be amended",
            ),
            Self::DuplicateInvoiceNumber => (
                "DUPLICATE_INVOICE_NUMBER",
                StatusCode::CONFLICT,
                "the account has an invoice with this number already",
            ),
            Self::PlanLimitReached => (
                "PLAN_LIMIT_REACHED",
                StatusCode::CONFLICT,
                "the account's plan allows no more invoices this month",
            ),
            Self::IdempotencyKeyReused => (
                "IDEMPOTENCY_KEY_REUSED",
                StatusCode::CONFLICT,
                "this Idempotency-Key was used before with another body; original_response is what it was answered",
            ),
            Self::IdempotentReplayInFlight => (
                "IDEMPOTENT_REPLAY_IN_FLIGHT",
                StatusCode::CONFLICT,
                "a request with this Idempotency-Key is still being worked on; send it again after a short pause",
            ),
            Self::PayloadTooLarge => (
                "PAYLOAD_TOO_LARGE",
                StatusCode::PAYLOAD_TOO_LARGE,
                "the body is larger than 1 MiB",
            ),
            Self::UnsupportedMediaType => (
                "UNSUPPORTED_MEDIA_TYPE",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "send the body as application/json in UTF-8",
            ),
            Self::RateLimited => (
                "RATE_LIMITED",
                StatusCode::TOO_MANY_REQUESTS,
                "the key's quota for this minute is used up; Retry-After says when to come back",
            ),
            Self::InternalError => (
                "INTERNAL_ERROR",
                StatusCode::INTERNAL_SERVER_ERROR,
                "something failed on our side; try again, ideally with the same Idempotency-Key",
            ),
            Self::ServiceUnavailable => (
                "SERVICE_UNAVAILABLE",
                StatusCode::SERVICE_UNAVAILABLE,
                "the service cannot answer at the moment; try again, ideally with the same Idempotency-Key",
            ),
        }
    }

    /// The name in the body.
    pub(crate) const fn name(self) -> &'static str {
        self.facts().0
    }

    /// The answer's status.
    pub(crate) const fn status(self) -> StatusCode {
        self.facts().1
    }

    /// The message where a refusal has no words of its own.
    pub(crate) const fn message(self) -> &'static str {
        self.facts().2
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
