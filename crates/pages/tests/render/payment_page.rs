//! The payment page of an invoice.

use invoices::{
    BankTransfer, InvoiceForPayer, InvoiceNumber, InvoiceStatus, InvoiceTexts, Letterhead, LineAmountTypes,
    Promise, PromisedBy, TransferField,
};
use kernel::{Currency, MultiLine, SingleLine};
use pages::stylesheet::CSS;
use pages::{Form, Page as _, PaymentPage, Template as _};
use payments::OnlineForPayer;
use time::macros::{date, datetime};

use crate::sample::{self, TODAY, changed, html, shown, urls};
use crate::{SHOWN, assert_well_made, compressed};

#[test]
fn every_status_is_worded() {
    for (status, words, due) in [
        (InvoiceStatus::Scheduled, "Due on 4 December 2026", "AUD 61.60"),
        (InvoiceStatus::Unpaid, "Due on 4 December 2026", "AUD 61.60"),
        (InvoiceStatus::Overdue, "Overdue since 5 December 2026", "AUD 61.60"),
        (InvoiceStatus::PartiallyPaid, "Partly paid, due on 4 December 2026", "AUD 21.60"),
        (InvoiceStatus::Paid, "Paid on 24 November 2026", "AUD 61.60"),
        (InvoiceStatus::Cancelled, "This invoice was cancelled", "AUD 0.00"),
    ] {
        let shown = with_one_line(status);
        let html = html(&shown);
        assert_well_made(&html);
        assert!(html.contains(&format!(">{words}</p>")), "{status:?}: {html}");
        let label = if status == InvoiceStatus::Paid { "Paid" } else { "Amount due" };
        assert!(html.contains(&format!("{label} <strong>{due}</strong>")), "{status:?}: {html}");
        let pdf = format!("https://books.example.com/pay/{}/invoice.pdf", shown.invoice.pay_token.reveal());
        assert!(html.contains(&format!("href=\"{pdf}\">Download PDF</a>")), "{html}");
    }
}

/// An invoice of one line over 56.00 and 10 % tax.
fn with_one_line(status: InvoiceStatus) -> InvoiceForPayer {
    let shown = shown(status, 1);
    changed(&shown, |data| {
        let money = |text| kernel::Money::parse(text, data.currency).unwrap();
        let (sub_total, tax_total, total) = (money("56"), money("5.60"), money("61.60"));
        data.totals = invoices::Totals { sub_total, tax_total, total };
        if status == InvoiceStatus::Paid {
            data.amount_paid = total;
        }
    })
}

