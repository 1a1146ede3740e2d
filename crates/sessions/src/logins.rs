//! The service with the use cases of logins as methods, and the steps that they share.

use std::sync::Arc;

use access::{Password, PasswordError, PasswordHash, Passwords};
use kernel::{AccountId, AccountToken, Clock, Id, Ids, SealingKeys, SecureRandom, StoreError, Unsealable};
use time::OffsetDateTime;

use crate::audit::{Actor, AuditedChange, entry};
use crate::login::{Login, LoginRecord};
use crate::origin::Origin;
use crate::ports::{BrowserSeen, SessionsStore, SessionsTx};
use crate::recovery_code::RecoveryCode;
use crate::security_email::{SecurityNotice, security_mail};
use crate::session::{NewSession, Session, SessionRecord};
use crate::throttle::Throttle;

/// The use cases of logins, over their ports.
#[derive(Clone)]
pub struct Logins {
    pub store: Arc<dyn SessionsStore>,
    pub passwords: Arc<dyn Passwords>,
    pub throttle: Throttle,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    pub random: Arc<dyn SecureRandom>,
    /// Seals the secrets of second factors and the tokens in mails.
    pub keys: Arc<SealingKeys>,
}

/// A failure that the caller did not cause.
#[derive(Debug, thiserror::Error)]
pub enum InternalFailure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Hash(#[from] PasswordError),
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    #[error("the login is not there")]
    NoLogin,
    /// The caller's session ended after the request began: by a new password, or from another session.
    #[error("the session has ended")]
    SessionEnded,
}

/// Which code of the second factor was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RightCode {
    OfAuthenticator,
    Recovery,
}

impl Logins {
    /// Whether a password is the login's. Takes equally long without a login.
    pub(crate) async fn is_password_of(
        &self,
        login: Option<&Login>,
        password: &str,
    ) -> Result<bool, InternalFailure> {
        let own = login.and_then(|login| login.password.as_ref());
        let hash = own.cloned().unwrap_or_else(PasswordHash::of_no_login);
        let matches = self.passwords.matches(Password::presented(password), hash).await?;
        Ok(matches && own.is_some())
    }

    /// Locks the login of an owner who is signed in. The session may have ended since it was read: by a new
    /// password or from another session, which lock the login too, or by signing out, which does not.
    ///
    /// # Errors
    /// [`InternalFailure::SessionEnded`] if it has.
    pub(crate) async fn lock_signed_in(
        &self,
        tx: &mut dyn SessionsTx,
        session_record: &SessionRecord,
    ) -> Result<LoginRecord, InternalFailure> {
        let login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        if tx.logins().has_session(session_record.session.id).await? {
            Ok(login_record)
        } else {
            Err(InternalFailure::SessionEnded)
        }
    }

    /// Sets the password of a locked login, and ends every session and every mailed link.
    pub(crate) async fn set_password(
        &self,
        tx: &mut dyn SessionsTx,
        login: &mut Login,
        hash: PasswordHash,
        now: OffsetDateTime,
    ) -> Result<(), InternalFailure> {
        login.password = Some(hash);
        tx.logins().update(login).await?;
        tx.logins().end_links(now).await?;
        tx.logins().end_sessions(None).await?;
        Ok(())
    }

    /// Uses up a code of the second factor: of the authenticator, or a recovery code.
    pub(crate) async fn use_code(
        &self,
        tx: &mut dyn SessionsTx,
        login: &mut Login,
        code: &str,
        now: OffsetDateTime,
    ) -> Result<Option<RightCode>, InternalFailure> {
        let Some(factor) = &mut login.second_factor else {
            return Ok(None);
        };
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let secret = factor.secret.open(&self.keys, login.account)?;
        if let Some(step) = secret.step_of(&digits, Some(factor.last_step), now) {
            factor.last_step = step;
            tx.logins().update(login).await?;
            return Ok(Some(RightCode::OfAuthenticator));
        }
        let Some(code) = RecoveryCode::parse(code) else {
            return Ok(None);
        };
        let is_taken = tx.logins().take_recovery_code(&code.hash(login.account)).await?;
        Ok(is_taken.then_some(RightCode::Recovery))
    }

    /// Begins a session. If the login has a second factor, the session still waits for a code.
    pub(crate) async fn begin_session(
        &self,
        tx: &mut dyn SessionsTx,
        account: AccountId,
        origin: &Origin,
        awaits_code: bool,
        now: OffsetDateTime,
    ) -> Result<NewSession, InternalFailure> {
        let token = AccountToken::generate(account, &*self.random);
        let id = Id::new(&*self.ids, now);
        let session = Session::begin(id, &token, origin.clone(), awaits_code, now);
        tx.logins().insert_session(&session).await?;
        Ok(NewSession { session, token })
    }

    /// Records the browser, and mails the owner if the login was used before, but only with other browsers.
    pub(crate) async fn record_browser(
        &self,
        tx: &mut dyn SessionsTx,
        login_record: &LoginRecord,
        origin: &Origin,
        now: OffsetDateTime,
    ) -> Result<(), InternalFailure> {
        match tx.logins().record_browser(&origin.browser, now).await? {
            BrowserSeen::New => {
                self.queue_notice(tx, login_record, SecurityNotice::NewBrowser, Some(origin), now).await
            }
            BrowserSeen::Before | BrowserSeen::First => Ok(()),
        }
    }

    /// Queues a mail to the owner.
    pub(crate) async fn queue_notice(
        &self,
        tx: &mut dyn SessionsTx,
        login_record: &LoginRecord,
        notice: SecurityNotice,
        origin: Option<&Origin>,
        now: OffsetDateTime,
    ) -> Result<(), InternalFailure> {
        let mail = security_mail(login_record, notice, origin, Id::new(&*self.ids, now), now);
        tx.jobs().queue(mail.into_job()).await?;
        Ok(())
    }

    /// Adds an audit entry to a transaction.
    pub(crate) async fn audit(
        &self,
        tx: &mut dyn SessionsTx,
        account: AccountId,
        by: (&Actor, Option<&Origin>),
        change: AuditedChange,
        now: OffsetDateTime,
    ) -> Result<(), InternalFailure> {
        let (actor, origin) = by;
        let address = origin.map(|origin| origin.address);
        let entry = entry(&*self.ids, now, account, actor, address, change);
        tx.audit().record(&entry).await?;
        Ok(())
    }
}
