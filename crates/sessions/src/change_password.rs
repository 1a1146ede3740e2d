//! New passwords: set by an owner who is signed in, or with the link of a mail.

use access::SwitchedOffBy;
use kernel::AccountToken;

use crate::audit::{Actor, AuditedChange};
use crate::login::LoginRecord;
use crate::logins::{InternalFailure, Logins};
use crate::origin::Origin;
use crate::password_reset::{PasswordReset, ResetRefused};
use crate::password_rules::{PasswordRefused, check_new_password};
use crate::security_email::SecurityNotice;
use crate::session::{NewSession, SessionRecord};

/// Why a password is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    #[error(transparent)]
    Password(#[from] PasswordRefused),
    #[error(transparent)]
    Failure(#[from] InternalFailure),
}

/// Why a password is not reset.
#[derive(Debug, thiserror::Error)]
pub enum ResetPasswordError {
    #[error("this link leads nowhere: open the link of the mail as it was sent")]
    Unknown,
    #[error(transparent)]
    Refused(#[from] ResetRefused),
    #[error("the account was switched off by {0}")]
    AccountDisabled(SwitchedOffBy),
    #[error(transparent)]
    Password(#[from] PasswordRefused),
    #[error(transparent)]
    Failure(#[from] InternalFailure),
}

impl From<kernel::StoreError> for ResetPasswordError {
    fn from(error: kernel::StoreError) -> Self {
        Self::Failure(error.into())
    }
}

impl From<kernel::StoreError> for ChangePasswordError {
    fn from(error: kernel::StoreError) -> Self {
        Self::Failure(error.into())
    }
}

impl Logins {
    /// Changes the password, ends every session and every mailed link, and begins a new session for this
    /// browser.
    pub async fn change_password(
        &self,
        session: &SessionRecord,
        password: &str,
        origin: &Origin,
    ) -> Result<NewSession, ChangePasswordError> {
        let password = check_new_password(password, &session.company_name, &session.email)?;
        let hash = self.passwords.hash(password).await.map_err(InternalFailure::from)?;
        let (account, now) = (session.session.account, self.clock.now());
        let mut tx = self.store.begin(account).await?;
        let mut login_record = self.lock_signed_in(&mut *tx, session).await?;
        self.set_password(&mut *tx, &mut login_record.login, hash, now).await?;
        let actor = Actor::Owner(session.email.clone());
        let changed = AuditedChange::of("password.changed");
        self.audit(&mut *tx, account, (&actor, Some(origin)), changed, now).await?;
        self.queue_notice(&mut *tx, &login_record, SecurityNotice::PasswordChanged, Some(origin), now)
            .await?;
        let new = self.begin_session(&mut *tx, account, origin, false, now).await?;
        tx.commit().await.map_err(InternalFailure::from)?;
        Ok(new)
    }

    /// The login for which a token can be used to choose a new password.
    ///
    /// # Errors
    /// Why the token cannot be used.
    pub async fn find_reset(&self, token: &str) -> Result<(PasswordReset, LoginRecord), ResetPasswordError> {
        let token = AccountToken::parse(token).ok_or(ResetPasswordError::Unknown)?;
        let found = self.store.password_reset(&token).await?;
        let reset = found.ok_or(ResetPasswordError::Unknown)?;
        reset.check(self.clock.now())?;
        let login_record = self.store.login(reset.account).await?.ok_or(ResetPasswordError::Unknown)?;
        match login_record.switched_off_by {
            Some(by) => Err(ResetPasswordError::AccountDisabled(by)),
            None => Ok((reset, login_record)),
        }
    }

    /// Sets a new password with the token of a mail, which works once. Every session ends; the second factor
    /// stays. Failed attempts of the login are forgotten.
    pub async fn reset_password(
        &self,
        token: &str,
        password: &str,
        origin: &Origin,
    ) -> Result<(), ResetPasswordError> {
        let (reset, login_record) = self.find_reset(token).await?;
        let password =
            check_new_password(password, &login_record.owner.company_name, &login_record.login.email)?;
        let hash = self.passwords.hash(password).await.map_err(InternalFailure::from)?;
        let now = self.clock.now();
        reset.check(now)?;
        let mut tx = self.store.begin(reset.account).await?;
        // Before the link, because another link of the login ends this one under the same lock.
        let mut login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        if !tx.logins().use_reset(&reset, now).await? {
            return Err(ResetRefused::Used.into());
        }
        self.set_password(&mut *tx, &mut login_record.login, hash, now).await?;
        let actor = Actor::Owner(login_record.login.email.clone());
        let changed = AuditedChange::of("password.reset");
        self.audit(&mut *tx, reset.account, (&actor, Some(origin)), changed, now).await?;
        self.queue_notice(&mut *tx, &login_record, SecurityNotice::PasswordChanged, Some(origin), now)
            .await?;
        tx.commit().await?;
        self.throttle.reset(login_record.login.email.as_str()).await;
        Ok(())
    }
}
