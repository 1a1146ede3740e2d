//! The external addresses in a request: webhook target and logo.

use kernel::{FieldErrors, HttpsUrl, LogoKey};

use crate::logo::{Logo, LogoUnavailable};
use crate::partner_accounts::PartnerAccounts;

impl PartnerAccounts {
    /// Checks a webhook target and fetches a logo. Waits for other servers, so it is never called inside a
    /// transaction.
    ///
    /// # Errors
    /// The faults of both.
    pub(crate) async fn check_external_addresses(
        &self,
        webhook: Option<&HttpsUrl>,
        logo: Option<&HttpsUrl>,
    ) -> Result<Option<Logo>, FieldErrors> {
        let mut faults = FieldErrors::default();
        if let Some(url) = webhook
            && let Err(refused) = self.guard.check(url).await
        {
            faults.add("webhook_url", refused);
        }
        let mut fetched = None;
        if let Some(url) = logo {
            match self.logos.fetch(url).await {
                Ok(logo) => fetched = Some(logo),
                Err(refused) => faults.add("logo_url", refused),
            }
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
