//! The external addresses of a request: the target of a webhook, the address of a logo.

use kernel::{FieldErrors, HttpsUrl, LogoKey};

use crate::logo::LogoUnavailable;
use crate::partner_accounts::PartnerAccounts;

/// Why an external address is refused.
pub(crate) enum OutsideError {
    Invalid(FieldErrors),
    /// The logo is valid and could not be stored.
    Logo(LogoUnavailable),
}

impl PartnerAccounts {
    /// Checks the target of a webhook, fetches a logo and stores a copy of it. Both faults are named at once,
    /// and then no copy is stored. It waits for other servers and so never runs inside a transaction.
    pub(crate) async fn outside(
        &self,
        webhook: Option<&HttpsUrl>,
        logo: Option<&HttpsUrl>,
    ) -> Result<Option<LogoKey>, OutsideError> {
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
                Err(unfit) => faults.add("logo_url", unfit),
            }
        }
        faults.into_result().map_err(OutsideError::Invalid)?;
        let Some(logo) = fetched else {
            return Ok(None);
        };
        let kept = self.logos.keep(logo, &*self.clock, &*self.random).await;
        kept.map(Some).map_err(OutsideError::Logo)
    }
}
