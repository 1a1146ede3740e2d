//! Creates the first partner and its first account in a database without partners.

use access::{ApiKey, KeySpace};
use kernel::{AccountId, Currency, FieldErrors, Id, Operator, StoreError};

use crate::account::Account;
use crate::operator_accounts::OperatorAccounts;
use crate::partner::{Partner, PartnerName};
use crate::ports::BootstrapRecords;
use crate::profile::{NewAccount, ProfileInput};

/// The first account, with its key and its partner's key, in the clear, once.
#[derive(Debug)]
pub struct BootstrapKeys {
    pub account: AccountId,
    pub partner_key: ApiKey,
    pub account_key: ApiKey,
}

/// Why the first partner and account were not created.
#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    #[error("the first account is not valid")]
    Invalid(#[source] FieldErrors),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OperatorAccounts {
    /// Creates the first partner and account, both or neither. `None` when there is a partner already: of
    /// several processes that start at once, one creates them.
    ///
    /// # Errors
    /// A [`BootstrapError`]; then nothing was changed.
    pub async fn bootstrap(
        &self,
        operator: Operator,
        name: PartnerName,
        input: ProfileInput,
        currency: Currency,
    ) -> Result<Option<BootstrapKeys>, BootstrapError> {
        let now = self.clock.now();
        let new = NewAccount::check(input, FieldErrors::default()).map_err(BootstrapError::Invalid)?;
        let partner = Partner { id: Id::new(&*self.ids, now), name, disabled: false, created_at: now };
        let (account_key, account_record) = self.new_key(KeySpace::Account, now);
        let id = Id::new(&*self.ids, now);
        let (partner_key, partner_record) = self.new_key(KeySpace::Partner, now);
        let records = BootstrapRecords {
            account: Account::open(new, id, partner.id, currency, &account_record, now),
            partner_key: partner_record,
            account_key: account_record,
            partner,
        };
        let inserted = self.store.bootstrap(operator, &records).await?;
        Ok(inserted.then_some(BootstrapKeys { account: id, partner_key, account_key }))
    }
}
