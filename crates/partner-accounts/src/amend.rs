//! Amending an account, and switching it off and on.

use kernel::{AccountId, Field, FieldErrors, LogoKey, PartnerScope, StoreError, StoreResult};
use webhooks::{Endpoint, SigningSecret};

use crate::account::{Account, AccountStatus, SwitchedOffByOperator};
use crate::amendment::{AccountAmendment, AmendmentInput};
use crate::external_addresses::NewAddresses;
use crate::logo::{LogoUnavailable, change_logo};
use crate::partner_accounts::PartnerAccounts;
use crate::payment_page::{free_slug, until_free};
use crate::ports::{Accounts, UpdatedAccount};

/// An account after an amendment.
#[derive(Debug)]
pub struct AmendedAccount {
    pub account: Account,
    /// The signing secret of a new endpoint, shown once.
    pub signing_secret: Option<SigningSecret>,
}

/// Why an account was not amended.
#[derive(Debug, thiserror::Error)]
pub enum AmendAccountError {
    #[error("the amendment is not valid")]
    Invalid(#[source] FieldErrors),
    /// The request had no field of an account.
    #[error("at least one field of the account must be sent")]
    Empty,
    #[error("the partner has no such account")]
    NotFound,
    #[error("another account has this external_id already")]
    ExternalIdTaken,
    #[error(transparent)]
    SwitchedOffByOperator(#[from] SwitchedOffByOperator),
    /// The account has the maximum number of enabled endpoints.
    #[error(
        "the account has {} enabled webhook endpoints, and may have no more: disable or delete one of them first",
        Endpoint::MAX_ENABLED
    )]
    TooManyEnabled,
    /// The account has the maximum number of endpoints.
    #[error(
        "the account has {} webhook endpoints, and may have no more: delete one of them first",
        Endpoint::MAX_PER_ACCOUNT
    )]
    TooManyEndpoints,
    #[error(transparent)]
    Logo(#[from] LogoUnavailable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl PartnerAccounts {
    /// Amends an account: only the fields that were sent change, all or none. `faults` are those found in
    /// parsing the fields. The account is locked, so that of two concurrent amendments the second sees the
    /// result of the first. An amendment that changes nothing leaves `updated_at` unchanged.
    ///
    /// # Errors
    /// An [`AmendAccountError`]; then nothing was changed.
    pub async fn amend(
        &self,
        partner: PartnerScope,
        id: AccountId,
        input: AmendmentInput,
        faults: FieldErrors,
    ) -> Result<AmendedAccount, AmendAccountError> {
        if input.is_empty() && faults.is_empty() {
            return Err(AmendAccountError::Empty);
        }
        let addresses = NewAddresses::of(&input.profile);
        let amendment = match AccountAmendment::check(input, faults) {
            Ok(amendment) => amendment,
            Err(faults) => return Err(self.all_faults(partner, id, addresses, faults).await?),
        };
        let logo = self.check_new_addresses(partner, id, &amendment, addresses).await?;
        self.carry_out(partner, id, &amendment, &logo).await
    }

    /// Switches an account off for its partner. Idempotent. No data is deleted.
    ///
    /// # Errors
    /// An [`AmendAccountError`]; then nothing was changed.
    pub async fn deactivate(
        &self,
        partner: PartnerScope,
        id: AccountId,
    ) -> Result<Account, AmendAccountError> {
        let amendment = AccountAmendment::to_status(AccountStatus::Inactive);
        Ok(self.carry_out(partner, id, &amendment, &Field::Absent).await?.account)
    }

    /// The faults of the fields, and those of the addresses that the amendment would change.
    async fn all_faults(
        &self,
        partner: PartnerScope,
        id: AccountId,
        sent: NewAddresses,
        faults: FieldErrors,
    ) -> StoreResult<AmendAccountError> {
        if sent.is_empty() {
            return Ok(AmendAccountError::Invalid(faults));
        }
        let changed = self.changed_addresses(partner, id, sent).await?.unwrap_or_default();
        Ok(AmendAccountError::Invalid(self.add_refused_addresses(faults, &changed).await))
    }

    /// Checks the webhook target and fetches the logo, before the transaction, and only if the account exists
    /// and does not have them already.
    async fn check_new_addresses(
        &self,
        partner: PartnerScope,
        id: AccountId,
        amendment: &AccountAmendment,
        sent: NewAddresses,
    ) -> Result<Field<LogoKey>, AmendAccountError> {
        let without_fetching =
            || if amendment.fields.logo_url == Field::Null { Field::Null } else { Field::Absent };
        if sent.is_empty() {
            return Ok(without_fetching());
        }
        let changed = self.changed_addresses(partner, id, sent).await?.ok_or(AmendAccountError::NotFound)?;
        let fetched = self.check_external_addresses(&changed).await.map_err(AmendAccountError::Invalid)?;
        let kept = self.store_logo(fetched).await?;
        Ok(kept.map_or_else(without_fetching, Field::Value))
    }

    async fn carry_out(
        &self,
        partner: PartnerScope,
        id: AccountId,
        amendment: &AccountAmendment,
        logo: &Field<LogoKey>,
    ) -> Result<AmendedAccount, AmendAccountError> {
        until_free(|| self.try_to_carry_out(partner, id, amendment, logo)).await
    }

    /// `None` when a concurrent transaction took a name that this one had found free.
    async fn try_to_carry_out(
        &self,
        partner: PartnerScope,
        id: AccountId,
        amendment: &AccountAmendment,
        logo: &Field<LogoKey>,
    ) -> Result<Option<AmendedAccount>, AmendAccountError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(partner).await?;
        let before = tx.accounts().lock(id).await?.ok_or(AmendAccountError::NotFound)?;
        check_external_id(tx.accounts(), &before, amendment).await?;
        let slug = match amendment.slug(&before.payment_slug) {
            Some(requested) => free_slug(tx.accounts(), &requested, Some(&before.payment_slug)).await?,
            None => before.payment_slug.clone(),
        };
        let mut account = before.clone();
        amendment.clone().apply(&mut account, slug)?;
        change_logo(tx.logos(), &mut account, logo, now).await?;
        let signing_secret = self.change_endpoint(&mut *tx, id, &amendment.fields.webhook_url, now).await?;
        if account != before {
            account.updated_at = now;
            if tx.accounts().update(&account).await? == UpdatedAccount::Taken {
                return Ok(None);
            }
            tx.commit().await?;
        }
        Ok(Some(AmendedAccount { account, signing_secret }))
    }
}

async fn check_external_id(
    accounts: &mut dyn Accounts,
    account: &Account,
    amendment: &AccountAmendment,
) -> Result<(), AmendAccountError> {
    let Some(wanted) = amendment.fields.external_id.as_value() else {
        return Ok(());
    };
    match accounts.with_external_id(wanted).await? {
        Some(other) if other.id != account.id => Err(AmendAccountError::ExternalIdTaken),
        _ => Ok(()),
    }
}
