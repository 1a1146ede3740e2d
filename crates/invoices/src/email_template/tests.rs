//! Invoice mails as their readers see them. Review the diff of a snapshot as a reader of the mail.

pub(crate) mod acme;

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{
    AccountId, Currency, Field, Id, LogoKey, Money, MultiLine, SingleLine, StoreError, StoreResult,
};
use mail::{EmailTemplate as _, MailMessage, QueuedMail, RenderError};
use testkit::{CountingIds, FixedClock};
use time::OffsetDateTime;

use super::{InvoiceEmail, InvoicePayload};
use crate::bank_transfer::BankTransfer;
use crate::document::tests::{CompanyNames, NoBankTransfers, Offers};
use crate::document::{BankTransfers, InvoiceDocument, InvoiceRenderer, LogoPictures, WayToPay};
use crate::invoice::Invoice;
use crate::payment::{Payment, PaymentMethod, RecordedBy};
use crate::{InvoiceNumber, InvoiceStatus, Letterhead, LineAmountTypes};
use acme::{acme, contact, created, full, input, line, with};

const PAY_URL: &str = "https://pay.acme.example/pay/r4nd0m-t0k3n";

/// The mail of an invoice whose payment page offers a way to pay.
fn email_template(
    letterhead: &Letterhead,
    invoice: &Invoice,
    pay_url: &str,
) -> Result<MailMessage, RenderError> {
    super::email_template(&InvoiceDocument {
        letterhead: letterhead.clone(),
        invoice: invoice.clone(),
        pay_url: pay_url.to_owned(),
        bank_transfer: None,
        way_to_pay: WayToPay::Online,
    })
}

fn html(letterhead: &Letterhead, invoice: &Invoice) -> String {
    email_template(letterhead, invoice, PAY_URL).unwrap().html
}

#[test]
fn full_invoice_renders_all_parts() {
    let message = email_template(&acme(), &full(), PAY_URL).unwrap();
    assert_eq!(
        message.subject.as_str(),
        "Invoice INV-0001 from Acme Pty Ltd (AUD 2,888.34 due 4 December 2026)"
    );
    assert_eq!(message.from_name.unwrap().as_str(), "Acme Pty Ltd");
    assert_eq!(message.to.as_str(), "ada@example.com");
    assert_eq!(message.to_name.unwrap().as_str(), "Ada Lovelace");
    assert_eq!(message.reply_to.unwrap().as_str(), "accounts@acme.example");
    insta::assert_snapshot!("full_text", message.text);
    insta::assert_snapshot!("full_html", message.html);
}

#[test]
fn account_without_particulars_renders() {
    let lines = vec![line("Consulting", "1.5", "20000", "0")];
    let invoice = created(input("JPY", LineAmountTypes::NoTax, lines));
    let bare = Letterhead { company_name: "Acme".to_owned(), ..Letterhead::default() };
    let message = email_template(&bare, &invoice, PAY_URL).unwrap();
    assert_eq!(message.subject.as_str(), "Invoice INV-0001 from Acme (JPY 30,000 due 4 December 2026)");
    assert!(message.reply_to.is_none());
    insta::assert_snapshot!("bare_text", message.text);
    let nameless = email_template(&Letterhead::default(), &invoice, PAY_URL).unwrap();
    assert_eq!(nameless.subject.as_str(), "Invoice INV-0001 (JPY 30,000 due 4 December 2026)");
    assert!(nameless.from_name.is_none());
}

#[test]
fn a_letter_of_an_invoice_that_is_paid_in_part_asks_for_the_rest() {
    let lines = vec![line("Consulting", "1", "110", "10")];
    let invoice = created(input("AUD", LineAmountTypes::Inclusive, lines));
    let invoice = with(&invoice, |data| {
        data.amount_paid = Money::new(5_000, data.currency);
        data.status = InvoiceStatus::PartiallyPaid;
    });
    let message = email_template(&acme(), &invoice, PAY_URL).unwrap();
    assert!(message.subject.as_str().contains("(AUD 60.00 due 4 December 2026)"));
    insta::assert_snapshot!("partly_paid_text", message.text);
}

