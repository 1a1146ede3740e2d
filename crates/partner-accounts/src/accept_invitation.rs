//! Accepting an invitation: its token and a new password activate the owner's login.

use access::{Password, PasswordError, PasswordFault};
use kernel::{AccountId, StoreError};

use crate::invitation::{InvitationRefused, InvitationToken};
use crate::logins::Logins;

/// Why an invitation is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptInvitationError {
    #[error("this is no invitation: open the link of the mail as it was sent")]
    Unknown,
    /// The invitation was accepted before or has expired.
    #[error(transparent)]
    Refused(#[from] InvitationRefused),
    #[error("the password {0}")]
    Password(#[from] PasswordFault),
    #[error(transparent)]
    Hash(#[from] PasswordError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Logins {
    /// Sets the password of the owner's login and marks the invitation as accepted, both or neither. Of two
    /// concurrent calls one succeeds. Returns the account of the login.
    ///
    /// # Errors
    /// An [`AcceptInvitationError`]; then nothing was changed, and the invitation can still be accepted if it
    /// could be before.
    pub async fn accept_invitation(
        &self,
        token: &InvitationToken,
        password: &str,
    ) -> Result<AccountId, AcceptInvitationError> {
        let found = self.store.invitation(&token.hash()).await?;
        let invitation = found.ok_or(AcceptInvitationError::Unknown)?;
        invitation.check(self.clock.now())?;
        // Hashing is expensive: it is done for nobody without a valid invitation, and outside any
        // transaction.
        let password = Password::choose(password)?;
        let hash = self.passwords.hash(password).await?;
        let now = self.clock.now();
        invitation.check(now)?;
        if self.store.accept(&invitation, &hash, now).await? {
            Ok(invitation.account)
        } else {
            Err(InvitationRefused::Used.into())
        }
    }
}

#[cfg(test)]
mod tests;
