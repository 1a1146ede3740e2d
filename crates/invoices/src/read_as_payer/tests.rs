use async_trait::async_trait;
use kernel::{AccountId, Id, LogoKey, PublicUrls, StoreResult, SystemRandom, TimeZone};
use testkit::FixedClock;
use time::macros::date;
use time::{Date, OffsetDateTime};

use super::*;
use crate::document::LogoPictures;
use crate::document::tests::{CompanyNames, NoBankTransfers, Offers};
use crate::email_template::tests::acme::full;
use crate::invoice::{Invoice, InvoiceData};
use crate::letterhead::Letterhead;
use crate::number::InvoiceNumber;
use crate::payer_offers::PayerOffers;
use crate::payment::{Payment, PaymentMethod, RecordedBy};
use crate::ports::MailableInvoice;
use crate::promise::{Promise, PromisedBy};
use crate::receipt::ReceiptError;
use crate::status::InvoiceStatus;

/// Has one invoice, and one token that was replaced.
struct One {
    shown: InvoiceForPayer,
    replaced: PayToken,
}

#[async_trait]
impl PayerReads for One {
    async fn by_pay_token(
        &self,
        token: &PayToken,
        _: OffsetDateTime,
    ) -> StoreResult<Option<InvoiceForPayer>> {
        Ok((self.shown.invoice.pay_token == *token).then(|| self.shown.clone()))
    }

    async fn replaced_pay_token(&self, token: &PayToken) -> StoreResult<Option<String>> {
        Ok((self.replaced == *token).then(|| "acme".to_owned()))
    }

    async fn account_by_slug(&self, _: &str) -> StoreResult<Option<PayeeAccount>> {
        Ok(None)
    }

    async fn mailable_by_number(
        &self,
        _: AccountId,
        _: &InvoiceNumber,
    ) -> StoreResult<Option<MailableInvoice>> {
        Ok(None)
    }
}

struct NoPictures;

#[async_trait]
impl LogoPictures for NoPictures {
    async fn picture(&self, _: &LogoKey) -> Option<Arc<[u8]>> {
        None
    }
}

fn shown(status: InvoiceStatus) -> InvoiceForPayer {
    let data: InvoiceData = (*full()).clone();
    InvoiceForPayer {
        invoice: Invoice::from_stored(InvoiceData { status, ..data }),
        letterhead: Letterhead { company_name: "Acme".to_owned(), ..Letterhead::default() },
        time_zone: TimeZone::utc(),
        account_is_active: true,
        promise_days: 14,
        promise: None,
        bank_transfer: None,
        ever_had_gateway: false,
    }
}

fn invoices(shown: InvoiceForPayer) -> (PayerInvoices, PayToken, PayToken) {
    let token = shown.invoice.pay_token.clone();
    let replaced = PayToken::generate(shown.invoice.account, &SystemRandom::default());
    let renderer = InvoiceRenderer {
        documents: Arc::new(CompanyNames),
        logos: Arc::new(NoPictures),
        bank_transfers: Arc::new(NoBankTransfers),
        online: Arc::new(Offers(true)),
        urls: PublicUrls::new("https://books.example.com"),
    };
    let reads = Arc::new(One { shown, replaced: replaced.clone() });
    (PayerInvoices { reads, renderer, clock: Arc::new(FixedClock::default()) }, token, replaced)
}

fn with(status: InvoiceStatus, account_is_active: bool) -> (PayerInvoices, PayToken) {
    let (invoices, token, _) = invoices(InvoiceForPayer { account_is_active, ..shown(status) });
    (invoices, token)
}

#[tokio::test]
async fn issued_invoice_is_shown_and_rendered() {
    for status in InvoiceStatus::ALL.into_iter().filter(|status| *status != InvoiceStatus::Draft) {
        let (invoices, token) = with(status, true);
        assert_eq!(invoices.get(&token).await.unwrap().invoice.status, status);
        assert_eq!(invoices.pdf(&token).await.unwrap().bytes, b"Acme");
    }
}

#[tokio::test]
async fn draft_is_not_found() {
    let (invoices, token) = with(InvoiceStatus::Draft, true);
    assert!(matches!(invoices.get(&token).await, Err(ReadAsPayerError::NotFound)));
    let pdf = invoices.pdf(&token).await;
    assert!(matches!(pdf, Err(PayerPdfError::Read(ReadAsPayerError::NotFound))));
}

