//! Signing in: e-mail address and password, then the code of the second factor if it is on.

use access::{Password, SwitchedOffBy};
use kernel::EmailAddress;
use time::OffsetDateTime;

use crate::audit::{Actor, AuditedChange};
use crate::login::LoginRecord;
use crate::logins::{InternalFailure, Logins, RightCode};
use crate::origin::Origin;
use crate::ports::SessionsTx;
use crate::security_email::SecurityNotice;
use crate::session::{NewSession, SessionRecord};
use crate::throttle::{AttemptOutcome, Wait};

/// The result of a sign-in with a password: a new session.
#[derive(Debug)]
pub enum SignedIn {
    Done(NewSession),
    /// The session waits for the code of the second factor.
    CodeNeeded(NewSession),
}

/// Why a sign-in fails.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// There is no such login, or the password or the code is wrong.
    #[error("this is not right")]
    Wrong,
    #[error("too many attempts failed")]
    Wait(Wait),
    #[error("the account was switched off by {0}")]
    AccountDisabled(SwitchedOffBy),
    #[error(transparent)]
    Failure(#[from] InternalFailure),
}

impl From<kernel::StoreError> for SignInError {
    fn from(error: kernel::StoreError) -> Self {
        Self::Failure(error.into())
    }
}

impl SignInError {
    pub(crate) const fn ended(&self) -> AttemptOutcome {
        match self {
            Self::Wrong => AttemptOutcome::Failed,
            _ => AttemptOutcome::Undecided,
        }
    }
}

impl Logins {
    /// Begins a session for the right e-mail address and password. An unknown e-mail address and a wrong
    /// password have the same result after the same time.
    pub async fn sign_in(
        &self,
        email: &str,
        password: &str,
        origin: &Origin,
    ) -> Result<SignedIn, SignInError> {
        let now = self.clock.now();
        let attempt = self.throttle.begin(email, origin.address, now).await.map_err(SignInError::Wait)?;
        let signed_in = self.check_and_begin(email, password, origin, now).await;
        let ended = match &signed_in {
            Ok(SignedIn::Done(_)) => AttemptOutcome::Succeeded,
            Ok(SignedIn::CodeNeeded(_)) => AttemptOutcome::Undecided,
            Err(error) => error.ended(),
        };
        self.throttle.end(attempt, ended, now).await;
        signed_in
    }

    async fn check_and_begin(
        &self,
        email: &str,
        password: &str,
        origin: &Origin,
        now: OffsetDateTime,
    ) -> Result<SignedIn, SignInError> {
        let email = EmailAddress::parse(email).ok();
        // If the password changes after the comparison and before the session begins, compare once more.
        for _ in 0..2 {
            let found = match &email {
                Some(email) => self.store.login_with_email(email).await?,
                None => None,
            };
            let login = found.as_ref().map(|found| &found.login);
            let is_right = self.is_password_of(login, password).await?;
            let found = found.filter(|_| is_right).ok_or(SignInError::Wrong)?;
            if let Some(by) = found.switched_off_by {
                return Err(SignInError::AccountDisabled(by));
            }
            if let Some(signed_in) = self.begin_checked(&found, password, origin, now).await? {
                return Ok(signed_in);
            }
        }
        Err(SignInError::Wrong)
    }

    /// Begins a session unless the login has another password meanwhile.
    async fn begin_checked(
        &self,
        found: &LoginRecord,
        password: &str,
        origin: &Origin,
        now: OffsetDateTime,
    ) -> Result<Option<SignedIn>, InternalFailure> {
        let checked = found.login.password.as_ref();
        let anew = match checked.filter(|hash| hash.is_outdated()) {
            Some(_) => Some(self.passwords.hash(Password::presented(password)).await?),
            None => None,
        };
        let account = found.login.account;
        let mut tx = self.store.begin(account).await?;
        let mut login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        if login_record.login.password.as_ref() != checked {
            return Ok(None);
        }
        if let Some(anew) = anew {
            login_record.login.password = Some(anew);
            tx.logins().update(&login_record.login).await?;
        }
        let awaits_code = login_record.login.second_factor.is_some();
        let new = self.begin_session(&mut *tx, account, origin, awaits_code, now).await?;
        if !awaits_code {
            self.record_browser(&mut *tx, &login_record, origin, now).await?;
        }
        tx.commit().await?;
        Ok(Some(if awaits_code { SignedIn::CodeNeeded(new) } else { SignedIn::Done(new) }))
    }

