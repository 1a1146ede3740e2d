//! The login of an account's owner.

use access::{PasswordHash, SwitchedOffBy};
use kernel::{AccountId, EmailAddress};

use crate::second_factor::{SealedTotpSecret, SecondFactor};

/// The login of an account's owner, read with or without a lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    pub account: AccountId,
    pub email: EmailAddress,
    /// `None` until an invitation is accepted.
    pub password: Option<PasswordHash>,
    /// `None` while the second factor is off.
    pub second_factor: Option<SecondFactor>,
    /// A secret that was shown but is not confirmed by a code yet.
    pub proposed_secret: Option<SealedTotpSecret>,
}

/// A login with the data of its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginRecord {
    pub login: Login,
    pub owner: OwnerNames,
    /// Who switched the account off; `None` while it is on.
    pub switched_off_by: Option<SwitchedOffBy>,
}

/// The names with which mails address the owner of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerNames {
    pub company_name: String,
    pub first_name: Option<String>,
    pub last_name: Option<String>,
}
