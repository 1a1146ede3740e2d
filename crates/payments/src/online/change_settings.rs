//! Changing an account's settings for online payments.

use kernel::{AccountId, StoreError, retry_contended};

use super::online_payments::OnlinePayments;
use super::settings::PaymentSettings;

impl OnlinePayments {
    /// Stores the settings, and returns the previous ones. Charges that are already settled stay unchanged.
    ///
    /// # Errors
    /// A [`StoreError`]; then nothing was changed.
    pub async fn change_settings(
        &self,
        account: AccountId,
        settings: &PaymentSettings,
    ) -> Result<PaymentSettings, StoreError> {
        retry_contended(async || {
            let mut tx = self.store.begin(account).await?;
            let before = tx.online().settings().await?;
            tx.online().put_settings(settings).await?;
            tx.commit().await?;
            Ok(before)
        })
        .await
    }
}
