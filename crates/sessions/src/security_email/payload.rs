//! The payloads of mails about a login.

use serde::{Deserialize, Serialize};

/// A notice about a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecurityNotice {
    NewBrowser,
    PasswordChanged,
    SecondFactorOn,
    SecondFactorOff,
    RecoveryCodeUsed,
    RecoveryCodesReplaced,
}

#[derive(Serialize, Deserialize)]
pub(super) struct NoticePayload {
    pub(super) notice: SecurityNotice,
    pub(super) company_name: String,
    pub(super) first_name: Option<String>,
    /// In microseconds since 1970.
    pub(super) at: i64,
    /// `None` when the operator made the change.
    pub(super) browser: Option<String>,
    pub(super) address: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub(super) struct ResetPayload {
    pub(super) company_name: String,
    pub(super) first_name: Option<String>,
    /// In microseconds since 1970.
    pub(super) expires_at: i64,
    pub(super) sealed_token: String,
}

impl SecurityNotice {
    /// A title, and the beginning of a sentence that ends with the company's name.
    pub(super) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::NewBrowser => ("Sign-in from a new browser", "A new browser was used to sign in to"),
            Self::PasswordChanged => ("Your password was changed", "The password was changed for"),
            Self::SecondFactorOn => {
                ("Two-step sign-in was turned on", "A code is now also needed to sign in to")
            }
            Self::SecondFactorOff => {
                ("Two-step sign-in was turned off", "A code is no longer needed to sign in to")
            }
            Self::RecoveryCodeUsed => {
                ("A recovery code was used", "A recovery code was used instead of an authenticator for")
            }
            Self::RecoveryCodesReplaced => {
                ("New recovery codes were created", "Earlier recovery codes no longer work for")
            }
        }
    }

    /// What an owner who did not do this must do besides choosing a new password.
    pub(super) const fn further_advice(self) -> &'static str {
        match self {
            Self::SecondFactorOn => {
                " It does not turn two-step sign-in off: if you get no further than the code, ask the operator \
                 of this service to turn it off."
            }
            _ => "",
        }
    }
}
