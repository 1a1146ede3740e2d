//! What each refusal of the domain is called over HTTP.

use access::AccessError;
use contacts::{FindOrCreateError, LookUpError};
use escalations::ReadEscalationError;
use invoices::{
    AmendInvoiceError, AmendRefused, CancelInvoiceError, CreateInvoiceError, DocumentError,
    LetterError, ReadInvoiceError,
};
use kernel::StoreError;
use kernel::chance::NoChance;
use partner_accounts::{
    AmendAccountError, LogoUnavailable, ProvisionError, ReadAccountError, RotateKeyError,
    WelcomeError,
};

use super::{Code, Refusal};

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Contended(_) | StoreError::Unavailable(_) => Code::ServiceUnavailable,
            StoreError::Inconsistent { .. } | StoreError::Failed(_) => Code::InternalError,
        };
        Self::failed(code, error)
    }
}

impl From<NoChance> for Refusal {
    fn from(error: NoChance) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<DocumentError> for Refusal {
    fn from(error: DocumentError) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<LetterError> for Refusal {
    fn from(error: LetterError) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<AccessError> for Refusal {
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

impl From<CreateInvoiceError> for Refusal {
    fn from(error: CreateInvoiceError) -> Self {
        let code = match error {
            CreateInvoiceError::Invalid(faults) => return Self::invalid(faults),
            CreateInvoiceError::Document(error) => return error.into(),
            CreateInvoiceError::Letter(error) => return error.into(),
            CreateInvoiceError::Chance(error) => return error.into(),
            CreateInvoiceError::Store(error) => return error.into(),
            CreateInvoiceError::ContactNotFound => Code::NotFound,
            CreateInvoiceError::ContactConflict => Code::Conflict,
            CreateInvoiceError::DuplicateNumber => Code::DuplicateInvoiceNumber,
            CreateInvoiceError::PlanLimitReached(_) => Code::PlanLimitReached,
        };
        Self::new(code, error.to_string())
    }
}

impl From<AmendInvoiceError> for Refusal {
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

impl From<CancelInvoiceError> for Refusal {
    fn from(error: CancelInvoiceError) -> Self {
        let code = match error {
            CancelInvoiceError::NotFound => Code::NotFound,
            CancelInvoiceError::NotCancellable(_) => Code::InvoiceNotCancellable,
            CancelInvoiceError::Store(error) => return error.into(),
        };
        Self::new(code, error.to_string())
    }
}

impl From<ReadInvoiceError> for Refusal {
    fn from(error: ReadInvoiceError) -> Self {
        match error {
            ReadInvoiceError::NotFound => Self::new(Code::NotFound, error.to_string()),
            ReadInvoiceError::Store(error) => error.into(),
        }
    }
}

impl From<FindOrCreateError> for Refusal {
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

impl From<LookUpError> for Refusal {
    fn from(error: LookUpError) -> Self {
        match error {
            LookUpError::Invalid(faults) => Self::invalid(faults),
            LookUpError::NotFound => Self::new(Code::NotFound, error.to_string()),
            LookUpError::Store(error) => error.into(),
        }
    }
}

impl From<ReadEscalationError> for Refusal {
    fn from(error: ReadEscalationError) -> Self {
        match error {
            ReadEscalationError::NotFound => Self::new(Code::NotFound, error.to_string()),
            ReadEscalationError::Store(error) => error.into(),
        }
    }
}

impl From<ProvisionError> for Refusal {
    fn from(error: ProvisionError) -> Self {
        match error {
            ProvisionError::Invalid(faults) => Self::invalid(faults),
            ProvisionError::EmailTaken => Self::new(Code::Conflict, error.to_string()),
            ProvisionError::Welcome(error) => error.into(),
            ProvisionError::Logo(error) => error.into(),
            ProvisionError::Chance(error) => error.into(),
            ProvisionError::Store(error) => error.into(),
        }
    }
}

impl From<WelcomeError> for Refusal {
    fn from(error: WelcomeError) -> Self {
        Self::failed(Code::InternalError, error)
    }
}

impl From<LogoUnavailable> for Refusal {
    fn from(error: LogoUnavailable) -> Self {
        match error {
            LogoUnavailable::Chance(error) => error.into(),
            LogoUnavailable::Store(error) => error.into(),
            error => Self::failed(Code::InternalError, error),
        }
    }
}

impl From<AmendAccountError> for Refusal {
    fn from(error: AmendAccountError) -> Self {
        let code = match error {
            AmendAccountError::Invalid(faults) => return Self::invalid(faults),
            AmendAccountError::Logo(error) => return error.into(),
            AmendAccountError::Chance(error) => return error.into(),
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

impl From<ReadAccountError> for Refusal {
    fn from(error: ReadAccountError) -> Self {
        match error {
            ReadAccountError::NotFound => Self::new(Code::NotFound, error.to_string()),
            ReadAccountError::Store(error) => error.into(),
        }
    }
}

impl From<RotateKeyError> for Refusal {
    fn from(error: RotateKeyError) -> Self {
        match error {
            RotateKeyError::NotFound => Self::new(Code::NotFound, error.to_string()),
            RotateKeyError::Chance(error) => error.into(),
            RotateKeyError::Store(error) => error.into(),
        }
    }
}
