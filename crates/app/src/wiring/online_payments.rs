//! Online payments: the use cases, and the gateways that this process knows.

use std::sync::Arc;

use anyhow::Context as _;
use async_trait::async_trait;
use gateway_sandbox::Sandbox;
use invoices::{Invoice, OnlineOffers};
use kernel::{PublicUrls, SealingKeys, StoreResult};
use payments::{OnlinePayments, PaymentGateway, SandboxCheckouts};
use time::Duration;

use super::Dependencies;
use super::adapters::live_gateways;

/// The gateways that a process knows. Clones share their connections.
#[derive(Clone)]
pub(crate) struct Gateways {
    /// Those that move real money, and the sandbox if it is on.
    pub(crate) all: Vec<Arc<dyn PaymentGateway>>,
    /// The sandbox, if it is on.
    pub(crate) sandbox: Option<Sandbox>,
}

impl Gateways {
    /// The checkouts of the sandbox, if it is on.
    pub(super) fn sandbox_checkouts(&self) -> Option<Arc<dyn SandboxCheckouts>> {
        self.sandbox.clone().map(|sandbox| -> Arc<dyn SandboxCheckouts> { Arc::new(sandbox) })
    }
}

impl Dependencies {
    /// Makes the gateways, with connections of their own: once for the serving threads, and once for the
    /// workers. A connection ends with the thread that opened it, and the workers finish after the serving
    /// threads.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub(crate) fn gateways(&self, urls: &PublicUrls, keys: Arc<SealingKeys>) -> anyhow::Result<Gateways> {
        let sandbox = self.sandbox(urls, keys)?;
        let in_database = sandbox.clone().map(|sandbox| -> Arc<dyn PaymentGateway> { Arc::new(sandbox) });
        let live = live_gateways(&self.settings, self.clock.clone(), self.ids.clone())?;
        Ok(Gateways { all: in_database.into_iter().chain(live).collect(), sandbox })
    }

    fn sandbox(&self, urls: &PublicUrls, keys: Arc<SealingKeys>) -> anyhow::Result<Option<Sandbox>> {
        if !self.settings.has_sandbox() {
            return Ok(None);
        }
        let extra_ca = self.settings.extra_ca_pem()?;
        Ok(Some(Sandbox {
            records: self.store.sandbox_records.clone(),
            reads: self.store.online_reads.clone(),
            keys,
            clock: self.clock.clone(),
            urls: urls.clone(),
            client: Sandbox::client(extra_ca.as_deref()).context("COUNTINGHOUSE_EXTRA_CA_FILE")?,
        }))
    }

    /// The use cases of online payments, through gateways of their own, for a command.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    pub fn online_payments(
        &self,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
    ) -> anyhow::Result<OnlinePayments> {
        let gateways = self.gateways(urls, keys.clone())?;
        let delay = self.settings.bank_details_delay()?;
        Ok(self.online_payments_through(urls, keys, &gateways, delay))
    }

    /// The same through gateways that others use too.
    pub(crate) fn online_payments_through(
        &self,
        urls: &PublicUrls,
        keys: Arc<SealingKeys>,
        gateways: &Gateways,
        delay: Duration,
    ) -> OnlinePayments {
        OnlinePayments {
            store: self.store.online_payments.clone(),
            reads: self.store.online_reads.clone(),
            invoicing: self.invoicing(urls),
            gateways: gateways.all.clone(),
            keys,
            random: self.random.clone(),
            delay,
        }
    }

    /// Tells documents whether payers can pay online.
    pub(super) fn online_offers(online: OnlinePayments) -> Arc<dyn OnlineOffers> {
        Arc::new(Offers(online))
    }
}

struct Offers(OnlinePayments);

#[async_trait]
impl OnlineOffers for Offers {
    async fn are_made(&self, invoice: &Invoice) -> StoreResult<bool> {
        self.0.is_offered(invoice).await
    }
}
