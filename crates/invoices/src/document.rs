//! Invoices and receipts as PDF: the port that lays them out, and the ports that read the other data they
//! show.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use kernel::errors::Source;
use kernel::{AccountId, Currency, LogoKey, Money, PublicUrls, StoreResult, TimeZone};
use time::OffsetDateTime;

use crate::bank_transfer::BankTransfer;
use crate::invoice::Invoice;
use crate::letterhead::{Letterhead, LetterheadLogo};
use crate::payment::Payment;

/// The content of an invoice's PDF.
#[derive(Clone)]
pub struct InvoiceDocument {
    /// The letterhead, with its logo if the logo can be read.
    pub letterhead: Letterhead,
    /// The invoice to lay out, with its payments.
    pub invoice: Invoice,
    /// The address of the invoice's payment page, shown while an amount is due.
    pub pay_url: String,
    /// The bank details to pay to, while an amount is due.
    pub bank_transfer: Option<BankTransfer>,
    /// How the payment page offers to pay what is due.
    pub way_to_pay: WayToPay,
}

/// Without the address of the payment page, which whoever has it may use.
impl fmt::Debug for InvoiceDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("InvoiceDocument");
        shown.field("invoice", &self.invoice.id).field("number", &self.invoice.number);
        shown.field("way_to_pay", &self.way_to_pay).finish_non_exhaustive()
    }
}

/// How the payment page offers to pay an invoice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayToPay {
    /// Online, and by bank transfer where the account has bank details.
    Online,
    /// By bank transfer only.
    BankTransfer,
    /// Not at all: nothing is due, or the account has neither a gateway nor bank details.
    None,
}

impl WayToPay {
    /// The label of a link to the payment page.
    #[must_use]
    pub const fn link_label(self) -> &'static str {
        match self {
            Self::Online => "Pay online",
            Self::BankTransfer => "How to pay",
            Self::None => "View invoice",
        }
    }
}

/// The content of the receipt of one payment.
#[derive(Debug, Clone)]
pub struct ReceiptDocument {
    /// The letterhead, with its logo if the logo can be read.
    pub letterhead: Letterhead,
    /// The invoice that was paid.
    pub invoice: Invoice,
    /// A payment of this invoice.
    pub payment: Payment,
    /// The refunded part of the payment, if any.
    pub refunded: Option<Money>,
    /// The time zone of the date shown.
    pub time_zone: TimeZone,
}