#[test]
fn the_opening_suits_the_state_of_the_invoice() {
    for (status, opening, subject) in [
        (InvoiceStatus::Unpaid, "AUD 2,888.34 is due on 4 December 2026.", "due 4 December 2026)"),
        (
            InvoiceStatus::Overdue,
            "was due on 4 December 2026, and AUD 2,888.34 is still to be paid.",
            "due 4 December 2026)",
        ),
        (InvoiceStatus::Paid, "for your records: nothing is left to pay.", "(AUD 2,888.34, paid)"),
        (
            InvoiceStatus::Cancelled,
            "has been cancelled: nothing is left to pay.",
            "(AUD 2,888.34, cancelled)",
        ),
    ] {
        let invoice = with(&full(), |data| {
            data.status = status;
            if status == InvoiceStatus::Paid {
                data.amount_paid = data.totals.total;
            }
        });
        let message = email_template(&acme(), &invoice, PAY_URL).unwrap();
        assert!(message.text.contains(opening), "{}", message.text);
        assert!(message.html.contains(opening));
        assert!(message.subject.as_str().ends_with(subject), "{}", message.subject);
        let asks = message.html.contains(">Pay AUD");
        assert_eq!(asks, matches!(status, InvoiceStatus::Unpaid | InvoiceStatus::Overdue));
    }
}

#[tokio::test]
async fn mail_asks_to_pay_where_there_is_a_way_to() {
    for (offers, text, button) in
        [(true, "Pay online:", ">Pay AUD"), (false, "View invoice:", ">View invoice<")]
    {
        let mut template = template();
        template.0.online = Arc::new(Offers(offers));
        let document = template.0.document(acme(), full(), FixedClock::START).await.unwrap();
        let message = super::email_template(&document).unwrap();
        assert!(message.text.contains(text) && message.html.contains(button), "{}", message.text);
        assert!(message.html.contains("Due 4 December 2026") && message.html.contains("/pay/"));
        assert_eq!(message.text.contains("Pay online"), offers);
        assert_eq!(message.html.contains(">Pay"), offers);
        let by_transfer = InvoiceDocument { way_to_pay: WayToPay::BankTransfer, ..document };
        let message = super::email_template(&by_transfer).unwrap();
        assert!(message.text.contains("How to pay:") && message.html.contains(">Pay AUD"));
    }
}

#[test]
fn nothing_that_a_caller_sent_is_taken_for_html() {
    let nasty = "<script>alert(1)</script> \"quoted\" 'single' & <b>";
    let mut input = input("AUD", LineAmountTypes::Exclusive, vec![line(nasty, "1", "1", "0")]);
    input.texts.notes = Field::Value(MultiLine::parse(nasty).unwrap());
    input.texts.reference = Field::Value(SingleLine::parse(nasty).unwrap());
    let invoice = with(&created(input), |data| {
        data.number = InvoiceNumber::parse("<i>1</i>").unwrap();
        data.contact = Some(contact(nasty, Some("ada@example.com")).into());
    });
    let letterhead = Letterhead {
        company_name: nasty.to_owned(),
        email: Some(nasty.to_owned()),
        phone: Some(nasty.to_owned()),
        abn: Some(nasty.to_owned()),
        address_lines: vec![nasty.to_owned()],
        time_zone: None,
        brand_color: Some("#000000;\"><script>".to_owned()),
        logo_key: None,
        logo: None,
        logo_url: Some("https://a.example/\"><script>".to_owned()),
    };
    let html = html(&letterhead, &invoice);
    for forbidden in ["<script", "<b>", "<i>", "\"quoted\""] {
        assert!(!html.contains(forbidden), "{forbidden}: {html}");
    }
    let message = email_template(&letterhead, &invoice, PAY_URL).unwrap();
    assert!(message.text.contains(nasty));
}

