//! What each refusal of the domain is called over HTTP.

use access::AccessError;
use contacts::{FindOrCreateError, LookUpError};
use escalations::ReadEscalationError;
use invoices::{
    AmendInvoiceError, AmendRefused, CancelInvoiceError, CreateInvoiceError, DocumentError,
    EmailTemplateError, ReadInvoiceError,
};
use kernel::StoreError;
use kernel::random::RandomnessUnavailable;
use partner_accounts::{
    AmendAccountError, LogoUnavailable, ProvisionError, ReadAccountError, RotateKeyError,
    WelcomeError,
};

use super::{ApiError, Code};

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Contended(_) | StoreError::Unavailable(_) => Code::ServiceUnavailable,
            StoreError::Inconsistent { .. } | StoreError::Failed(_) => Code::InternalError,
        };
        Self::failed(code, error)
    }
}

impl From<RandomnessUnavailable> for ApiError {
    fn from(error: RandomnessUnavailable) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<DocumentError> for ApiError {
    fn from(error: DocumentError) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<EmailTemplateError> for ApiError {
    fn from(error: EmailTemplateError) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        let code = match error {
            AccessError::Unauthenticated => Code::Unauthenticated,
            AccessError::InvalidKey => Code::InvalidApiKey,
            AccessError::AccountDisabled(_) => Code::AccountDisabled,
            AccessError::PartnerDisabled => Code::PartnerDisabled,
            AccessError::Store(error) => return error.into(),
        };
        Self::new(code, error.to_string())
    }
}

impl From<CreateInvoiceError> for ApiError {
    fn from(error: CreateInvoiceError) -> Self {
        let code = match error {
            CreateInvoiceError::Invalid(faults) => return Self::invalid(faults),
            CreateInvoiceError::Document(error) => return error.into(),
            CreateInvoiceError::Letter(error) => return error.into(),
            CreateInvoiceError::SecureRandom(error) => return error.into(),
            CreateInvoiceError::Store(error) => return error.into(),
            CreateInvoiceError::ContactNotFound => Code::NotFound,
            CreateInvoiceError::ContactConflict => Code::Conflict,
            CreateInvoiceError::DuplicateNumber => Code::DuplicateInvoiceNumber,
            CreateInvoiceError::PlanLimitReached(_) => Code::PlanLimitReached,
        };
        Self::new(code, error.to_string())
    }
}

impl From<AmendInvoiceError> for ApiError {
    fn from(error: AmendInvoiceError) -> Self {
        let code = match error {
            AmendInvoiceError::Invalid(faults) => return Self::invalid(faults),
            AmendInvoiceError::Document(error) => return error.into(),
            AmendInvoiceError::Letter(error) => return error.into(),
            AmendInvoiceError::Store(error) => return error.into(),
            AmendInvoiceError::Empty => Code::ValidationError,
            AmendInvoiceError::NotFound | AmendInvoiceError::ContactNotFound => Code::NotFound,
            AmendInvoiceError::ContactConflict => Code::Conflict,
            AmendInvoiceError::DuplicateNumber => Code::DuplicateInvoiceNumber,
            AmendInvoiceError::Refused(AmendRefused::Locked(_)) => Code::InvoiceLocked,
            AmendInvoiceError::Refused(
                AmendRefused::CannotUnissue
                | AmendRefused::DraftNotSent
                | AmendRefused::CurrencyFixed
                | AmendRefused::BelowPaid(_),
            ) => Code::Conflict,
        };
        Self::new(code, error.to_string())
    }
}

impl From<CancelInvoiceError> for ApiError {
    fn from(error: CancelInvoiceError) -> Self {
        let code = match error {
            CancelInvoiceError::NotFound => Code::NotFound,
            CancelInvoiceError::NotCancellable(_) => Code::InvoiceNotCancellable,
            CancelInvoiceError::Store(error) => return error.into(),
        };
        Self::new(code, error.to_string())
    }
}

impl From<ReadInvoiceError> for ApiError {
    fn from(error: ReadInvoiceError) -> Self {
        match error {
            ReadInvoiceError::NotFound => Self::new(Code::NotFound, error.to_string()),
            ReadInvoiceError::Store(error) => error.into(),
        }
    }
}

impl From<FindOrCreateError> for ApiError {
    fn from(error: FindOrCreateError) -> Self {
        let code = match error {
            FindOrCreateError::Invalid(faults) => return Self::invalid(faults),
            FindOrCreateError::Store(error) => return error.into(),
            FindOrCreateError::NotFound => Code::NotFound,
            FindOrCreateError::Conflict => Code::Conflict,
        };
        Self::new(code, error.to_string())
    }
}

impl From<LookUpError> for ApiError {
    fn from(error: LookUpError) -> Self {
        match error {
            LookUpError::Invalid(faults) => Self::invalid(faults),
            LookUpError::NotFound => Self::new(Code::NotFound, error.to_string()),
            LookUpError::Store(error) => error.into(),
        }
    }
}

impl From<ReadEscalationError> for ApiError {
    fn from(error: ReadEscalationError) -> Self {
        match error {
            ReadEscalationError::NotFound => Self::new(Code::NotFound, error.to_string()),
            ReadEscalationError::Store(error) => error.into(),
        }
    }
}

impl From<ProvisionError> for ApiError {
    fn from(error: ProvisionError) -> Self {
        match error {
            ProvisionError::Invalid(faults) => Self::invalid(faults),
            ProvisionError::EmailTaken => Self::new(Code::Conflict, error.to_string()),
            ProvisionError::Welcome(error) => error.into(),
            ProvisionError::Logo(error) => error.into(),
            ProvisionError::SecureRandom(error) => error.into(),
            ProvisionError::Store(error) => error.into(),
        }
    }
}

impl From<WelcomeError> for ApiError {
    fn from(error: WelcomeError) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<LogoUnavailable> for ApiError {
    fn from(error: LogoUnavailable) -> Self {
        match error {
            LogoUnavailable::SecureRandom(error) => error.into(),
            LogoUnavailable::Store(error) => error.into(),
            error => Self::failed(Code::InternalError, error),
        }
    }
}

impl From<AmendAccountError> for ApiError {
    fn from(error: AmendAccountError) -> Self {
        let code = match error {
            AmendAccountError::Invalid(faults) => return Self::invalid(faults),
            AmendAccountError::Logo(error) => return error.into(),
            AmendAccountError::SecureRandom(error) => return error.into(),
            AmendAccountError::Store(error) => return error.into(),
            AmendAccountError::Empty => Code::ValidationError,
            AmendAccountError::NotFound => Code::NotFound,
            AmendAccountError::ExternalIdTaken
            | AmendAccountError::SwitchedOffByOperator(_)
            | AmendAccountError::TooManyEnabled
            | AmendAccountError::TooManyEndpoints => Code::Conflict,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ReadAccountError> for ApiError {
    fn from(error: ReadAccountError) -> Self {
        match error {
            ReadAccountError::NotFound => Self::new(Code::NotFound, error.to_string()),
            ReadAccountError::Store(error) => error.into(),
        }
    }
}

impl From<RotateKeyError> for ApiError {
    fn from(error: RotateKeyError) -> Self {
        match error {
            RotateKeyError::NotFound => Self::new(Code::NotFound, error.to_string()),
            RotateKeyError::SecureRandom(error) => error.into(),
            RotateKeyError::Store(error) => error.into(),
        }
    }
}
