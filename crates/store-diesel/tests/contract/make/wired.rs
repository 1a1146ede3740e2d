//! Use cases over a store.

use std::sync::Arc;

use invoices::{Invoice, InvoicingPolicy};
use kernel::Currency;
use store_diesel::Store;
use testkit::StillClock;

/// Draws nothing: what an invoice looks like is not the store's business.
struct NoDocuments;

impl invoices::InvoiceDocuments for NoDocuments {
    fn render(
        &self,
        _: &invoices::Letterhead,
        _: &Invoice,
        _: &str,
    ) -> Result<Vec<u8>, invoices::DocumentError> {
        Ok(b"%PDF-".to_vec())
    }
}

/// The use cases of invoices over a store.
pub(crate) fn invoicing(store: &Store, clock: StillClock) -> invoices::Invoicing {
    invoices::Invoicing {
        store: store.invoicing.clone(),
        reads: store.invoice_reads.clone(),
        clock: Arc::new(clock),
        ids: Arc::new(kernel::SystemIds::default()),
        random: Arc::new(kernel::SystemRandom::default()),
        policy: InvoicingPolicy::default(),
        mailer: invoices::InvoiceMailer {
            documents: Arc::new(NoDocuments),
            pictures: Arc::new(invoices::NoPictures),
            urls: kernel::PublicUrls::new("https://pay.example"),
        },
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
