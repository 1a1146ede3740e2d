//! The beginning: a first partner and its first account, in a service that has none.

use access::{ApiKey, KeySpace, NewKey};
use kernel::random::RandomnessUnavailable;
use kernel::{Currency, FieldErrors, Id, Operator, StoreError};

use crate::OperatorDesk;
use crate::account::Account;
use crate::partner::{Partner, PartnerName};
use crate::profile::{NewAccount, ProfileInput};

/// The records that a service begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Founding {
    /// The first partner.
    pub partner: Partner,
    /// Its key.
    pub partner_key: NewKey,
    /// Its first account.
    pub account: Account,
    /// The account's key.
    pub account_key: NewKey,
}

/// The keys of the first partner and account, in the clear, once.
#[derive(Debug)]
pub struct Founded {
    /// The partner's key.
    pub partner_key: ApiKey,
    /// The account's key.
    pub account_key: ApiKey,
}

/// Why a service cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum FoundError {
    /// Fields of the account are faulty.
    #[error("the first account is not valid")]
    Invalid(FieldErrors),
    /// The machine has no random.
    #[error(transparent)]
    SecureRandom(#[from] RandomnessUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OperatorDesk {
    /// Makes a first partner and account, all or nothing. `None` when there is a partner already: of several processes that start at
    /// once, one founds the service.
    ///
    /// # Errors
    /// A [`FoundError`]; then nothing was changed.
    pub async fn found(
        &self,
        operator: Operator,
        name: PartnerName,
        input: ProfileInput,
        currency: Currency,
    ) -> Result<Option<Founded>, FoundError> {
        let now = self.clock.now();
        let new = NewAccount::check(input, FieldErrors::default()).map_err(FoundError::Invalid)?;
        let partner_key = ApiKey::generate(KeySpace::Partner, &*self.random)?;
        let account_key = ApiKey::generate(KeySpace::Account, &*self.random)?;
        let partner = Partner {
            id: Id::new(&*self.ids, now),
            name,
            disabled: false,
            created_at: now,
        };
        let key = account_key.record(Id::new(&*self.ids, now), now);
        let id = Id::new(&*self.ids, now);
        let founding = Founding {
            account: Account::open(new, id, partner.id, currency, &key, now),
            partner_key: partner_key.record(Id::new(&*self.ids, now), now),
            account_key: key,
            partner,
        };
        let founded = self.store.found(operator, &founding).await?;
        Ok(founded.then_some(Founded {
            partner_key,
            account_key,
        }))
    }
}