#[tokio::test]
async fn invoice_of_an_account_that_is_off_is_shown_and_not_rendered() {
    let (invoices, token) = with(InvoiceStatus::Unpaid, false);
    assert!(!invoices.get(&token).await.unwrap().account_is_active);
    assert!(matches!(invoices.pdf(&token).await, Err(PayerPdfError::SwitchedOff)));
}

#[tokio::test]
async fn replaced_token_leads_to_the_accounts_payment_page() {
    let (invoices, _, replaced) = invoices(shown(InvoiceStatus::Unpaid));
    let refused = invoices.get(&replaced).await;
    assert!(matches!(refused, Err(ReadAsPayerError::Replaced { payment_slug }) if payment_slug == "acme"));
}

#[tokio::test]
async fn promise_is_shown_until_its_day_has_ended() {
    let today = FixedClock::START.date();
    let on = async |date: Date| {
        let promise = Promise {
            id: Id::from_uuid(uuid::Uuid::from_u128(7)),
            invoice: full().id,
            promised_on: date,
            made_by: PromisedBy::Payer,
            message: None,
            is_replacement: false,
            made_at: FixedClock::START,
            superseded_at: None,
            withdrawn_at: None,
        };
        let shown = InvoiceForPayer { promise: Some(promise), ..shown(InvoiceStatus::Unpaid) };
        let (invoices, token, _) = invoices(shown);
        invoices.get(&token).await.unwrap().promise.is_some()
    };
    assert!(on(today).await);
    assert!(!on(date!(2020 - 01 - 01)).await);
}

#[test]
fn each_status_offers_what_the_payer_can_do_with_it() {
    let offers = |status, account_is_active| {
        let offers = InvoiceForPayer { account_is_active, ..shown(status) }.offers();
        [offers.payment, offers.help, offers.pdf, offers.receipts]
    };
    for (status, expected) in [
        (InvoiceStatus::Draft, [false; 4]),
        (InvoiceStatus::Scheduled, [true; 4]),
        (InvoiceStatus::Unpaid, [true; 4]),
        (InvoiceStatus::Overdue, [true; 4]),
        (InvoiceStatus::PartiallyPaid, [true; 4]),
        (InvoiceStatus::Paid, [false, true, true, true]),
        (InvoiceStatus::Cancelled, [false, true, true, false]),
    ] {
        assert_eq!(offers(status, true), expected, "{status:?}");
        assert_eq!(offers(status, false), [false; 4], "{status:?}");
    }
    let off = InvoiceForPayer { account_is_active: false, ..shown(InvoiceStatus::Unpaid) };
    assert_eq!(off.offers(), PayerOffers::default());
}

#[tokio::test]
async fn receipt_is_of_a_payment_of_the_invoice() {
    let mut paid = full();
    let payment = Payment {
        id: Id::from_uuid(uuid::Uuid::from_u128(9)),
        amount: paid.amount_due(),
        received_at: FixedClock::START,
        method: PaymentMethod::Card,
        reference: None,
        recorded_by: RecordedBy::Operator,
    };
    paid.record_payment(payment.clone(), FixedClock::START).unwrap();
    let payment = payment.id;
    let with = |status, account_is_active| {
        let mut shown = InvoiceForPayer { account_is_active, ..shown(status) };
        shown.invoice = Invoice::from_stored(InvoiceData { status, ..(*paid).clone() });
        invoices(shown)
    };
    for status in [InvoiceStatus::PartiallyPaid, InvoiceStatus::Paid] {
        let (invoices, token, _) = with(status, true);
        let receipt = invoices.receipt(&token, payment, None).await.unwrap();
        assert_eq!(receipt.bytes, format!("Acme {payment}").into_bytes());
        let unknown = invoices.receipt(&token, Id::from_uuid(uuid::Uuid::nil()), None).await;
        assert!(matches!(unknown, Err(ReceiptError::PaymentNotFound)));
    }
    let (invoices, token, _) = with(InvoiceStatus::Cancelled, true);
    assert!(matches!(invoices.receipt(&token, payment, None).await, Err(ReceiptError::NotOffered(_))));
    let (invoices, token, _) = with(InvoiceStatus::Paid, false);
    assert!(matches!(invoices.receipt(&token, payment, None).await, Err(ReceiptError::SwitchedOff)));
}
