//! Asking for a new password by mail. The request is stored for any e-mail address; whether a login has it is
//! looked up behind the answer, so that neither the answer nor its time tells.

use kernel::{EmailAddress, Id, StoreError};
use time::Duration;

use crate::logins::{Failure, Logins};
use crate::origin::Origin;
use crate::password_reset::PasswordReset;
use crate::reset_request::ResetRequest;
use crate::security_email::reset_mail;
use crate::throttle::Wait;
use crate::token::AccountToken;

/// How many resets of one login are mailed within [`RESETS_WITHIN`].
const MOST_RESETS: u64 = 5;
const RESETS_WITHIN: Duration = Duration::HOUR;

/// After this time a request was left over by a process that ended.
const LEFT_OVER_AFTER: Duration = Duration::MINUTE;
/// After this time a request that cannot be answered is given up.
const GIVEN_UP_AFTER: Duration = Duration::HOUR;
/// How many left over requests are answered in one round.
const MOST_LEFT_OVER: u32 = 100;

impl Logins {
    /// Whether an address may ask for a password reset now.
    ///
    /// # Errors
    /// How long to wait.
    pub async fn may_request_reset(&self, origin: &Origin) -> Result<(), Wait> {
        self.throttle.request_reset(origin.address, self.clock.now()).await
    }

    /// Stores a request for a password reset. [`Logins::answer_request`] answers it; where the process ends
    /// before that, [`Logins::answer_left_over_requests`] does.
    ///
    /// # Errors
    /// The store's; then nothing was stored.
    pub async fn request_reset(&self, email: EmailAddress) -> Result<ResetRequest, StoreError> {
        let now = self.clock.now();
        let request = ResetRequest { id: Id::new(&*self.ids, now), email, requested_at: now };
        self.store.insert_reset_request(&request).await?;
        Ok(request)
    }

    /// Mails a password reset to the login with the e-mail address of a request, if there is one, and removes
    /// the request. Doing it twice may mail twice.
    ///
    /// # Errors
    /// A [`Failure`]; then the request stays.
    pub async fn answer_request(&self, request: &ResetRequest) -> Result<(), Failure> {
        if let Some(found) = self.store.login_with_email(&request.email).await? {
            let (account, now) = (found.login.account, self.clock.now());
            let mut tx = self.store.begin(account).await?;
            let standing = tx.logins().lock().await?.ok_or(Failure::NoLogin)?;
            if tx.logins().resets_since(now.saturating_sub(RESETS_WITHIN)).await? < MOST_RESETS {
                let token = AccountToken::generate(account, &*self.random)?;
                let reset = PasswordReset::new(Id::new(&*self.ids, now), &token, now);
                let id = Id::new(&*self.ids, now);
                let mail = reset_mail(&standing, &reset, &token, id, &self.keys, &*self.random)?;
                tx.logins().insert_reset(&reset).await?;
                tx.jobs().queue(mail.into_job()).await?;
                tx.commit().await?;
            }
        }
        Ok(self.store.remove_reset_request(request.id).await?)
    }

    /// Answers the requests that were stored and, because a process ended, not answered. How many it were.
    /// One that fails is tried again the next time, for an hour.
    ///
    /// # Errors
    /// The store's, when the requests cannot be read.
    pub async fn answer_left_over_requests(&self) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let left_over =
            self.store.reset_requests(now.saturating_sub(LEFT_OVER_AFTER), MOST_LEFT_OVER).await?;
        let mut failed = 0_usize;
        for request in &left_over {
            let answered = self.answer_request(request).await;
            if answered.is_ok() {
                continue;
            }
            failed = failed.saturating_add(1);
            if request.requested_at <= now.saturating_sub(GIVEN_UP_AFTER) {
                self.store.remove_reset_request(request.id).await?;
            }
        }
        Ok(left_over.len().saturating_sub(failed))
    }
}
