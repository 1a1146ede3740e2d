//! Amending an account's profile as its owner, by the same rules as the partner's amendment.

use kernel::{AccountId, Field, FieldErrors, LogoKey, StoreError, Version};

use crate::account::Account;
use crate::amendment::{AccountAmendment, AmendmentInput};
use crate::audited;
use crate::logo::{Logo, LogoUnavailable, change_logo};
use crate::logo_address::LogoAddress;
use crate::own_account::OwnAccounts;
use crate::payment_page::{free_slug, until_free};
use crate::ports::UpdatedAccount;
use crate::profile::ProfileInput;

/// Why a profile was not amended.
#[derive(Debug, thiserror::Error)]
pub enum AmendProfileError {
    #[error("the amendment is not valid")]
    Invalid(#[source] FieldErrors),
    /// The account was changed since the version that the owner saw.
    #[error("the account was changed in the meantime")]
    Changed,
    #[error("there is no such account")]
    NotFound,
    #[error(transparent)]
    Logo(#[from] LogoUnavailable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The change of a profile that an owner sent.
#[derive(Debug, Clone, Default)]
pub struct ProfileAmendment {
    /// The fields. Fields that an owner cannot change are ignored: the e-mail address, `external_id` and
    /// `webhook_url`, which is changed as an endpoint.
    pub fields: ProfileInput,
    /// An uploaded logo, which takes precedence over `logo_url`.
    pub logo: Option<Vec<u8>>,
    /// The version of the account that the owner saw.
    pub version: Option<Version>,
}

impl OwnAccounts {
    /// Amends the profile: only the fields that were sent change, all or none. `faults` are those found in
    /// parsing the fields. The account is locked, so that no concurrent change is overwritten.
    ///
    /// # Errors
    /// An [`AmendProfileError`]; then nothing was changed.
    pub async fn amend_profile(
        &self,
        account: AccountId,
        amendment: ProfileAmendment,
        mut faults: FieldErrors,
    ) -> Result<Account, AmendProfileError> {
        let ProfileAmendment { fields, logo, version } = amendment;
        let uploaded = match logo.map(Logo::check) {
            Some(Ok(logo)) => Some(logo),
            Some(Err(invalid)) => {
                faults.add("logo", invalid.of_upload());
                None
            }
            None => None,
        };
        let profile = ProfileInput { external_id: Field::Absent, webhook_url: Field::Absent, ..fields };
        let input = AmendmentInput { profile, ..AmendmentInput::default() };
        let amendment = AccountAmendment::check(input, faults).map_err(AmendProfileError::Invalid)?;
        let seen = self.store.get(account).await?.ok_or(AmendProfileError::NotFound)?;
        check_version(&seen, version.as_ref())?;
        let logo = self.store_new_logo(&seen, &amendment, uploaded).await?;
        until_free(|| self.try_to_amend_profile(account, &amendment, &logo, version.as_ref())).await
    }

    /// Stores the new logo, before the transaction: the uploaded one, or the one at the address that was
    /// sent.
    async fn store_new_logo(
        &self,
        account: &Account,
        amendment: &AccountAmendment,
        uploaded: Option<Logo>,
    ) -> Result<Field<LogoKey>, AmendProfileError> {
        let logo = match (uploaded, &amendment.fields.logo_url) {
            (Some(logo), _) => logo,
            (None, Field::Null) => return Ok(Field::Null),
            (None, Field::Absent | Field::Faulty) => return Ok(Field::Absent),
            (None, Field::Value(address)) => {
                // The address of the stored copy, as the form shows it, means the same logo.
                let shown = account.logo.as_ref().map(|logo| self.urls.logo(logo));
                if shown.as_deref() == Some(address.as_str()) {
                    return Ok(Field::Absent);
                }
                let fetched = match address {
                    LogoAddress::Download(url) => {
                        self.logos.fetch(url).await.map_err(|fault| FieldErrors::one("logo_url", fault))
                    }
                    LogoAddress::Other(_, fault) => Err(FieldErrors::one("logo_url", fault)),
                };
                fetched.map_err(AmendProfileError::Invalid)?
            }
        };
        Ok(Field::Value(self.logos.store_copy(logo, &*self.clock, &*self.random).await?))
    }

    /// `None` when a concurrent transaction took a name that this one had found free.
    async fn try_to_amend_profile(
        &self,
        account: AccountId,
        amendment: &AccountAmendment,
        logo: &Field<LogoKey>,
        version: Option<&Version>,
    ) -> Result<Option<Account>, AmendProfileError> {
        let now = self.clock.now();
        let mut tx = self.store.begin(account).await?;
        let before = tx.own_account().lock().await?.ok_or(AmendProfileError::NotFound)?;
        check_version(&before, version)?;
        let slug = match amendment.slug(&before.payment_slug) {
            Some(requested) => free_slug(tx.slugs(), &requested, Some(&before.payment_slug)).await?,
            None => before.payment_slug.clone(),
        };
        let mut account = before.clone();
        amendment.clone().apply_to_profile(&mut account, slug);
        change_logo(tx.logos(), &mut account, logo, now).await?;
        if account != before {
            account.updated_at = now;
            if tx.own_account().update(&account).await? == UpdatedAccount::Taken {
                return Ok(None);
            }
            tx.complete_audit(audited::profile(&before, &account));
            tx.commit().await?;
        }
        Ok(Some(account))
    }
}

fn check_version(account: &Account, version: Option<&Version>) -> Result<(), AmendProfileError> {
    match version {
        Some(version) if *version != account.version() => Err(AmendProfileError::Changed),
        _ => Ok(()),
    }
}
