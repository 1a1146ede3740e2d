//! Errors that several pages share.

use http_server::ErrorCode;
use partner_accounts::OwnAccountError;

use crate::forms::PageError;

pub(crate) fn own_account_error(error: OwnAccountError) -> PageError {
    match error {
        OwnAccountError::NotFound => PageError::not_found(),
        changed @ OwnAccountError::Changed => PageError::refused(&changed),
        OwnAccountError::Store(error) => error.into(),
    }
}

/// The error of a form that names a button which no page has.
pub(super) fn unknown_button() -> PageError {
    PageError::new(ErrorCode::ValidationError, "There is no such button. Open the page again.")
}
