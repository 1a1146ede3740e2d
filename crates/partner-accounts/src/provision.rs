//! Provisioning: an account with its login, payment page, first key and webhook endpoint, all or nothing.

use access::{ApiKey, KeySpace};
use kernel::{
    AccountToken, FieldErrors, Id, LogoKey, PartnerScope, StoreError, StoreResult, retry_contended,
};
use time::OffsetDateTime;
use webhooks::SigningSecret;

use crate::account::Account;
use crate::external_addresses::NewAddresses;
use crate::invitation::Invitation;
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

/// Why no account was provisioned.
#[derive(Debug, thiserror::Error)]
pub enum ProvisionError {
    #[error("the account is not valid")]
    Invalid(#[source] FieldErrors),
    /// Another account of the service has the owner's e-mail address.
    #[error("an account with this e-mail address exists already")]
    EmailTaken,
    /// The logo could not be stored.
    #[error(transparent)]
    Logo(#[from] LogoUnavailable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PartnerAccounts {
    /// Provisions an account, or finds the one with the same external id. `faults` are those found in parsing
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
        let addresses = NewAddresses::of(&input);
        let new = match NewAccount::check(input, faults) {
            Ok(new) => new,
            Err(faults) => {
                let faults = self.add_refused_addresses(faults, &addresses).await;
                return Err(ProvisionError::Invalid(faults));
            }
        };
        let mut logo = None;
        // Other servers are called before the transaction, and only if an account will be created.
        if !addresses.is_empty() {
            let found = find_taken(self.store.begin(partner).await?.accounts(), &new).await?;
            if let Some(matched) = found {
                return Ok(Provisioned::Matched(Box::new(matched)));
            }
            let fetched = self.check_external_addresses(&addresses).await;
            logo = self.store_logo(fetched.map_err(ProvisionError::Invalid)?).await?;
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
        let (key, record) = ApiKey::issue(KeySpace::Account, &*self.random, &*self.ids, now);
        let id = Id::new(&*self.ids, now);
        let mut tx = self.store.begin(partner).await?;
        // Each iteration ends with a result, or with a name that a concurrent transaction has taken.
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
            let signing_secret = self.insert_related(&mut *tx, &account, now).await?;
            tx.commit().await?;
            return Ok(Provisioned::New(Box::new(NewlyProvisioned { account, key, signing_secret })));
        }
    }

    /// Adopts the logo of a new account, and inserts its webhook endpoint and its owner's invitation.
    async fn insert_related(
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
        // A new account has no endpoints, but inserting one requires the lock on all of them.
        tx.endpoints().lock_all(account.id).await?;
        Ok(Some(self.insert_endpoint(tx, account.id, url, now).await?))
    }

    /// Invites the owner by mail, even if communications are disabled: that setting concerns the account's
    /// customers.
    async fn invite(
        &self,
        tx: &mut dyn ProvisioningTx,
        account: &Account,
        now: OffsetDateTime,
    ) -> Result<(), ProvisionError> {
        let token = AccountToken::generate(account.id, &*self.random);
        let invitation = Invitation::new(Id::new(&*self.ids, now), &token, now);
        let id = Id::new(&*self.ids, now);
        let mail = invitation_mail(&account.into(), &invitation, &token, id, &self.keys, &*self.random);
        tx.invitations().insert(&invitation).await?;
        tx.jobs().queue(mail.into_job()).await?;
        Ok(())
    }
}

/// The account with the same external id, if there is one.
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
    // The same request may have committed concurrently between the two look-ups: then its account has the
    // address.
    let matched = matching(accounts, new).await?;
    matched.map(Some).ok_or(ProvisionError::EmailTaken)
}

async fn matching(accounts: &mut dyn Accounts, new: &NewAccount) -> StoreResult<Option<Account>> {
    match &new.external_id {
        Some(external_id) => accounts.with_external_id(external_id).await,
        None => Ok(None),
    }
}