#[test]
fn a_company_name_of_several_lines_gets_no_second_line_into_a_header() {
    let letterhead = Letterhead {
        company_name: format!("Acme\r\nBcc: eve@example.com\0{}", "x".repeat(1_000)),
        email: Some("accounts@acme.example\r\nBcc: eve@example.com".to_owned()),
        ..Letterhead::default()
    };
    let message = email_template(&letterhead, &full(), PAY_URL).unwrap();
    let name = message.from_name.unwrap();
    assert!(name.as_str().starts_with("Acme Bcc: eve@example.com x"));
    assert_eq!(name.as_str().chars().count(), 200);
    assert!(message.subject.as_str().chars().count() <= 500);
    assert!(message.reply_to.is_none());
}

#[test]
fn a_logo_is_shown_from_the_web_alone_and_named_for_those_who_do_not_load_it() {
    let with_logo = |url: &str| Letterhead { logo_url: Some(url.to_owned()), ..acme() };
    let shown = html(&with_logo("https://media.example/logo.png"), &full());
    assert!(shown.contains("<img src=\"https://media.example/logo.png\" alt=\"Acme Pty Ltd\""));
    // Neither side is fixed, so that a wide logo is not squeezed.
    assert!(shown.contains("max-height:40px;height:auto;max-width:220px;width:auto;"));
    for url in ["javascript:alert(1)", "data:image/png;base64,AAAA", "logo.png"] {
        assert!(!html(&with_logo(url), &full()).contains("<img"), "{url}");
    }
}

#[test]
fn a_letter_of_many_long_lines_stays_small_enough_to_be_shown_whole() {
    let long = format!("{}\n{}", "wide ".repeat(300), "<&>".repeat(500));
    let lines = (0..500).map(|_| line(&long, "1", "1", "0")).collect();
    let invoice = created(input("AUD", LineAmountTypes::NoTax, lines));
    let message = email_template(&acme(), &invoice, PAY_URL).unwrap();
    assert!(message.html.len() < 100_000, "{}", message.html.len());
    assert!(message.html.contains("and 450 more"));
    assert_eq!(message.text.matches("AUD 1.00").count(), 500);
}

#[test]
fn a_long_description_is_cut_across_its_lines() {
    let long = format!("{}\n{}", "a".repeat(300), "b".repeat(300));
    let invoice = created(input("AUD", LineAmountTypes::NoTax, vec![line(&long, "1", "1", "0")]));
    let shown = html(&acme(), &invoice);
    let cut = format!("{}<br>{}…<br>", "a".repeat(300), "b".repeat(200));
    assert!(shown.contains(&cut), "{shown}");
    let longest = format!("{}\n{}", "a".repeat(300), "b".repeat(200));
    let invoice = created(input("AUD", LineAmountTypes::NoTax, vec![line(&longest, "1", "1", "0")]));
    let whole = format!("{}<br>{}<br>", "a".repeat(300), "b".repeat(200));
    assert!(html(&acme(), &invoice).contains(&whole));
}

#[test]
fn contact_without_email_is_refused() {
    for contact in [None, Some(contact("Ada", None).into())] {
        let invoice = with(&full(), |data| data.contact = contact);
        let refused = email_template(&acme(), &invoice, PAY_URL);
        assert!(matches!(refused, Err(RenderError::Payload(_))));
    }
}

/// An invoice with a payment and all optional fields.
fn with_every_field() -> Invoice {
    with(&full(), |data| {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        data.payments.push(Payment {
            id: Id::new(&ids, now),
            amount: Money::new(12_345, data.currency),
            received_at: now,
            method: PaymentMethod::BankTransfer,
            reference: SingleLine::parse("INV-0001").ok(),
            recorded_by: RecordedBy::Operator,
        });
        data.amount_paid = Money::new(12_345, data.currency);
        data.ledger_invoice_id = SingleLine::parse("x-1").ok();
        data.texts.staff = SingleLine::parse("Maya").ok();
        data.last_sent_at = Some(now);
        data.send_count = 2;
        if let Some(contact) = &mut data.contact {
            contact.phone = SingleLine::parse("+61 2").ok();
            contact.external_id = SingleLine::parse("c-1").ok();
            contact.address = Some(contacts::PostalAddress {
                city: SingleLine::parse("Sydney").ok(),
                ..contacts::PostalAddress::default()
            });
        }
    })
}

