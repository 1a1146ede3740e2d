//! What owners decide about online payments.

use kernel::{AccountId, StoreError, retry_contended};

use super::online_payments::OnlinePayments;
use super::settings::PaymentSettings;

impl OnlinePayments {
    /// Stores what the owner decided, and returns what was in force before. Charges that are settled already
    /// stay as they are.
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
