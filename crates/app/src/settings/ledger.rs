//! The settings of the ledger: all of them, or none.

use anyhow::{Context as _, bail};
use ledger_xero::XeroSettings;

use super::written::Written;

/// The ledger that is set up; `None` when nothing says so.
///
/// # Errors
/// One line that names the setting that is missing or cannot be read.
pub fn check(written: &Written) -> anyhow::Result<Option<XeroSettings>> {
    let (client_id, secret) = match (&written.xero_client_id, &written.xero_client_secret) {
        (Some(client_id), Some(secret)) => (client_id, secret),
        (None, None) => return Ok(None),
        _ => bail!(
            "COUNTINGHOUSE_XERO_CLIENT_ID and COUNTINGHOUSE_XERO_CLIENT_SECRET must be set together"
        ),
    };
    let mut settings = XeroSettings::new(client_id, secret.reveal());
    settings.tenant_id.clone_from(&written.xero_tenant_id);
    settings
        .sales_account_code
        .clone_from(&written.xero_account_code);
    for (field, value) in [
        (&mut settings.base_url, &written.xero_base_url),
        (&mut settings.token_url, &written.xero_token_url),
        (&mut settings.scope, &written.xero_scope),
    ] {
        if let Some(value) = value {
            field.clone_from(value);
        }
    }
    if let Some(file) = &written.extra_ca_file {
        let pem = std::fs::read(file);
        let pem = pem.with_context(|| {
            format!(
                "COUNTINGHOUSE_EXTRA_CA_FILE: cannot read {}",
                file.display()
            )
        })?;
        settings.extra_ca_pem = Some(pem);
    }
    Ok(Some(settings))
}
