//! The settings of payment gateways. Gateway keys belong to accounts and are not settings.

use anyhow::anyhow;
use gateway_stripe::StripeSettings;

use super::table::Settings;

impl Settings {
    /// The settings of the Stripe adapter.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn stripe(&self) -> anyhow::Result<StripeSettings> {
        let own = StripeSettings::default();
        let settings = StripeSettings {
            base_url: self.stripe_url.clone().unwrap_or(own.base_url),
            extra_ca_pem: self.extra_ca_pem()?,
        };
        settings.check().map_err(|fault| anyhow!("COUNTINGHOUSE_STRIPE_URL: {fault}"))?;
        Ok(settings)
    }
}