#[test]
fn page_shows_the_whole_invoice() {
    let html = html(&shown(InvoiceStatus::PartiallyPaid, 3));
    for text in [
        "<title>Invoice INV-0042 – Brightwater Electrical Pty Ltd</title>",
        "<img src=\"https://books.example.com/logos/",
        "Unit 4, 22 Wharf Road",
        "ABN 51 824 753 556",
        "href=\"mailto:accounts@brightwater.example\"",
        "href=\"tel:+61255501234\"",
        "Harbourside Dental Group\nLevel 2\nSydney NSW 2000\nAustralia",
        "20 November 2026",
        "PO 88213",
        "1.5 × 10.00 · 10% tax",
        "Subtotal",
        "24 November 2026</th><td data-label=\"Method\">Bank transfer <small><a href=\"https://books.",
        "aria-label=\"Receipt for AUD 40.00, 24 November 2026\">Receipt</a></small></td>",
        "<td data-label=\"Amount\">AUD 40.00",
        "time zone Australia/Sydney",
        "Thank you.\nPlease quote",
        "prefers-color-scheme:light){:root{--accent:#0f6b6b}}</style>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    // These texts are internal, or about another person than the payer.
    for text in ["Maya Lindqvist", "practice@harbourside", "5550 9876"] {
        assert!(!html.contains(text), "{text}");
    }
}

#[test]
fn each_status_offers_what_the_payer_can_do_with_it() {
    for status in SHOWN {
        let html = html(&with_promise(&shown(status, 1), PromisedBy::Payer, false));
        let is_payable = status.is_payable();
        for (text, is_shown) in [
            (">Ask for help</a>", true),
            (">Download PDF</a>", true),
            (">Change the date (once)</a>", is_payable),
            ("You promised to pay by 1 December 2026.", is_payable),
            (">Receipt</a>", matches!(status, InvoiceStatus::PartiallyPaid | InvoiceStatus::Paid)),
            // There is no gateway.
            ("Pay AUD", false),
            ("checkout", false),
            ("<button", false),
        ] {
            assert_eq!(html.contains(text), is_shown, "{status:?}: {text}");
        }
        let without = sample::html(&shown(status, 1));
        assert_eq!(without.contains(">Promise to pay</a>"), is_payable, "{status:?}: {without}");
    }
    let is_promise_offered = |made_by, is_replacement| {
        let shown = with_promise(&shown(InvoiceStatus::Unpaid, 1), made_by, is_replacement);
        html(&shown).contains(">Promise to pay</a>")
    };
    assert!(!is_promise_offered(PromisedBy::Payer, true) && !is_promise_offered(PromisedBy::Owner, false));
}

#[test]
fn bank_details_are_shown_while_there_is_something_to_pay() {
    for status in SHOWN {
        let shown = with_transfer(&shown(status, 1), "AUD");
        let html = html(&shown);
        assert_well_made(&html);
        for text in [
            "<dt>IBAN</dt><dd>DE89 3704 0044 0532 0130 00</dd>",
            "<dt>Reference to quote</dt><dd>INV-0042</dd>",
            "These bank details are unchanged since 21 November 2026.",
        ] {
            assert_eq!(html.contains(text), status.is_payable(), "{status:?}: {text}");
        }
        assert!(!html.contains("<svg"), "no code for dollars");
        let off = InvoiceForPayer { account_is_active: false, ..shown };
        assert!(!sample::html(&off).contains("IBAN"));
    }
}

#[test]
fn code_for_a_transfer_is_for_what_no_payment_in_progress_covers() {
    let shown = with_transfer(&shown(InvoiceStatus::Unpaid, 1), "EUR");
    let due = shown.invoice.amount_due();
    let code = |processing: &[i64]| {
        let processing = processing.iter().map(|minor| kernel::Money::new(*minor, due.currency())).collect();
        let online = OnlineForPayer { processing, ..OnlineForPayer::default() };
        let html = PaymentPage::new(&shown, &online, &Form::default(), TODAY, &urls()).render().unwrap();
        assert_well_made(&html);
        let from = html.find("<svg role=\"img\" aria-label=\"QR code for your banking app")?;
        Some(html[from..].split("</svg>").next().unwrap().to_owned())
    };
    let whole = code(&[]).expect("euros have a code");
    assert!(code(&[500]).is_some_and(|less| less != whole), "a code for less");
    assert_eq!(code(&[due.minor() - 500, 500]), None);
}

pub(crate) fn with_promise(
    shown: &InvoiceForPayer,
    made_by: PromisedBy,
    is_replacement: bool,
) -> InvoiceForPayer {
    let promise = Promise {
        id: sample::id(),
        invoice: shown.invoice.id,
        promised_on: date!(2026 - 12 - 01),
        made_by,
        message: None,
        is_replacement,
        made_at: datetime!(2026-11-20 02:00 UTC),
        superseded_at: None,
        withdrawn_at: None,
    };
    InvoiceForPayer { promise: Some(promise), ..shown.clone() }
}

fn with_transfer(shown: &InvoiceForPayer, currency: &str) -> InvoiceForPayer {
    let currency = Currency::parse(currency).unwrap();
    let shown = changed(shown, |data| {
        let same = |money: kernel::Money| kernel::Money::new(money.minor(), currency);
        data.currency = currency;
        data.amount_paid = same(data.amount_paid);
        data.totals.total = same(data.totals.total);
    });
    let fields =
        [(TransferField::AccountHolder, "Brightwater"), (TransferField::Iban, "DE89 3704 0044 0532 0130 00")];
    let transfer = BankTransfer {
        fields: fields.map(|(field, text)| (field, text.to_owned())).to_vec(),
        // In Sydney this is the next day.
        unchanged_since: datetime!(2026-11-20 20:00 UTC),
    };
    InvoiceForPayer { bank_transfer: Some(transfer), ..shown }
}

#[test]
fn account_switched_off_can_be_read_with_contact_details_and_nothing_else() {
    for status in SHOWN {
        let html = html(&InvoiceForPayer { account_is_active: false, ..shown(status, 2) });
        assert_well_made(&html);
        assert!(
            !html.contains("invoice.pdf") && html.contains("cannot be paid or downloaded here"),
            "{html}"
        );
        // Once in the notice, and once in the usual place.
        assert_eq!(html.matches("mailto:accounts@brightwater.example").count(), 2);
        assert!(html.contains("Subtotal"));
    }
}

#[test]
fn tax_is_shown_as_the_invoice_has_it() {
    let rows = |types| {
        let html = html(&changed(&shown(InvoiceStatus::Unpaid, 2), |data| data.line_amount_types = types));
        ["Subtotal", ">Tax<", ">Tax included<", "% tax<", "% tax included<"].map(|text| html.contains(text))
    };
    assert_eq!(rows(LineAmountTypes::Exclusive), [true, true, false, true, false]);
    assert_eq!(rows(LineAmountTypes::Inclusive), [false, false, true, false, true]);
    assert_eq!(rows(LineAmountTypes::NoTax), [false; 5]);
}

#[test]
fn empty_invoice_has_no_empty_parts() {
    let shown = InvoiceForPayer { letterhead: Letterhead::default(), ..shown(InvoiceStatus::Paid, 0) };
    let shown = changed(&shown, |data| {
        data.contact = None;
        data.payments.clear();
        data.texts = InvoiceTexts::default();
    });
    let html = html(&shown);
    assert_well_made(&html);
    assert!(html.contains("<title>Invoice INV-0042</title>"));
    assert!(html.contains("<p class=\"status\">Paid</p>"), "{html}");
    for text in ["Payments", "Notes", "Billed to", "Reference", "<style", "<img", "mailto:", "ABN", "<p></p>"]
    {
        assert!(!html.contains(text), "{text} in {html}");
    }
}

/// The invoice with a text in every field that users can fill in.
pub(crate) fn filled(status: InvoiceStatus, text: &str) -> InvoiceForPayer {
    let own = || Some(text.to_owned());
    let letterhead = Letterhead {
        company_name: text.to_owned(),
        email: own(),
        phone: own(),
        abn: own(),
        address_lines: vec![text.to_owned(); 3],
        brand_color: own(),
        ..sample::letterhead()
    };
    let shown = InvoiceForPayer { letterhead, ..shown(status, 2) };
    changed(&shown, |data| {
        data.number = InvoiceNumber::from_stored(text.to_owned());
        data.texts = InvoiceTexts {
            reference: Some(SingleLine::from_stored(text.to_owned())),
            notes: Some(MultiLine::from_stored(text.to_owned())),
            staff: Some(SingleLine::from_stored(text.to_owned())),
        };
        for line in &mut data.lines {
            line.description = MultiLine::from_stored(text.to_owned());
            line.tax_type = Some(SingleLine::from_stored(text.to_owned()));
        }
        for payment in &mut data.payments {
            payment.reference = Some(SingleLine::from_stored(text.to_owned()));
        }
        if let Some(contact) = &mut data.contact {
            contact.name = SingleLine::from_stored(text.to_owned());
            let address = contact.address.as_mut().unwrap();
            for part in [&mut address.line1, &mut address.line2, &mut address.city, &mut address.country] {
                *part = Some(SingleLine::from_stored(text.to_owned()));
            }
        }
    })
}

#[test]
fn markup_in_any_field_is_text() {
    for text in ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</title></style>'\"&<!--"] {
        for status in SHOWN {
            for account_is_active in [true, false] {
                let shown = InvoiceForPayer { account_is_active, ..filled(status, text) };
                let html = html(&shown);
                assert_well_made(&html);
                assert!(!html.contains(text) && !html.contains("<img src=x"), "{html}");
                assert!(!html.contains("<style"), "{html}");
            }
        }
    }
}

#[test]
fn long_texts_are_shown_whole() {
    let text = "Wörter ohne Ende ".repeat(200);
    for status in SHOWN {
        let html = html(&filled(status, &text));
        assert_well_made(&html);
        assert!(html.matches(text.trim_end()).count() >= 10);
    }
}

#[test]
fn page_of_fifty_lines_weighs_at_most_15_kib_with_its_style_sheet() {
    let (page, css) = (compressed(&html(&shown(InvoiceStatus::PartiallyPaid, 50))), compressed(CSS));
    assert!(page + css <= 15 * 1_024, "{page} + {css}");
    assert!(css <= 2_560, "{css}");
}

#[test]
fn brand_colour_that_cannot_be_read_is_left_out() {
    let with = |color: &str| {
        let mut shown = shown(InvoiceStatus::Unpaid, 1);
        shown.letterhead.brand_color = Some(color.to_owned());
        PaymentPage::new(&shown, &OnlineForPayer::default(), &Form::default(), TODAY, &urls())
    };
    assert!(with("#0F6B6B").brand().unwrap().csp_source().starts_with("'sha256-"));
    assert!(with("not a colour").brand().is_none());
}
