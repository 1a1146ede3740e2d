//! Use cases over a store.

use std::sync::Arc;

use invoices::InvoicingPolicy;
use kernel::Currency;
use store_diesel::Store;
use testkit::StillClock;

/// The use cases of invoices over a store.
pub(crate) fn invoicing(store: &Store, clock: StillClock) -> invoices::Invoicing {
    invoices::Invoicing {
        store: store.invoicing.clone(),
        reads: store.invoice_reads.clone(),
        clock: Arc::new(clock),
        ids: Arc::new(kernel::SystemIds::default()),
        random: Arc::new(kernel::SystemRandom::default()),
        policy: InvoicingPolicy::default(),
        urls: kernel::PublicUrls::new("https://pay.example"),
        ledger: false,
    }
}

/// Lets every target pass: where a name leads is not the store's business.
struct EverywhereIsFine;

#[async_trait::async_trait]
impl webhooks::TargetGuard for EverywhereIsFine {
    async fn check(&self, _: &kernel::HttpsUrl) -> Result<(), webhooks::TargetRefused> {
        Ok(())
    }
}

/// The use cases of partner accounts over a store.
pub(crate) fn partner_accounts(store: &Store) -> partner_accounts::PartnerAccounts {
    partner_accounts::PartnerAccounts {
        store: store.provisioning.clone(),
        reads: store.account_reads.clone(),
        clock: Arc::new(StillClock::default()),
        ids: Arc::new(kernel::SystemIds::default()),
        random: Arc::new(kernel::SystemRandom::default()),
        default_currency: Currency::parse("AUD").unwrap(),
        guard: Arc::new(EverywhereIsFine),
        logos: crate::logos::logos(store),
        keys: Arc::new(kernel::SealingKeys::new(&[7; 32], None)),
        urls: kernel::PublicUrls::new("https://books.example"),
    }
}