/// An invoice could not be laid out, although the caller's fields were valid.
#[derive(Debug, thiserror::Error)]
#[error("the invoice could not be laid out as a document")]
pub struct DocumentError(#[from] pub Source);

/// Lays invoices out as documents to print, mail and archive.
///
/// An implementation makes a complete PDF (ISO 32000) of every invoice that the domain can hold, for all
/// texts and any number of lines, and the same bytes for the same input. It neither omits nor cuts anything
/// of the invoice; it omits a logo that cannot be read. It computes on its own threads, at most as many at a
/// time as the machine has cores.
#[async_trait]
pub trait InvoiceDocuments: Send + Sync {
    /// The invoice as a PDF.
    ///
    /// # Errors
    /// [`DocumentError`] when the document cannot be made.
    async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError>;

    /// The receipt of a payment as a PDF.
    ///
    /// # Errors
    /// As [`InvoiceDocuments::render`].
    async fn receipt(&self, document: ReceiptDocument) -> Result<Vec<u8>, DocumentError>;
}

/// Reads the bank details that documents show.
#[async_trait]
pub trait BankTransfers: Send + Sync {
    /// The account's bank details for a currency that were in force at an instant, if there were any.
    async fn in_force(
        &self,
        account: AccountId,
        currency: Currency,
        at: OffsetDateTime,
    ) -> StoreResult<Option<BankTransfer>>;
}

/// Tells whether payers can pay online.
#[async_trait]
pub trait OnlineOffers: Send + Sync {
    /// Whether the payer of an invoice is offered a gateway for what is due of it.
    async fn are_made(&self, invoice: &Invoice) -> StoreResult<bool>;
}

/// Reads the pictures of logos. A missing logo is not an error: the document is made without it.
#[async_trait]
pub trait LogoPictures: Send + Sync {
    /// The picture with this key; it never changes. `None` when there is none, or when it cannot be read:
    /// then the implementation logs a warning.
    async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>>;
}

/// Renders invoices under their letterheads.
#[derive(Clone)]
pub struct InvoiceRenderer {
    /// Lays documents out.
    pub documents: Arc<dyn InvoiceDocuments>,
    /// Reads the pictures of logos.
    pub logos: Arc<dyn LogoPictures>,
    /// Reads bank details.
    pub bank_transfers: Arc<dyn BankTransfers>,
    /// Tells whether payers can pay online.
    pub online: Arc<dyn OnlineOffers>,
    /// Makes the addresses of payment pages and logos.
    pub urls: PublicUrls,
}

impl InvoiceRenderer {
    /// The content of an invoice's document: reads the letterhead's logo and the bank details that were in
    /// force at an instant. Never called inside a transaction.
    ///
    /// # Errors
    /// An error of the store: without its bank details the document would not say how to pay.
    pub async fn document(
        &self,
        letterhead: Letterhead,
        invoice: Invoice,
        at: OffsetDateTime,
    ) -> StoreResult<InvoiceDocument> {
        let (mut bank_transfer, mut way_to_pay) = (None, WayToPay::None);
        if invoice.status.is_payable() {
            bank_transfer = self.bank_transfers.in_force(invoice.account, invoice.currency, at).await?;
            way_to_pay = match (&bank_transfer, self.online.are_made(&invoice).await?) {
                (_, true) => WayToPay::Online,
                (Some(_), false) => WayToPay::BankTransfer,
                (None, false) => WayToPay::None,
            };
        }
        Ok(InvoiceDocument {
            pay_url: self.urls.payment_page(invoice.pay_token.reveal()),
            letterhead: self.with_logo(letterhead).await,
            invoice,
            bank_transfer,
            way_to_pay,
        })
    }

    /// The letterhead with its logo, if the logo can be read.
    pub(crate) async fn with_logo(&self, letterhead: Letterhead) -> Letterhead {
        let (mut logo, mut logo_url) = (None, None);
        if let Some(key) = &letterhead.logo_key {
            let kind = key.kind();
            let bytes = self.logos.picture(key).await;
            logo = bytes.map(|bytes| LetterheadLogo { bytes, kind });
            logo_url = Some(self.urls.logo(key));
        }
        Letterhead { logo, logo_url, ..letterhead }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use kernel::{LogoKind, SystemRandom};
    use testkit::FixedClock;

    use super::*;
    use crate::email_template::tests::acme::full;

    /// Renders every document as the name of its company.
    pub(crate) struct CompanyNames;

    #[async_trait]
    impl InvoiceDocuments for CompanyNames {
        async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
            Ok(document.letterhead.company_name.into_bytes())
        }

        async fn receipt(&self, document: ReceiptDocument) -> Result<Vec<u8>, DocumentError> {
            let (company, payment) = (document.letterhead.company_name, document.payment.id);
            Ok(format!("{company} {payment}").into_bytes())
        }
    }

    /// Has no bank details.
    pub(crate) struct NoBankTransfers;

    #[async_trait]
    impl BankTransfers for NoBankTransfers {
        async fn in_force(
            &self,
            _: AccountId,
            _: Currency,
            _: OffsetDateTime,
        ) -> StoreResult<Option<BankTransfer>> {
            Ok(None)
        }
    }

    /// Offers online payments or not, as told.
    pub(crate) struct Offers(pub(crate) bool);

    #[async_trait]
    impl OnlineOffers for Offers {
        async fn are_made(&self, _: &Invoice) -> StoreResult<bool> {
            Ok(self.0)
        }
    }

    /// Has the picture of one key.
    struct OnePicture(LogoKey);

    #[async_trait]
    impl LogoPictures for OnePicture {
        async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>> {
            (*key == self.0).then(|| Arc::from(&b"picture"[..]))
        }
    }

    #[test]
    fn debug_output_of_a_document_leaves_out_the_address_of_its_payment_page() {
        let document = InvoiceDocument {
            letterhead: Letterhead::default(),
            invoice: full(),
            pay_url: "https://books.example.com/pay/t0k3n".to_owned(),
            bank_transfer: None,
            way_to_pay: WayToPay::Online,
        };
        let printed = format!("{document:?}");
        assert!(printed.contains("INV-0001") && !printed.contains("t0k3n"), "{printed}");
    }

    #[tokio::test]
    async fn document_has_the_logo_that_can_be_read() {
        let key = |kind| LogoKey::generate(kind, &SystemRandom::default());
        let (readable, missing) = (key(LogoKind::Jpeg), key(LogoKind::Png));
        let renderer = InvoiceRenderer {
            documents: Arc::new(CompanyNames),
            logos: Arc::new(OnePicture(readable.clone())),
            bank_transfers: Arc::new(NoBankTransfers),
            online: Arc::new(Offers(true)),
            urls: PublicUrls::new("https://books.example.com"),
        };
        let shown = async |logo_key: Option<LogoKey>| {
            let letterhead = Letterhead { logo_key, ..Letterhead::default() };
            renderer.document(letterhead, full(), FixedClock::START).await.unwrap().letterhead
        };
        let found = shown(Some(readable.clone())).await;
        assert_eq!(found.logo.map(|logo| logo.kind), Some(LogoKind::Jpeg));
        let url = format!("https://books.example.com/logos/{readable}");
        assert_eq!(found.logo_url, Some(url));
        let unreadable = shown(Some(missing)).await;
        assert_eq!((unreadable.logo, unreadable.logo_url.is_some()), (None, true));
        let none = shown(None).await;
        assert_eq!((none.logo, none.logo_url), (None, None));
    }
}
