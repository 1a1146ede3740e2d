//! Password resets, requested by mail.

use kernel::{AccountId, AccountToken, Id, TokenHash};
use time::{Duration, OffsetDateTime};

/// Marks ids of password resets.
pub enum PasswordResetEntity {}

pub type PasswordResetId = Id<PasswordResetEntity>;

/// The right to choose a new password once, with the token of a mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordReset {
    pub id: PasswordResetId,
    pub account: AccountId,
    pub token_hash: TokenHash,
    pub created_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    pub used_at: Option<OffsetDateTime>,
}

/// Why a password reset cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ResetRefused {
    #[error("this link was used already")]
    Used,
    #[error("this link has expired")]
    Expired,
}

impl PasswordReset {
    /// How long a reset can be used.
    pub const LASTS: Duration = Duration::HOUR;

    #[must_use]
    pub fn new(id: PasswordResetId, token: &AccountToken, now: OffsetDateTime) -> Self {
        Self {
            id,
            account: token.account(),
            token_hash: token.hash(),
            created_at: now,
            expires_at: now.saturating_add(Self::LASTS),
            used_at: None,
        }
    }

    /// Whether the reset can be used.
    ///
    /// # Errors
    /// Why the reset cannot be used.
    pub fn check(&self, now: OffsetDateTime) -> Result<(), ResetRefused> {
        if self.used_at.is_some() {
            Err(ResetRefused::Used)
        } else if now >= self.expires_at {
            Err(ResetRefused::Expired)
        } else {
            Ok(())
        }
    }
}