#[test]
fn invoice_survives_its_payload() {
    let yen = vec![line("Consulting", "1.5", "0.0001", "0")];
    for invoice in [
        full(),
        with_every_field(),
        created(input("JPY", LineAmountTypes::NoTax, yen)),
        with(&full(), |data| data.contact = None),
    ] {
        let json = mail::payload(&InvoicePayload::from(&invoice)).to_string();
        let payload: InvoicePayload = serde_json::from_str(&json).unwrap();
        assert_eq!(payload.into_invoice(), Some(invoice));
        assert!(json.len() < 4_000, "{} bytes", json.len());
    }
}

struct NoPictures;

#[async_trait]
impl LogoPictures for NoPictures {
    async fn picture(&self, _: &LogoKey) -> Option<Arc<[u8]>> {
        None
    }
}

fn template() -> InvoiceEmail {
    InvoiceEmail(InvoiceRenderer {
        documents: Arc::new(CompanyNames),
        logos: Arc::new(NoPictures),
        bank_transfers: Arc::new(NoBankTransfers),
        online: Arc::new(Offers(true)),
        urls: kernel::PublicUrls::new("https://books.example.com"),
    })
}

fn queued(payload: serde_json::Value, letterhead: Option<&str>) -> QueuedMail {
    let (ids, now) = (CountingIds::default(), FixedClock::START);
    QueuedMail {
        id: Id::new(&ids, now),
        account: Id::new(&ids, now),
        template: InvoiceEmail::NAME.to_owned(),
        to: kernel::EmailAddress::parse("ada@example.com").unwrap(),
        payload,
        letterhead: letterhead.map(str::to_owned),
        queued_at: now,
    }
}

#[tokio::test]
async fn mail_is_rendered_from_payload_and_letterhead() {
    let invoice = full();
    let letterhead =
        r#"{"company_name": "Acme", "email": "accounts@acme.example", "address_city": "Sydney"}"#;
    let mail = queued(mail::payload(&InvoicePayload::from(&invoice)), Some(letterhead));
    let message = template().render(&mail).await.unwrap();
    assert_eq!(message.from_name.as_ref().unwrap().as_str(), "Acme");
    assert_eq!(message.to, mail.to);
    let pay_url = format!("https://books.example.com/pay/{}", invoice.pay_token.reveal());
    assert!(message.text.contains(&pay_url) && message.html.contains(&pay_url));
    assert!(message.text.contains("Sydney"));
    assert_eq!(message.attachments.len(), 1);
    assert_eq!(message.attachments[0].file_name.as_str(), "invoice-INV-0001.pdf");
    assert_eq!(message.attachments[0].bytes, b"Acme");
    assert_eq!(template().render(&mail).await.unwrap(), message);
    assert!(!format!("{mail:?}").contains(invoice.pay_token.reveal()));
}

/// Bank details that cannot be read.
struct Unavailable;

#[async_trait]
impl BankTransfers for Unavailable {
    async fn in_force(
        &self,
        _: AccountId,
        _: Currency,
        _: OffsetDateTime,
    ) -> StoreResult<Option<BankTransfer>> {
        Err(StoreError::Unavailable("the store is down".into()))
    }
}

#[tokio::test]
async fn mail_is_not_made_without_bank_details_that_cannot_be_read() {
    let mut template = template();
    template.0.bank_transfers = Arc::new(Unavailable);
    let mail = queued(mail::payload(&InvoicePayload::from(&full())), Some(r#"{"company_name": "Acme"}"#));
    let refused = template.render(&mail).await;
    assert!(matches!(refused, Err(RenderError::Store(_))), "{refused:?}");
}

#[tokio::test]
async fn payload_that_cannot_be_read_is_an_error() {
    let payload = mail::payload(&InvoicePayload::from(&full()));
    let mut other_currency = payload.clone();
    other_currency["currency"] = "money".into();
    let letterhead = r#"{"company_name": "Acme"}"#;
    for mail in [
        queued(serde_json::json!({}), Some(letterhead)),
        queued(other_currency, Some(letterhead)),
        queued(payload.clone(), None),
        queued(payload.clone(), Some("[]")),
    ] {
        let refused = template().render(&mail).await;
        assert!(matches!(refused, Err(RenderError::Payload(_))), "{refused:?}");
    }
}
