//! Online payments: the use cases, and the gateways that this process knows.

use std::sync::Arc;

use anyhow::Context as _;
use async_trait::async_trait;
use gateway_sandbox::Sandbox;
use invoices::{Invoice, OnlineOffers};
use kernel::{PublicUrls, SealingKeys, StoreResult};
use payments::{OnlinePayments, PaymentGateway};

use super::Dependencies;
use super::adapters::live_gateways;
use crate::settings::Settings;

impl Dependencies {
    /// The sandbox, if it is on.
    ///
    /// # Errors
    /// When the HTTP client cannot be made.
    pub fn sandbox(
        &self,
        settings: &Settings,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<Option<Sandbox>> {
        if !settings.has_sandbox() {
            return Ok(None);
        }
        Ok(Some(Sandbox {
            records: self.store.sandbox_records.clone(),
            reads: self.store.online_reads.clone(),
            keys,
            clock: self.clock.clone(),
            urls: urls.clone(),
            client: Sandbox::client().context("the sandbox cannot send events")?,
        }))
    }

    /// The use cases of online payments.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn online_payments(
        &self,
        settings: &Settings,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<OnlinePayments> {
        let sandbox = self.sandbox(settings, urls, keys.clone())?;
        let sandbox = sandbox.map(|sandbox| -> Arc<dyn PaymentGateway> { Arc::new(sandbox) });
        let live = live_gateways(settings, self.clock.clone(), self.ids.clone())?;
        Ok(OnlinePayments {
            store: self.store.online_payments.clone(),
            reads: self.store.online_reads.clone(),
            invoicing: self.invoicing(settings, urls),
            gateways: sandbox.into_iter().chain(live).collect(),
            keys,
            random: self.random.clone(),
            delay: settings.bank_details_delay()?,
        })
    }

    /// Tells documents whether payers can pay online.
    ///
    /// # Errors
    /// As [`Dependencies::online_payments`].
    pub(super) fn online_offers(
        &self,
        settings: &Settings,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<Arc<dyn OnlineOffers>> {
        Ok(Arc::new(Offers(self.online_payments(settings, urls, keys)?)))
    }
}

struct Offers(OnlinePayments);

#[async_trait]
impl OnlineOffers for Offers {
    async fn are_made(&self, invoice: &Invoice) -> StoreResult<bool> {
        self.0.is_offered(invoice).await
    }
}
