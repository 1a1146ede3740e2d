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
use crate::partner_accounts::PartnerAccounts;
use crate::payment_page::free_slug;
use crate::ports::{Accounts, InsertedAccount, ProvisioningTx};
use crate::profile::{NewAccount, ProfileInput};

/// A new account with its secrets, which are shown once.
#[derive(Debug)]
pub struct NewlyProvisioned {
    pub account: Account,
    /// Its first key.
    pub key: ApiKey,
    /// The signing secret of its webhook endpoint, if it has one.
    pub signing_secret: Option<SigningSecret>,
}

/// The result of provisioning.
#[derive(Debug)]
pub enum Provisioned {
    New(Box<NewlyProvisioned>),
    /// The partner had an account with this external id already; it was not changed.
    Matched(Box<Account>),
}

/// Why no account is provisioned.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    #[error("the account is not valid")]
    Invalid(FieldErrors),
    /// Another account of the service has the owner's e-mail address.
    #[error("an account with this e-mail address exists already")]
    EmailTaken,
    /// The logo could not be stored.
    #[error(transparent)]
    Logo(#[from] LogoUnavailable),
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RetryOnContention for ProvisionError {
    fn is_contended(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_contended())
    }
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
        let mut logo = None;
        // Other servers are called before the transaction, and only if an account will be created.
        if new.webhook.is_some() || new.logo.is_some() {
            let found = find_taken(self.store.begin(partner).await?.accounts(), &new).await?;
            if let Some(matched) = found {
                return Ok(Provisioned::Matched(Box::new(matched)));
            }
            let fetched = self.check_outside(new.webhook.as_ref(), new.logo.as_ref()).await;
            logo = self.keep_logo(fetched.map_err(ProvisionError::Invalid)?).await?;
        }
        retry_contended(|| self.try_to_provision(partner, &new, logo.as_ref())).await
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
        // Each round ends with a decision, or with a name that another transaction took in the same moment.
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
        if let Some(logo) = &account.logo
            && !tx.logos().adopt(logo).await?
        {
            return Err(LogoUnavailable::TooLate.into());
        }
        self.invite(tx, account, now).await?;
        let Some(url) = &account.webhook else {
            return Ok(None);
        };
        // A new account has none, but an endpoint is inserted only under the lock of them all.
        tx.endpoints().lock_all(account.id).await?;
        self.insert_hook(tx, account.id, url, now).await.map(Some)
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
        let id = Id::new(&*self.ids, now);
        let mail = invitation_mail(&account.into(), &invitation, &token, id, &self.keys, &*self.random)?;
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
