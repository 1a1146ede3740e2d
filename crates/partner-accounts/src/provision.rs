//! Provisioning: an account with its login, its payment page and its first key, all or nothing.

use access::{ApiKey, KeySpace};
use kernel::chance::NoChance;
use kernel::{FieldErrors, Id, PartnerScope, StoreError};

use crate::PartnerAccounts;
use crate::account::Account;
use crate::ports::{Accounts, InsertedAccount};
use crate::profile::{NewAccount, ProfileInput};
use crate::slug::PaymentSlug;

/// What provisioning came to.
#[derive(Debug)]
pub enum Provisioned {
    /// A new account, and its key in the clear, once.
    New(Box<Account>, ApiKey),
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
    /// The machine has no chance.
    #[error(transparent)]
    Chance(#[from] NoChance),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PartnerAccounts {
    /// Provisions an account, or finds the one that has the external id. `faults` are those found in reading the fields.
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
        for _ in 1..StoreError::TRIES {
            match self.try_to_provision(partner, &new).await {
                Err(ProvisionError::Store(error)) if error.is_contended() => {}
                provisioned => return provisioned,
            }
        }
        self.try_to_provision(partner, &new).await
    }

    async fn try_to_provision(
        &self,
        partner: PartnerScope,
        new: &NewAccount,
    ) -> Result<Provisioned, ProvisionError> {
        let now = self.clock.now();
        let key = ApiKey::generate(KeySpace::Account, &*self.chance)?;
        let record = key.record(Id::new(&*self.ids, now), now);
        let id = Id::new(&*self.ids, now);
        let mut tx = self.store.begin(partner).await?;
        // Each round ends with a decision, or with a name that somebody took in the same moment.
        loop {
            if let Some(matched) = find_taken(tx.accounts(), new).await? {
                return Ok(Provisioned::Matched(Box::new(matched)));
            }
            let mut wanted = new.clone();
            wanted.slug = free_slug(tx.accounts(), &new.slug).await?;
            let account =
                Account::open(wanted, id, partner.id, self.default_currency, &record, now);
            if tx.accounts().insert_new(&account).await? == InsertedAccount::Taken {
                continue;
            }
            tx.accounts().put_key(id, &record).await?;
            tx.commit().await?;
            return Ok(Provisioned::New(Box::new(account), key));
        }
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
    // A twin may have committed between the two look-ups: then the address is taken by the very account that is wanted.
    let matched = matching(accounts, new).await?;
    matched.map(Some).ok_or(ProvisionError::EmailTaken)
}

async fn matching(
    accounts: &mut dyn Accounts,
    new: &NewAccount,
) -> Result<Option<Account>, StoreError> {
    match &new.external_id {
        Some(external_id) => accounts.with_external_id(external_id).await,
        None => Ok(None),
    }
}

/// The name itself if it is free, else the first of `-2`, `-3`, ... that is. Looked up in growing batches, so that the thousandth
/// account of one name costs a few look-ups and not a thousand.
async fn free_slug(
    accounts: &mut dyn Accounts,
    wish: &PaymentSlug,
) -> Result<PaymentSlug, StoreError> {
    let (mut first, mut count) = (1_u32, 8_u32);
    loop {
        let last = first.saturating_add(count);
        let names: Vec<PaymentSlug> = (first..last).map(|n| wish.with_suffix(n)).collect();
        let taken = accounts.taken_slugs(&names).await?;
        if let Some(free) = names.into_iter().find(|name| !taken.contains(name)) {
            return Ok(free);
        }
        (first, count) = (last, count.saturating_mul(4).min(512));
    }
}
