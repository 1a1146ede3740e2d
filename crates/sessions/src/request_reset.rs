//! Requests for a new password by mail. A request is stored for any e-mail address; whether a login has it is
//! looked up after the response, so that neither the response nor its time reveals it.

use kernel::{AccountToken, EmailAddress, Id, StoreResult};
use time::Duration;

use crate::logins::{InternalFailure, Logins};
use crate::origin::Origin;
use crate::password_reset::PasswordReset;
use crate::reset_request::ResetRequest;
use crate::security_email::reset_mail;
use crate::throttle::Wait;

/// The maximum number of resets that are mailed to one login within [`RESETS_WITHIN`].
const MAX_RESETS: u64 = 5;
const RESETS_WITHIN: Duration = Duration::HOUR;

/// A request older than this was left over by a process that ended.
const LEFT_OVER_AFTER: Duration = Duration::MINUTE;
/// A request older than this is removed without being carried out.
const GIVEN_UP_AFTER: Duration = Duration::HOUR;
/// The maximum number of left-over requests that are carried out in one round.
const MAX_LEFT_OVER: u32 = 100;

impl Logins {
    /// Whether a client address may request a password reset now.
    ///
    /// # Errors
    /// How long to wait.
    pub async fn may_request_reset(&self, origin: &Origin) -> Result<(), Wait> {
        self.throttle.request_reset(origin.address, self.clock.now()).await
    }

    /// Stores a request for a password reset. [`Logins::carry_out_request`] carries it out, or
    /// [`Logins::carry_out_left_over_requests`] if the process ends before that.
    ///
    /// # Errors
    /// An error of the store; then nothing is stored.
    pub async fn request_reset(&self, email: EmailAddress) -> StoreResult<ResetRequest> {
        let now = self.clock.now();
        let request = ResetRequest { id: Id::new(&*self.ids, now), email, requested_at: now };
        self.store.insert_reset_request(&request).await?;
        Ok(request)
    }

    /// Mails a password reset to the login with the request's e-mail address, if there is one, and removes
    /// the request. Not idempotent: a second call may mail again.
    ///
    /// # Errors
    /// An [`InternalFailure`]; then the request stays stored.
    pub async fn carry_out_request(&self, request: &ResetRequest) -> Result<(), InternalFailure> {
        if let Some(found) = self.store.login_with_email(&request.email).await? {
            let (account, now) = (found.login.account, self.clock.now());
            let mut tx = self.store.begin(account).await?;
            let login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
            if tx.logins().resets_since(now.saturating_sub(RESETS_WITHIN)).await? < MAX_RESETS {
                let token = AccountToken::generate(account, &*self.random);
                let reset = PasswordReset::new(Id::new(&*self.ids, now), &token, now);
                let id = Id::new(&*self.ids, now);
                let mail = reset_mail(&login_record, &reset, &token, id, &self.keys, &*self.random);
                tx.logins().insert_reset(&reset).await?;
                tx.jobs().queue(mail.into_job()).await?;
                tx.commit().await?;
            }
        }
        Ok(self.store.remove_reset_request(request.id).await?)
    }

    /// Carries out the requests that were left over because a process ended. Returns how many. A request that
    /// fails is retried in the next rounds, for an hour; an older one is removed.
    ///
    /// # Errors
    /// An error of the store when the requests cannot be read.
    pub async fn carry_out_left_over_requests(&self) -> StoreResult<usize> {
        let now = self.clock.now();
        let left_over = self.store.reset_requests(now.saturating_sub(LEFT_OVER_AFTER), MAX_LEFT_OVER).await?;
        let mut carried_out = 0_usize;
        for request in &left_over {
            if request.requested_at <= now.saturating_sub(GIVEN_UP_AFTER) {
                tracing::warn!(request = %request.id, "a request for a password reset is too old and is removed");
                self.store.remove_reset_request(request.id).await?;
                continue;
            }
            match self.carry_out_request(request).await {
                Ok(()) => carried_out = carried_out.saturating_add(1),
                Err(error) => {
                    tracing::warn!(request = %request.id, error = %error, "a password reset was not mailed");
                }
            }
        }
        Ok(carried_out)
    }
}
