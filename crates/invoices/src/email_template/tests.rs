//! Letters as they are read. Read the diff of a snapshot as the one who gets the mail would.

mod acme;

use kernel::{Block, Field, Money, SingleLine};

use super::{EmailTemplateError, email_template};
use crate::invoice::Invoice;
use crate::{InvoiceNumber, Letterhead, LineAmountTypes, Status};
use acme::{acme, contact, full, input, line, raised, with};

const PAY_URL: &str = "https://pay.acme.example/pay/r4nd0m-t0k3n";

fn html(letterhead: &Letterhead, invoice: &Invoice) -> String {
    email_template(letterhead, invoice, PAY_URL).unwrap().html
}

#[test]
fn a_full_letter_reads_well() {
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
fn a_letter_of_an_account_that_has_said_nothing_reads_well() {
    let lines = vec![line("Consulting", "1.5", "20000", "0")];
    let invoice = raised(input("JPY", LineAmountTypes::NoTax, lines));
    let bare = Letterhead {
        company_name: "Acme".to_owned(),
        ..Letterhead::default()
    };
    let message = email_template(&bare, &invoice, PAY_URL).unwrap();
    assert_eq!(
        message.subject.as_str(),
        "Invoice INV-0001 from Acme (JPY 30,000 due 4 December 2026)"
    );
    assert!(message.reply_to.is_none());
    insta::assert_snapshot!("bare_text", message.text);
    let nameless = email_template(&Letterhead::default(), &invoice, PAY_URL).unwrap();
    assert_eq!(
        nameless.subject.as_str(),
        "Invoice INV-0001 (JPY 30,000 due 4 December 2026)"
    );
    assert!(nameless.from_name.is_none());
}

#[test]
fn a_letter_of_an_invoice_that_is_paid_in_part_asks_for_the_rest() {
    let lines = vec![line("Consulting", "1", "110", "10")];
    let invoice = raised(input("AUD", LineAmountTypes::Inclusive, lines));
    let invoice = with(&invoice, |data| {
        data.amount_paid = Money::new(5_000, data.currency);
        data.status = Status::PartiallyPaid;
    });
    let message = email_template(&acme(), &invoice, PAY_URL).unwrap();
    assert!(
        message
            .subject
            .as_str()
            .contains("(AUD 60.00 due 4 December 2026)")
    );
    insta::assert_snapshot!("partly_paid_text", message.text);
}

#[test]
fn the_opening_suits_the_state_of_the_invoice() {
    for (status, opening, subject) in [
        (
            Status::Unpaid,
            "AUD 2,888.34 is due on 4 December 2026.",
            "due 4 December 2026)",
        ),
        (
            Status::Overdue,
            "was due on 4 December 2026, and AUD 2,888.34 is still to be paid.",
            "due 4 December 2026)",
        ),
        (
            Status::Paid,
            "for your records: nothing is left to pay.",
            "(AUD 2,888.34, paid)",
        ),
        (
            Status::Cancelled,
            "has been cancelled: nothing is left to pay.",
            "(AUD 2,888.34, cancelled)",
        ),
    ] {
        let invoice = with(&full(), |data| {
            data.status = status;
            if status == Status::Paid {
                data.amount_paid = data.totals.total;
            }
        });
        let message = email_template(&acme(), &invoice, PAY_URL).unwrap();
        assert!(message.text.contains(opening), "{}", message.text);
        assert!(message.html.contains(opening));
        assert!(
            message.subject.as_str().ends_with(subject),
            "{}",
            message.subject
        );
        let asks = message.html.contains(">Pay AUD");
        assert_eq!(asks, matches!(status, Status::Unpaid | Status::Overdue));
    }
}

#[test]
fn nothing_that_a_caller_sent_is_taken_for_html() {
    let nasty = "<script>alert(1)</script> \"quoted\" 'single' & <b>";
    let mut input = input(
        "AUD",
        LineAmountTypes::Exclusive,
        vec![line(nasty, "1", "1", "0")],
    );
    input.texts.notes = Field::Value(Block::parse(nasty).unwrap());
    input.texts.reference = Field::Value(SingleLine::parse(nasty).unwrap());
    let invoice = with(&raised(input), |data| {
        data.number = InvoiceNumber::parse("<i>1</i>").unwrap();
        data.contact = Some(contact(nasty, Some("ada@example.com")).into());
    });
    let letterhead = Letterhead {
        company_name: nasty.to_owned(),
        email: Some(nasty.to_owned()),
        phone: Some(nasty.to_owned()),
        abn: Some(nasty.to_owned()),
        address_lines: vec![nasty.to_owned()],
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
    assert!(name.as_str().starts_with("Acme  Bcc: eve@example.com x"));
    assert_eq!(name.as_str().chars().count(), 200);
    assert!(message.subject.as_str().chars().count() <= 500);
    assert!(message.reply_to.is_none());
}

#[test]
fn a_logo_is_shown_from_the_web_alone_and_named_for_those_who_do_not_load_it() {
    let with_logo = |url: &str| Letterhead {
        logo_url: Some(url.to_owned()),
        ..acme()
    };
    let shown = html(&with_logo("https://media.example/logo.png"), &full());
    assert!(shown.contains("<img src=\"https://media.example/logo.png\" alt=\"Acme Pty Ltd\""));
    for url in [
        "javascript:alert(1)",
        "data:image/png;base64,AAAA",
        "logo.png",
    ] {
        assert!(!html(&with_logo(url), &full()).contains("<img"), "{url}");
    }
}

#[test]
fn a_letter_of_many_long_lines_stays_small_enough_to_be_shown_whole() {
    let long = format!("{}\n{}", "wide ".repeat(300), "<&>".repeat(500));
    let lines = (0..500).map(|_| line(&long, "1", "1", "0")).collect();
    let invoice = raised(input("AUD", LineAmountTypes::NoTax, lines));
    let message = email_template(&acme(), &invoice, PAY_URL).unwrap();
    assert!(message.html.len() < 100_000, "{}", message.html.len());
    assert!(message.html.contains("and 450 more"));
    assert_eq!(message.text.matches("AUD 1.00").count(), 500);
}

#[test]
fn nobody_to_write_to_is_no_letter() {
    for contact in [None, Some(contact("Ada", None).into())] {
        let invoice = with(&full(), |data| data.contact = contact);
        let refused = email_template(&acme(), &invoice, PAY_URL);
        assert!(matches!(refused, Err(EmailTemplateError::NoAddress)));
    }
}
