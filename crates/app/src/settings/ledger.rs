//! The settings of the ledger: a client id and its secret, or neither.

use anyhow::{anyhow, bail};
use ledger_xero::{SettingsFault, XeroSettings};

use super::table::Settings;

impl Settings {
    /// Whether invoices are entered in a ledger.
    #[must_use]
    pub const fn has_ledger(&self) -> bool {
        self.xero_client_id.is_some()
    }

    /// The settings of the ledger adapter; `None` when no ledger is set.
    ///
    /// # Errors
    /// One line that names the setting that is missing or malformed.
    pub fn xero(&self) -> anyhow::Result<Option<XeroSettings>> {
        let options = [
            &self.xero_tenant_id, &self.xero_account_code, &self.xero_base_url, &self.xero_token_url,
            &self.xero_scope,
        ];
        let (client_id, secret) = match (&self.xero_client_id, &self.xero_client_secret) {
            (Some(client_id), Some(secret)) => (client_id, secret),
            (None, None) if options.iter().all(|option| option.is_none()) => return Ok(None),
            _ => bail!(
                "COUNTINGHOUSE_XERO_CLIENT_ID and COUNTINGHOUSE_XERO_CLIENT_SECRET must be set together, and other \
                 COUNTINGHOUSE_XERO_* settings only with them"
            ),
        };
        let mut settings = XeroSettings::new(client_id, secret.reveal());
        settings.tenant_id.clone_from(&self.xero_tenant_id);
        settings.sales_account_code.clone_from(&self.xero_account_code);
        for (field, value) in [
            (&mut settings.base_url, &self.xero_base_url),
            (&mut settings.token_url, &self.xero_token_url),
            (&mut settings.scope, &self.xero_scope),
        ] {
            if let Some(value) = value {
                field.clone_from(value);
            }
        }
        settings.extra_ca_pem = self.extra_ca_pem()?;
        settings.check().map_err(|fault| match fault {
            SettingsFault::BaseUrl(fault) => anyhow!("COUNTINGHOUSE_XERO_BASE_URL: {fault}"),
            SettingsFault::TokenUrl(fault) => anyhow!("COUNTINGHOUSE_XERO_TOKEN_URL: {fault}"),
            SettingsFault::TenantId => anyhow!("COUNTINGHOUSE_XERO_TENANT_ID: {fault}"),
            other => anyhow::Error::new(other).context("COUNTINGHOUSE_XERO_*"),
        })?;
        Ok(Some(settings))
    }
}
