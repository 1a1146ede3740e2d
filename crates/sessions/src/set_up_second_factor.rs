//! Turning the second factor on and off, and its recovery codes.

use kernel::{AccountId, Operator, StoreError, Unsealable};

use crate::audit::{Actor, AuditedChange};
use crate::login::LoginRecord;
use crate::logins::{InternalFailure, Logins};
use crate::origin::Origin;
use crate::ports::{SealedLogin, SealedSecondFactors, SessionsTx};
use crate::recovery_code::RecoveryCode;
use crate::second_factor::{SealedTotpSecret, SecondFactor, TotpSecret};
use crate::security_email::SecurityNotice;
use crate::session::SessionRecord;

/// How many logins are resealed in one batch.
const BATCH: u32 = 500;

/// Why the second factor is not turned on.
#[derive(Debug, thiserror::Error)]
pub enum TurnOnError {
    #[error("is not the code that the authenticator shows: check the time of your device")]
    Wrong,
    /// The second factor is already on, or no secret was shown.
    #[error("the second factor is on already, or its set-up was not begun")]
    NotBegun,
    #[error(transparent)]
    Failure(#[from] InternalFailure),
}

impl From<StoreError> for TurnOnError {
    fn from(error: StoreError) -> Self {
        Self::Failure(error.into())
    }
}

/// Why the secrets of second factors are not resealed.
#[derive(Debug, thiserror::Error)]
pub enum SecondFactorRekeyError {
    #[error(
        "the second factor of account {0} was sealed under neither the present nor the previous master key"
    )]
    Unsealable(AccountId),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Logins {
    /// Makes a secret for an authenticator. It takes effect once a code made with it is entered. `None` when
    /// the second factor is on.
    pub async fn propose_second_factor(
        &self,
        session: &SessionRecord,
    ) -> Result<Option<TotpSecret>, InternalFailure> {
        let account = session.session.account;
        let secret = TotpSecret::generate(&*self.random);
        let sealed = secret.seal(&self.keys, &*self.random, account);
        let mut tx = self.store.begin(account).await?;
        let mut login_record = self.lock_signed_in(&mut *tx, session).await?;
        if login_record.login.second_factor.is_some() {
            return Ok(None);
        }
        login_record.login.proposed_secret = Some(sealed);
        tx.logins().update(&login_record.login).await?;
        tx.commit().await?;
        Ok(Some(secret))
    }

    /// Turns on the second factor, with a code of the proposed secret. Returns recovery codes, which are
    /// shown once.
    pub async fn turn_on_second_factor(
        &self,
        session: &SessionRecord,
        code: &str,
        origin: &Origin,
    ) -> Result<Vec<RecoveryCode>, TurnOnError> {
        let (account, now) = (session.session.account, self.clock.now());
        let mut tx = self.store.begin(account).await?;
        let mut login_record = self.lock_signed_in(&mut *tx, session).await?;
        let login = &mut login_record.login;
        let proposed = login.proposed_secret.take().filter(|_| login.second_factor.is_none());
        let sealed = proposed.ok_or(TurnOnError::NotBegun)?;
        let secret = sealed.open(&self.keys, account).map_err(InternalFailure::from)?;
        let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
        let step = secret.step_of(&digits, None, now).ok_or(TurnOnError::Wrong)?;
        login.second_factor = Some(SecondFactor { secret: sealed, since: now, last_step: step });
        tx.logins().update(&login_record.login).await?;
        let codes = self.new_recovery_codes(&mut *tx, account).await?;
        let by = Actor::Owner(session.email.clone());
        let on = AuditedChange::of("second_factor.turned_on");
        self.audit(&mut *tx, account, (&by, Some(origin)), on, now).await?;
        self.queue_notice(&mut *tx, &login_record, SecurityNotice::SecondFactorOn, Some(origin), now).await?;
        tx.commit().await?;
        Ok(codes)
    }

    /// Turns off the second factor. `false` when it is already off.
    pub async fn turn_off_second_factor(
        &self,
        session: &SessionRecord,
        origin: &Origin,
    ) -> Result<bool, InternalFailure> {
        let by = Actor::Owner(session.email.clone());
        let off = AuditedChange::of("second_factor.turned_off");
        let mut tx = self.store.begin(session.session.account).await?;
        let login_record = self.lock_signed_in(&mut *tx, session).await?;
        self.remove_second_factor(tx, login_record, (&by, Some(origin)), off).await
    }

    /// Turns off the second factor for an owner who has lost it. `false` when it is already off.
    ///
    /// # Errors
    /// An [`InternalFailure`]: [`InternalFailure::NoLogin`] when there is no such account.
    pub async fn reset_second_factor(
        &self,
        _: Operator,
        account: AccountId,
    ) -> Result<bool, InternalFailure> {
        let reset = AuditedChange::of("second_factor.reset");
        let mut tx = self.store.begin(account).await?;
        let login_record = tx.logins().lock().await?.ok_or(InternalFailure::NoLogin)?;
        self.remove_second_factor(tx, login_record, (&Actor::Operator, None), reset).await
    }

    async fn remove_second_factor(
        &self,
        mut tx: Box<dyn SessionsTx>,
        mut login_record: LoginRecord,
        by: (&Actor, Option<&Origin>),
        change: AuditedChange,
    ) -> Result<bool, InternalFailure> {
        let now = self.clock.now();
        login_record.login.proposed_secret = None;
        if login_record.login.second_factor.take().is_none() {
            return Ok(false);
        }
        tx.logins().update(&login_record.login).await?;
        tx.logins().replace_recovery_codes(&[]).await?;
        self.audit(&mut *tx, login_record.login.account, by, change, now).await?;
        self.queue_notice(&mut *tx, &login_record, SecurityNotice::SecondFactorOff, by.1, now).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Makes new recovery codes, which are shown once; earlier ones become invalid. `None` when the second
    /// factor is off.
    pub async fn renew_recovery_codes(
        &self,
        session: &SessionRecord,
        origin: &Origin,
    ) -> Result<Option<Vec<RecoveryCode>>, InternalFailure> {
        let (account, now) = (session.session.account, self.clock.now());
        let mut tx = self.store.begin(account).await?;
        let login_record = self.lock_signed_in(&mut *tx, session).await?;
        if login_record.login.second_factor.is_none() {
            return Ok(None);
        }
        let codes = self.new_recovery_codes(&mut *tx, account).await?;
        let by = Actor::Owner(session.email.clone());
        let renewed = AuditedChange::of("recovery_codes.replaced");
        self.audit(&mut *tx, account, (&by, Some(origin)), renewed, now).await?;
        self.queue_notice(&mut *tx, &login_record, SecurityNotice::RecoveryCodesReplaced, Some(origin), now)
            .await?;
        tx.commit().await?;
        Ok(Some(codes))
    }

    async fn new_recovery_codes(
        &self,
        tx: &mut dyn SessionsTx,
        account: AccountId,
    ) -> Result<Vec<RecoveryCode>, InternalFailure> {
        let codes = RecoveryCode::generate_all(&*self.random);
        let hashes: Vec<_> = codes.iter().map(|code| code.hash(account)).collect();
        tx.logins().replace_recovery_codes(&hashes).await?;
        Ok(codes)
    }

    /// Reseals the secrets of second factors under the present master key; continues where an interrupted run
    /// stopped. Returns how many logins were changed.
    ///
    /// # Errors
    /// A [`SecondFactorRekeyError`]; logins that were resealed before it stay so.
    pub async fn rekey(
        &self,
        operator: Operator,
        store: &dyn SealedSecondFactors,
    ) -> Result<u64, SecondFactorRekeyError> {
        let key_prefix = self.keys.present_key_prefix();
        let (mut rewritten, mut after) = (0_u64, None);
        loop {
            let batch = store.sealed_under_other_keys(operator, &key_prefix, after, BATCH).await?;
            let Some(last) = batch.last() else {
                return Ok(rewritten);
            };
            after = Some(last.account);
            for old in batch {
                let new = SealedLogin {
                    account: old.account,
                    secret: self.seal_anew(old.account, old.secret.as_ref())?,
                    proposed: self.seal_anew(old.account, old.proposed.as_ref())?,
                };
                if store.replace(operator, &old, &new).await? {
                    rewritten = rewritten.saturating_add(1);
                }
            }
        }
    }

    fn seal_anew(
        &self,
        account: AccountId,
        old: Option<&SealedTotpSecret>,
    ) -> Result<Option<SealedTotpSecret>, SecondFactorRekeyError> {
        let Some(old) = old else {
            return Ok(None);
        };
        let opened = old.open(&self.keys, account);
        let secret = opened.map_err(|Unsealable| SecondFactorRekeyError::Unsealable(account))?;
        Ok(Some(secret.seal(&self.keys, &*self.random, account)))
    }
}
