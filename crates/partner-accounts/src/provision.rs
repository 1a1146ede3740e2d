//! Provisioning: an account with its login, its payment page, its first key and its webhook endpoint, all or
//! nothing.

use access::{ApiKey, KeySpace};
use kernel::random::RandomnessUnavailable;
use kernel::{FieldErrors, Id, LogoKey, PartnerScope, RetryOnContention, StoreError, retry_contended};
use time::OffsetDateTime;
use webhooks::SigningSecret;

use crate::account::Account;
use crate::invitation::{Invitation, InvitationToken};
use crate::invitation_email::invitation_mail;
use crate::logo::LogoUnavailable;
use crate::outside::OutsideError;
use crate::partner_accounts::PartnerAccounts;
use crate::payment_page::free_slug;
use crate::ports::{Accounts, InsertedAccount, ProvisioningTx};
use crate::profile::{NewAccount, ProfileInput};

/// A new account with its secrets, which are shown once.
#[derive(Debug)]
pub struct NewlyProvisioned {
    /// The account.
    pub account: Account,
    /// Its first key.
    pub key: ApiKey,
    /// The signing secret of its webhook endpoint, if it has one.
    pub signing_secret: Option<SigningSecret>,
}

/// The result of provisioning.
#[derive(Debug)]
pub enum Provisioned {
    /// A new account.
    New(Box<NewlyProvisioned>),
    /// The partner had an account with this external id already; it was not changed.
    Matched(Box<Account>),
}

/// Why no account is provisioned.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    /// Fields are faulty.
    #[error("the account is not valid")]
    Invalid(FieldErrors),
    /// Another account of the service has the owner's e-mail address.
    #[error("an account with this e-mail address exists already")]
    EmailTaken,
    /// The logo could not be stored.
    #[error(transparent)]
    Logo(#[from] LogoUnavailable),
    /// The machine has no random.
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for ProvisionError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
}

impl From<OutsideError> for ProvisionError {
    fn from(error: OutsideError) -> Self {
        match error {
            OutsideError::Invalid(faults) => Self::Invalid(faults),
            OutsideError::Logo(error) => Self::Logo(error),
        }
    }
}

/// What the steps before the transaction found.
enum Ground {
    /// The account exists already.
    Taken(Box<Account>),
    /// An account will be created, with this logo.
    Free(Option<LogoKey>),
}

impl PartnerAccounts {
    /// Provisions an account, or finds the one that has the external id. `faults` are those found in reading
    /// the fields.
    ///
    /// # Errors
    /// A [`ProvisionError`]; then nothing was changed.
    pub async fn provision(
        &self,
        partner: PartnerScope,
        input: ProfileInput,
        faults: FieldErrors,
    ) -> Result<Provisioned, ProvisionError> {
        let new = NewAccount::check(input, faults).map_err(ProvisionError::Invalid)?;
        let logo = match self.look_outside(partner, &new).await? {
            Ground::Taken(matched) => return Ok(Provisioned::Matched(matched)),
            Ground::Free(logo) => logo,
        };
        retry_contended(|| self.try_to_provision(partner, &new, logo.as_ref())).await
    }

    /// Checks the target of a webhook and fetches the logo, before the transaction and only if an account
    /// will be created. Returns the existing account otherwise.
    async fn look_outside(&self, partner: PartnerScope, new: &NewAccount) -> Result<Ground, ProvisionError> {
        if new.webhook.is_none() && new.logo.is_none() {
            return Ok(Ground::Free(None));
        }
        let mut look = self.store.begin(partner).await?;
        let found = find_taken(look.accounts(), new).await?;
        drop(look);
        Ok(match found {
            Some(matched) => Ground::Taken(Box::new(matched)),
            None => {
                let logo = self.outside(new.webhook.as_ref(), new.logo.as_ref());
                Ground::Free(logo.await?)
            }
        })
    }

    async fn try_to_provision(
        &self,
        partner: PartnerScope,
        new: &NewAccount,
        logo: Option<&LogoKey>,
    ) -> Result<Provisioned, ProvisionError> {
        let now = self.clock.now();
        let key = ApiKey::generate(KeySpace::Account, &*self.random)?;
        let record = key.record(Id::new(&*self.ids, now), now);
        let id = Id::new(&*self.ids, now);
        let mut tx = self.store.begin(partner).await?;
        // Each round ends with a decision, or with a name that somebody took in the same moment.
        loop {
            if let Some(matched) = find_taken(tx.accounts(), new).await? {
                return Ok(Provisioned::Matched(Box::new(matched)));
            }
            let mut wanted = new.clone();
            wanted.slug = free_slug(tx.accounts(), &new.slug, None).await?;
            let mut account = Account::open(wanted, id, partner.id, self.default_currency, &record, now);
            account.logo = logo.cloned();
            if tx.accounts().insert_new(&account).await? == InsertedAccount::Taken {
                continue;
            }
            tx.accounts().put_key(id, &record).await?;
            let signing_secret = self.equip(&mut *tx, &account, now).await?;
            tx.commit().await?;
            return Ok(Provisioned::New(Box::new(NewlyProvisioned { account, key, signing_secret })));
        }
    }

    /// Inserts what belongs to a new account: its logo, its webhook endpoint, and the invitation of its
    /// owner.
    async fn equip(
        &self,
        tx: &mut dyn ProvisioningTx,
        account: &Account,
        now: OffsetDateTime,
    ) -> Result<Option<SigningSecret>, ProvisionError> {
        if let Some(logo) = &account.logo {
            let adopted = tx.logos().adopt(logo).await?;
            adopted.then_some(()).ok_or(LogoUnavailable::TooLate)?;
        }
        self.invite(tx, account, now).await?;
        let Some(url) = &account.webhook else {
            return Ok(None);
        };
        let new = self.new_hook(account.id, url, now)?;
        // A new account has none, but whoever inserts one holds them all.
        tx.endpoints().lock_all(account.id).await?;
        tx.endpoints().insert(&new.endpoint, &new.sealed).await?;
        Ok(Some(new.secret))
    }

    /// Invites the owner by mail, also while the account has its communications off: those are about its
    /// customers.
    async fn invite(
        &self,
        tx: &mut dyn ProvisioningTx,
        account: &Account,
        now: OffsetDateTime,
    ) -> Result<(), ProvisionError> {
        let token = InvitationToken::generate(&*self.random)?;
        let invitation = Invitation::new(Id::new(&*self.ids, now), account.id, &token, now);
        let mail = invitation_mail(
            account,
            &invitation,
            &token,
            Id::new(&*self.ids, now),
            &self.keys,
            &*self.random,
        )?;
        tx.invitations().insert(&invitation).await?;
        tx.jobs().queue(mail.into_job()).await?;
        Ok(())
    }
}

/// The account that has the external id already, if one has.
async fn find_taken(
    accounts: &mut dyn Accounts,
    new: &NewAccount,
) -> Result<Option<Account>, ProvisionError> {
    if let Some(matched) = matching(accounts, new).await? {
        return Ok(Some(matched));
    }
    if !accounts.email_is_taken(&new.email).await? {
        return Ok(None);
    }
    // A twin may have committed between the two look-ups: then the address is taken by the very account that
    // is wanted.
    let matched = matching(accounts, new).await?;
    matched.map(Some).ok_or(ProvisionError::EmailTaken)
}

async fn matching(accounts: &mut dyn Accounts, new: &NewAccount) -> Result<Option<Account>, StoreError> {
    match &new.external_id {
        Some(external_id) => accounts.with_external_id(external_id).await,
        None => Ok(None),
    }
}