    /// Replaces a session that waits for a code with a complete one.
    pub async fn enter_code(
        &self,
        waiting: &SessionRecord,
        code: &str,
        origin: &Origin,
    ) -> Result<NewSession, SignInError> {
        if let Some(by) = waiting.switched_off_by {
            return Err(SignInError::AccountDisabled(by));
        }
        let now = self.clock.now();
        let attempt = self.throttle.begin(waiting.email.as_str(), origin.address, now).await;
        let attempt = attempt.map_err(SignInError::Wait)?;
        let entered = self.check_code_and_begin(waiting, code, origin, now).await;
        let ended = entered.as_ref().map_or_else(SignInError::ended, |_new| AttemptOutcome::Succeeded);
        self.throttle.end(attempt, ended, now).await;
        entered
    }

    async fn check_code_and_begin(
        &self,
        waiting: &SessionRecord,
        code: &str,
        origin: &Origin,
        now: OffsetDateTime,
    ) -> Result<NewSession, SignInError> {
        let account = waiting.session.account;
        let mut tx = self.store.begin(account).await?;
        let mut login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        // If the second factor was turned off meanwhile, the password that began the session is enough.
        if login_record.login.second_factor.is_some() {
            self.use_code_openly(&mut *tx, &mut login_record, code, origin, now).await?;
        }
        // The waiting session may have been ended meanwhile, by a new password or by the same code sent
        // twice.
        if !tx.logins().end_session(waiting.session.id).await? {
            return Err(SignInError::Wrong);
        }
        let new = self.begin_session(&mut *tx, account, origin, false, now).await?;
        self.record_browser(&mut *tx, &login_record, origin, now).await?;
        tx.commit().await?;
        Ok(new)
    }

    /// Uses up a code of the second factor. The use of a recovery code is in the audit log and mailed to the
    /// owner, wherever the code is entered, so that the owner notices the use of a stolen one.
    async fn use_code_openly(
        &self,
        tx: &mut dyn SessionsTx,
        login_record: &mut LoginRecord,
        code: &str,
        origin: &Origin,
        now: OffsetDateTime,
    ) -> Result<(), SignInError> {
        let right = self.use_code(tx, &mut login_record.login, code, now).await?;
        if right.ok_or(SignInError::Wrong)? == RightCode::Recovery {
            let actor = Actor::Owner(login_record.login.email.clone());
            let used = AuditedChange::of("recovery_code.used");
            self.audit(tx, login_record.login.account, (&actor, Some(origin)), used, now).await?;
            self.queue_notice(tx, login_record, SecurityNotice::RecoveryCodeUsed, Some(origin), now).await?;
        }
        Ok(())
    }

    /// Authenticates the owner again within a session, by the password or by a code. An empty password counts
    /// as none.
    pub async fn confirm(
        &self,
        session: &SessionRecord,
        password: &str,
        code: &str,
        origin: &Origin,
    ) -> Result<(), SignInError> {
        let now = self.clock.now();
        let attempt = self.throttle.begin(session.email.as_str(), origin.address, now).await;
        let attempt = attempt.map_err(SignInError::Wait)?;
        let confirmed = self.check_and_confirm(session, password, code, origin, now).await;
        let ended = confirmed.as_ref().map_or_else(SignInError::ended, |()| AttemptOutcome::Succeeded);
        self.throttle.end(attempt, ended, now).await;
        confirmed
    }

    async fn check_and_confirm(
        &self,
        session: &SessionRecord,
        password: &str,
        code: &str,
        origin: &Origin,
        now: OffsetDateTime,
    ) -> Result<(), SignInError> {
        let account = session.session.account;
        if !password.is_empty() {
            let found = self.store.login(account).await?;
            if !self.is_password_of(found.as_ref().map(|found| &found.login), password).await? {
                return Err(SignInError::Wrong);
            }
        }
        let mut tx = self.store.begin(account).await?;
        if password.is_empty() {
            let mut login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
            self.use_code_openly(&mut *tx, &mut login_record, code, origin, now).await?;
        }
        if !tx.logins().set_authenticated(session.session.id, now).await? {
            return Err(SignInError::Wrong);
        }
        tx.commit().await?;
        Ok(())
    }
}
