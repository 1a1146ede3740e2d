//! Invitations: accepting one with a first password, requesting a new one, and inviting by the operator.

use access::SwitchedOffBy;
use kernel::{AccountId, AccountToken, Id, Operator};
use partner_accounts::{Invitation, InvitationRefused, InvitedOwner, invitation_mail};
use time::Duration;

use crate::audit::{Actor, AuditedChange};
use crate::login::LoginRecord;
use crate::logins::{InternalFailure, Logins};
use crate::origin::Origin;
use crate::password_rules::{PasswordRefused, check_new_password};
use crate::security_email::SecurityNotice;
use crate::sign_in::SignedIn;

/// The minimum time between two mails with a renewed invitation.
const RENEWED_EVERY: Duration = Duration::minutes(10);

/// Why an invitation is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum AcceptInvitationError {
    #[error("this is no invitation: open the link of the mail as it was sent")]
    Unknown,
    /// The invitation was accepted before, was withdrawn or has expired.
    #[error(transparent)]
    Refused(#[from] InvitationRefused),
    #[error("the account was switched off by {0}")]
    AccountDisabled(SwitchedOffBy),
    #[error(transparent)]
    Password(#[from] PasswordRefused),
    #[error(transparent)]
    Failure(#[from] InternalFailure),
}

impl From<kernel::StoreError> for AcceptInvitationError {
    fn from(error: kernel::StoreError) -> Self {
        Self::Failure(error.into())
    }
}

impl Logins {
    /// The login that an invitation is for.
    ///
    /// # Errors
    /// Why the invitation cannot be accepted.
    pub async fn invited(&self, token: &str) -> Result<(Invitation, LoginRecord), AcceptInvitationError> {
        let invitation = self.invitation(token).await?;
        invitation.check(self.clock.now())?;
        let login_record = self.store.login(invitation.account).await?;
        let login_record = login_record.ok_or(AcceptInvitationError::Unknown)?;
        match login_record.switched_off_by {
            Some(by) => Err(AcceptInvitationError::AccountDisabled(by)),
            None => Ok((invitation, login_record)),
        }
    }

    /// Sets the password of the owner's login, marks the invitation as used, ends every session and begins a
    /// new one, all or nothing. Failed attempts of the login are forgotten, and the owner is mailed if there
    /// was a password before. Of two concurrent calls one succeeds.
    ///
    /// # Errors
    /// An [`AcceptInvitationError`]; then nothing is changed, and the invitation remains as usable as before.
    pub async fn accept_invitation(
        &self,
        token: &str,
        password: &str,
        origin: &Origin,
    ) -> Result<SignedIn, AcceptInvitationError> {
        let (invitation, login_record) = self.invited(token).await?;
        // Hashing is expensive: it is done only for a valid invitation, and outside any transaction.
        let password =
            check_new_password(password, &login_record.owner.company_name, &login_record.login.email)?;
        let hash = self.passwords.hash(password).await.map_err(InternalFailure::from)?;
        let (account, now) = (invitation.account, self.clock.now());
        invitation.check(now)?;
        let mut tx = self.store.begin(account).await?;
        // Before the link, because another link of the login ends this one under the same lock.
        let mut login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        if !tx.logins().use_invitation(&invitation, now).await? {
            return Err(InvitationRefused::Used.into());
        }
        let had_password = login_record.login.password.is_some();
        self.set_password(&mut *tx, &mut login_record.login, hash, now).await?;
        if had_password {
            let changed = SecurityNotice::PasswordChanged;
            self.queue_notice(&mut *tx, &login_record, changed, Some(origin), now).await?;
        }
        let actor = Actor::Owner(login_record.login.email.clone());
        let set = AuditedChange::of("password.set");
        self.audit(&mut *tx, account, (&actor, Some(origin)), set, now).await?;
        let awaits_code = login_record.login.second_factor.is_some();
        let new = self.begin_session(&mut *tx, account, origin, awaits_code, now).await?;
        if !awaits_code {
            self.record_browser(&mut *tx, &login_record, origin, now).await?;
        }
        tx.commit().await?;
        self.throttle.reset(login_record.login.email.as_str()).await;
        Ok(if awaits_code { SignedIn::CodeNeeded(new) } else { SignedIn::Done(new) })
    }

    /// Mails a new invitation that replaces an expired one.
    ///
    /// # Errors
    /// [`AcceptInvitationError::Unknown`], and [`InvitationRefused::Used`] for a used invitation.
    pub async fn renew_invitation(&self, token: &str) -> Result<(), AcceptInvitationError> {
        let expired = self.invitation(token).await?;
        if expired.used_at.is_some() {
            return Err(InvitationRefused::Used.into());
        }
        let now = self.clock.now();
        let mut tx = self.store.begin(expired.account).await?;
        let login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        let last = tx.logins().last_invited_at().await?;
        if last.is_some_and(|last| now < last.saturating_add(RENEWED_EVERY)) {
            return Ok(());
        }
        let (invitation, token) = self.new_invitation(expired.account);
        let owner = invited_owner(&login_record);
        let id = Id::new(&*self.ids, now);
        let mail = invitation_mail(&owner, &invitation, &token, id, &self.keys, &*self.random);
        tx.logins().insert_invitation(&invitation).await?;
        tx.jobs().queue(mail.into_job()).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Invites the owner of an account, and withdraws the links that were made before. The operator passes on
    /// the token; no mail is sent.
    ///
    /// # Errors
    /// An [`InternalFailure`]: [`InternalFailure::NoLogin`] when there is no such account.
    pub async fn invite(
        &self,
        _operator: Operator,
        account: AccountId,
    ) -> Result<(Invitation, AccountToken), InternalFailure> {
        let now = self.clock.now();
        let mut tx = self.store.begin(account).await?;
        tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        tx.logins().end_links(now).await?;
        let (invitation, token) = self.new_invitation(account);
        tx.logins().insert_invitation(&invitation).await?;
        let invited = AuditedChange::of("account.invited");
        self.audit(&mut *tx, account, (&Actor::Operator, None), invited, now).await?;
        tx.commit().await?;
        Ok((invitation, token))
    }

    async fn invitation(&self, token: &str) -> Result<Invitation, AcceptInvitationError> {
        let token = AccountToken::parse(token).ok_or(AcceptInvitationError::Unknown)?;
        self.store.invitation(&token).await?.ok_or(AcceptInvitationError::Unknown)
    }

    fn new_invitation(&self, account: AccountId) -> (Invitation, AccountToken) {
        let now = self.clock.now();
        let token = AccountToken::generate(account, &*self.random);
        (Invitation::new(Id::new(&*self.ids, now), &token, now), token)
    }
}

fn invited_owner(login_record: &LoginRecord) -> InvitedOwner {
    let owner = login_record.owner.clone();
    InvitedOwner {
        account: login_record.login.account,
        email: login_record.login.email.clone(),
        company_name: owner.company_name,
        first_name: owner.first_name,
        last_name: owner.last_name,
    }
}
