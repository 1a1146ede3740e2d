//! The external addresses in a request: webhook target and logo.

use kernel::{AccountId, FieldErrors, HttpsUrl, LogoKey, PartnerScope, StoreResult};

use crate::account::Account;
use crate::logo::{Logo, LogoUnavailable};
use crate::logo_address::LogoAddress;
use crate::partner_accounts::PartnerAccounts;
use crate::profile::ProfileInput;

/// The addresses that a request sets, as far as they are new.
#[derive(Default)]
pub(crate) struct NewAddresses {
    pub(crate) webhook: Option<HttpsUrl>,
    pub(crate) logo: Option<LogoAddress>,
}

impl NewAddresses {
    pub(crate) fn of(input: &ProfileInput) -> Self {
        Self { webhook: input.webhook_url.as_value().cloned(), logo: input.logo_url.as_value().cloned() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.webhook.is_none() && self.logo.is_none()
    }

    /// Without those that the account has already. The address of the stored copy of its logo, as responses
    /// show it, means the same logo.
    fn without_those_of(self, account: &Account, shown_logo: Option<&str>) -> Self {
        Self {
            webhook: self.webhook.filter(|url| account.webhook.as_ref() != Some(url)),
            logo: self.logo.filter(|url| shown_logo != Some(url.as_str())),
        }
    }
}

impl PartnerAccounts {
    /// The addresses that an amendment changes; `None` if the partner has no such account.
    pub(crate) async fn changed_addresses(
        &self,
        partner: PartnerScope,
        id: AccountId,
        sent: NewAddresses,
    ) -> StoreResult<Option<NewAddresses>> {
        let Some(account) = self.reads.get(partner, id).await? else {
            return Ok(None);
        };
        let shown = account.logo.as_ref().map(|logo| self.urls.logo(logo));
        Ok(Some(sent.without_those_of(&account, shown.as_deref())))
    }

    /// Adds addresses that are not public, or no addresses, to the other faults of a request, so that one
    /// response names them all. Nothing is fetched.
    pub(crate) async fn add_refused_addresses(
        &self,
        mut faults: FieldErrors,
        addresses: &NewAddresses,
    ) -> FieldErrors {
        if let Some(url) = &addresses.webhook
            && let Err(refused) = self.guard.check(url).await
        {
            faults.add("webhook_url", refused);
        }
        match &addresses.logo {
            Some(LogoAddress::Download(url)) => {
                if let Err(refused) = self.guard.check(url).await {
                    faults.add("logo_url", refused);
                }
            }
            Some(LogoAddress::Other(_, fault)) => faults.add("logo_url", fault),
            None => {}
        }
        faults
    }

    /// Checks a webhook target and fetches a logo. Waits for other servers, so it is never called inside a
    /// transaction.
    ///
    /// # Errors
    /// The faults of both.
    pub(crate) async fn check_external_addresses(
        &self,
        addresses: &NewAddresses,
    ) -> Result<Option<Logo>, FieldErrors> {
        let mut faults = FieldErrors::default();
        if let Some(url) = &addresses.webhook
            && let Err(refused) = self.guard.check(url).await
        {
            faults.add("webhook_url", refused);
        }
        let mut fetched = None;
        match &addresses.logo {
            Some(LogoAddress::Download(url)) => match self.logos.fetch(url).await {
                Ok(logo) => fetched = Some(logo),
                Err(refused) => faults.add("logo_url", refused),
            },
            Some(LogoAddress::Other(_, fault)) => faults.add("logo_url", fault),
            None => {}
        }
        faults.into_result()?;
        Ok(fetched)
    }

    /// Stores a copy of a fetched logo. Never called inside a transaction.
    pub(crate) async fn store_logo(&self, logo: Option<Logo>) -> Result<Option<LogoKey>, LogoUnavailable> {
        let Some(logo) = logo else {
            return Ok(None);
        };
        self.logos.store_copy(logo, &*self.clock, &*self.random).await.map(Some)
    }
}
