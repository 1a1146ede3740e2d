//! Every page in every state, rendered from samples.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that is wrong should stop there")]

mod account_pages;
mod communications;
mod invoicing;
mod sample;
mod sign_in;

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use invoices::{
    BankTransfer, InvoiceForPayer, InvoiceNumber, InvoiceTexts, Letterhead, LineAmountTypes, PayeeAccount,
    Promise, PromisePeriod, PromisedBy, Status, TransferField,
};
use kernel::{Block, Currency, FieldErrors, SingleLine};
use pages::stylesheet::{CSS, NAME};
use pages::{
    AccountPage, BankDetailsUndoPage, ErrorPage, Form, HelpPage, Page as _, PaymentPage, PaymentSettings,
    PaymentSettingsPage, PromisePage, ReturnPage, SandboxPage, Template as _,
};
use payments::{
    BankDetails, BankDetailsEntry, OnlineForPayer, PayOffer, PaymentOutcome, ReversalKind, SandboxShown,
    UndoTokenHash,
};
use time::macros::{date, datetime};

use sample::{changed, html, letterhead, shown, urls};

const SHOWN: [Status; 6] = [
    Status::Scheduled,
    Status::Unpaid,
    Status::Overdue,
    Status::PartiallyPaid,
    Status::Paid,
    Status::Cancelled,
];

/// The names of the elements, first to last; `/` stands before the name of an end.
fn tags(html: &str) -> Vec<&str> {
    let tags = html.split('<').skip(1);
    tags.filter_map(|tag| tag.split([' ', '>']).next()).filter(|tag| !tag.starts_with('!')).collect()
}

/// Asserts what holds for every page: elements end where they must, and landmarks, headings and headers of
/// tables are there.
fn assert_well_made(html: &str) {
    let mut open = Vec::new();
    for tag in tags(html) {
        match tag.strip_prefix('/') {
            Some(end) => assert_eq!(open.pop(), Some(end), "{html}"),
            None if matches!(tag, "meta" | "link" | "img" | "input") => {}
            None => open.push(tag),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
    let count = |text: &str| html.matches(text).count();
    for once in ["<html lang=\"en\">", "<title>", "<main>", "<h1>", "name=\"viewport\"", NAME.as_str()] {
        assert_eq!(count(once), 1, "{once} in {html}");
    }
    assert_eq!(count("<th "), count("<th scope=\""), "{html}");
    assert_eq!(count("<th>") + count(" style=\"") + count("<script"), 0, "{html}");
    assert_eq!(count("<img "), count(" alt=\""));
}

/// How many bytes a text has as gzip.
fn compressed(text: &str) -> usize {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap().len()
}

#[test]
fn every_status_is_worded() {
    for (status, words, due) in [
        (Status::Scheduled, "Due on 4 December 2026", "AUD 61.60"),
        (Status::Unpaid, "Due on 4 December 2026", "AUD 61.60"),
        (Status::Overdue, "Overdue since 5 December 2026", "AUD 61.60"),
        (Status::PartiallyPaid, "Partly paid, due on 4 December 2026", "AUD 21.60"),
        (Status::Paid, "Paid on 24 November 2026", "AUD 61.60"),
        (Status::Cancelled, "This invoice was cancelled", "AUD 0.00"),
    ] {
        let shown = with_one_line(status);
        let html = html(&shown);
        assert_well_made(&html);
        assert!(html.contains(&format!(">{words}</p>")), "{status:?}: {html}");
        let label = if status == Status::Paid { "Paid" } else { "Amount due" };
        assert!(html.contains(&format!("{label} <strong>{due}</strong>")), "{status:?}: {html}");
        let pdf = format!("https://books.example.com/pay/{}/invoice.pdf", shown.invoice.pay_token.reveal());
        assert!(html.contains(&format!("href=\"{pdf}\">Download PDF</a>")), "{html}");
    }
}

/// An invoice of one line over 56.00 and 10 % tax.
fn with_one_line(status: Status) -> InvoiceForPayer {
    let shown = shown(status, 1);
    changed(&shown, |data| {
        let money = |text| kernel::Money::parse(text, data.currency).unwrap();
        let (sub_total, tax_total, total) = (money("56"), money("5.60"), money("61.60"));
        data.totals = invoices::Totals { sub_total, tax_total, total };
        if status == Status::Paid {
            data.amount_paid = total;
        }
    })
}

#[test]
fn page_shows_the_whole_invoice() {
    let html = html(&shown(Status::PartiallyPaid, 3));
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
        "24 November 2026</th><td>Bank transfer <small><a href=\"https://books.example.com/pay/",
        "aria-label=\"Receipt of AUD 40.00, 24 November 2026\">Receipt</a></small></td><td>AUD 40.00",
        "time zone Australia/Sydney",
        "Thank you.\nPlease quote",
        "prefers-color-scheme:light){:root{--accent:#0f6b6b}}</style>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    // Internal, or of another person than the reader.
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
            (">Change the day (once)</a>", is_payable),
            ("You promised to pay by 1 December 2026.", is_payable),
            (">Receipt</a>", matches!(status, Status::PartiallyPaid | Status::Paid)),
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
        let shown = with_promise(&shown(Status::Unpaid, 1), made_by, is_replacement);
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
    let euro = html(&with_transfer(&shown(Status::Unpaid, 1), "EUR"));
    assert_well_made(&euro);
    assert!(euro.contains("<svg role=\"img\" aria-label=\"QR code for your banking app"), "{euro}");
}

#[test]
fn forms_of_payers_show_their_fields_and_faults() {
    let shown = shown(Status::Unpaid, 1);
    let values = || vec![("statement".to_owned(), "</textarea><script>".to_owned())];
    let refused =
        |field: &str| Form::refused("0199".to_owned(), values(), FieldErrors::one(field, "is required"));
    let period = PromisePeriod { first: date!(2026 - 11 - 20), last: date!(2026 - 12 - 04) };
    let account = PayeeAccount { id: shown.invoice.account, letterhead: letterhead(), is_active: true };
    let off = PayeeAccount { is_active: false, ..account.clone() };
    let promised = with_promise(&shown, PromisedBy::Payer, false);
    let is_final = with_promise(&shown, PromisedBy::Owner, false);
    let none = Form::default();
    let pages = [
        (HelpPage::new(&shown, &refused("reason"), &urls()).render(), "Choose what it is about."),
        (HelpPage::raised(&shown, "019aa1b2-0000-7000-8000-0123456789ab", &urls()).render(), " 456789ab."),
        (
            PromisePage::new(&shown, &refused("date"), period, &urls()).render(),
            "From 20 November 2026 to 4 Dec",
        ),
        (PromisePage::new(&promised, &none, period, &urls()).render(), "You can change the day once."),
        (PromisePage::new(&is_final, &none, period, &urls()).render(), "cannot be changed here any more"),
        (AccountPage::new(&account, &refused("email"), &urls()).render(), "Your e-mail address is required"),
        (AccountPage::new(&off, &none, &urls()).render(), "cannot be looked up"),
        (AccountPage::sent(&account, &urls()).render(), "on its way to that address"),
    ];
    for (html, text) in pages {
        let html = html.unwrap();
        assert_well_made(&html);
        assert!(html.contains(text), "{text} in {html}");
        assert!(html.contains(" – Brightwater Electrical Pty Ltd</title>"), "{html}");
    }
}

#[test]
fn change_of_bank_details_is_shown_with_its_button() {
    let entry = BankDetailsEntry {
        id: sample::id(),
        account: sample::id(),
        currency: Currency::parse("EUR").unwrap(),
        details: Some(BankDetails::Text(Block::parse("<b>Cash</b>").unwrap())),
        entered_at: datetime!(2026-11-20 02:00 UTC),
        in_force_at: datetime!(2026-11-21 02:00 UTC),
        undo_hash: UndoTokenHash::from_bytes([0; 32]),
        withdrawn_at: None,
    };
    let html = BankDetailsUndoPage::new(&entry, "0199".to_owned(), &urls()).render().unwrap();
    assert_well_made(&html);
    for text in ["&#60;b&#62;Cash", "21 November 2026, 02:00 UTC", "<button>Undo</button>", "value=\"0199\""]
    {
        assert!(html.contains(text), "{text} in {html}");
    }
    let html = BankDetailsUndoPage::undone(&urls()).render().unwrap();
    assert_well_made(&html);
    assert!(html.contains("The change was undone") && !html.contains("<form"), "{html}");
}

#[test]
fn payment_settings_show_what_is_in_force_and_what_is_to_come() {
    let entry = |text: &str, in_force_at| BankDetailsEntry {
        id: sample::id(),
        account: sample::id(),
        currency: Currency::parse("EUR").unwrap(),
        details: (!text.is_empty()).then(|| BankDetails::Text(Block::parse(text).unwrap())),
        entered_at: datetime!(2026-11-19 02:00 UTC),
        in_force_at,
        undo_hash: UndoTokenHash::from_bytes([0; 32]),
        withdrawn_at: None,
    };
    let settings = |entries| PaymentSettings {
        company: "Brightwater & Sons".to_owned(),
        entries,
        gateways: Vec::new(),
        time_zone: kernel::TimeZone::parse("Australia/Sydney").unwrap(),
        delay: time::Duration::hours(24),
        now: datetime!(2026-11-21 02:00 UTC),
    };
    let form = Form::refused(
        "0199".to_owned(),
        vec![("iban".to_owned(), "DE00".to_owned()), ("kind".to_owned(), "iban".to_owned())],
        FieldErrors::one("iban", "is mistyped"),
    );
    let both = vec![
        entry("<old>", datetime!(2026-11-20 02:00 UTC)),
        entry("<new>", datetime!(2026-11-22 02:30 UTC)),
    ];
    let html = PaymentSettingsPage::new(&settings(both), &form, &urls()).render().unwrap();
    assert_well_made(&html);
    for text in [
        "&#60;old&#62;",
        "&#60;new&#62;",
        "Shown on invoices from 22 November 2026, 13:30 (Australia/Sydney) on:",
        "value=\"remove.EUR\"",
        "href=\"#iban\">IBAN is mistyped</a>",
        "value=\"DE00\"",
        "<option value=\"iban\" selected>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let removed =
        vec![entry("<old>", datetime!(2026-11-20 02:00 UTC)), entry("", datetime!(2026-11-22 02:30 UTC))];
    let html = PaymentSettingsPage::new(&settings(removed), &Form::default(), &urls()).render().unwrap();
    assert_well_made(&html);
    let until = "Removed: invoices show them until 22 November 2026, 13:30 (Australia/Sydney)";
    assert!(html.contains(until) && !html.contains("remove.EUR"), "{html}");
    let gone = vec![entry("", datetime!(2026-11-20 02:00 UTC))];
    for nothing in [Vec::new(), gone] {
        let html = PaymentSettingsPage::new(&settings(nothing), &Form::default(), &urls()).render().unwrap();
        assert_well_made(&html);
        assert!(html.contains("There are no bank details yet."), "{html}");
    }
}

fn with_promise(shown: &InvoiceForPayer, made_by: PromisedBy, is_replacement: bool) -> InvoiceForPayer {
    let promise = Promise {
        id: sample::id(),
        invoice: shown.invoice.id,
        date: date!(2026 - 12 - 01),
        made_by,
        is_replacement,
        made_at: datetime!(2026-11-20 02:00 UTC),
        superseded_at: None,
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
        // In Sydney it is the next day.
        unchanged_since: datetime!(2026-11-20 20:00 UTC),
    };
    InvoiceForPayer { bank_transfer: Some(transfer), ..shown }
}

#[test]
fn account_switched_off_can_be_read_with_contact_details_and_nothing_else() {
    for status in SHOWN {
        let html = html(&InvoiceForPayer { account_is_active: false, ..shown(status, 2) });
        assert_well_made(&html);
        assert!(!html.contains("invoice.pdf") && html.contains("Nothing can be paid"), "{html}");
        // In the notice, and where they always are.
        assert_eq!(html.matches("mailto:accounts@brightwater.example").count(), 2);
        assert!(html.contains("Subtotal"));
    }
}

#[test]
fn tax_is_shown_as_the_invoice_has_it() {
    let rows = |types| {
        let html = html(&changed(&shown(Status::Unpaid, 2), |data| data.line_amount_types = types));
        ["Subtotal", ">Tax<", ">Tax included<", "% tax<", "% tax included<"].map(|text| html.contains(text))
    };
    assert_eq!(rows(LineAmountTypes::Exclusive), [true, true, false, true, false]);
    assert_eq!(rows(LineAmountTypes::Inclusive), [false, false, true, false, true]);
    assert_eq!(rows(LineAmountTypes::NoTax), [false; 5]);
}

#[test]
fn empty_invoice_has_no_empty_parts() {
    let shown = InvoiceForPayer { letterhead: Letterhead::default(), ..shown(Status::Paid, 0) };
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

/// The invoice with a text in every field that callers write.
fn filled(status: Status, text: &str) -> InvoiceForPayer {
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
            notes: Some(Block::from_stored(text.to_owned())),
            staff: Some(SingleLine::from_stored(text.to_owned())),
        };
        for line in &mut data.lines {
            line.description = Block::from_stored(text.to_owned());
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
    let (page, css) = (compressed(&html(&shown(Status::PartiallyPaid, 50))), compressed(CSS));
    assert!(page + css <= 15 * 1_024, "{page} + {css}");
    assert!(css <= 2_560, "{css}");
}

#[test]
fn brand_colour_that_cannot_be_read_is_left_out() {
    let with = |color: &str| {
        let mut shown = shown(Status::Unpaid, 1);
        shown.letterhead.brand_color = Some(color.to_owned());
        PaymentPage::new(&shown, &OnlineForPayer::default(), &Form::default(), &urls())
    };
    assert!(with("#0F6B6B").brand().unwrap().csp_source().starts_with("'sha256-"));
    assert!(with("not a colour").brand().is_none());
}

#[test]
fn payment_online_is_offered_processed_and_refunded() {
    let (shown, form) = (shown(Status::Unpaid, 1), Form::new("0199".to_owned(), Vec::new()));
    let money = |text| kernel::Money::parse(text, shown.invoice.currency).unwrap();
    let origin = "https://checkout.example.com";
    let whole = PayOffer { most: money("61.60"), least: None, checkout_origin: Some(origin.to_owned()) };
    let online = OnlineForPayer {
        pay: Some(whole.clone()),
        processing: vec![money("5")],
        refunded: vec![(money("20"), ReversalKind::Refund), (money("1"), ReversalKind::Dispute)],
    };
    let page = PaymentPage::new(&shown, &online, &form, &urls());
    assert_eq!(page.form_origin(), Some(origin));
    let html = page.render().unwrap();
    assert_well_made(&html);
    for text in [
        "/checkout\">",
        "value=\"0199\"",
        "<button>Pay AUD 61.60</button>",
        "A payment of AUD 5.00 is being processed.",
        "<p>Refunded 20.00</p>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    assert!(!html.contains("name=\"amount\""));
    let part = PayOffer { least: Some(money("10")), ..whole };
    let faults = FieldErrors::one("amount", "must be at least 10.00 AUD");
    let form = Form::refused("0199".to_owned(), vec![("amount".to_owned(), "<1".to_owned())], faults);
    let online = OnlineForPayer { pay: Some(part), ..OnlineForPayer::default() };
    let html = PaymentPage::new(&shown, &online, &form, &urls()).render().unwrap();
    assert_well_made(&html);
    for text in ["value=\"&#60;1\"", "From AUD 10.00 to AUD 61.60.", "Amount must be at least 10.00 AUD"] {
        assert!(html.contains(text), "{text} in {html}");
    }
}

#[test]
fn return_and_sandbox_say_what_happened() {
    let shown = shown(Status::Unpaid, 1);
    let money = |text| kernel::Money::parse(text, shown.invoice.currency).unwrap();
    for (outcome, words) in [
        (PaymentOutcome::Paid(money("61.60")), &["Thank you", "You paid AUD 61.60."][..]),
        (PaymentOutcome::PaidTooMuch(money("9"), money("4")), &["Thank you", "AUD 4.00 of it"]),
        (PaymentOutcome::Processing(money("9")), &["Your payment is being processed"]),
        (PaymentOutcome::Declined, &["declined", "Try again"]),
        (PaymentOutcome::NotPaid, &["Nothing was paid", "Try again"]),
    ] {
        let html = ReturnPage::new(&letterhead(), outcome, "/pay/x".to_owned(), &urls()).render().unwrap();
        assert_well_made(&html);
        assert!(words.iter().all(|text| html.contains(text)), "{words:?} in {html}");
    }
    let mut sandbox = SandboxShown {
        account: shown.invoice.account,
        amount: money("61.60"),
        description: "Invoice <1>".to_owned(),
        company_name: "<Acme>".to_owned(),
        return_url: "https://books.example.com/pay/x/return".to_owned(),
        is_open: true,
    };
    let html = SandboxPage::new(&sandbox, "0199".to_owned(), &urls()).render().unwrap();
    assert_well_made(&html);
    for text in [">Pay<", ">Decline<", ">Pay later<", ">Pay and lose the answer<", ">Pay twice<", "&#60;Acme"]
    {
        assert!(html.contains(text), "{text} in {html}");
    }
    sandbox.is_open = false;
    let html = SandboxPage::new(&sandbox, String::new(), &urls()).render().unwrap();
    assert_well_made(&html);
    assert!(html.contains("This checkout is closed") && !html.contains("<button"), "{html}");
}

#[test]
fn every_error_page_says_what_to_do_and_names_the_request() {
    let mut titles = Vec::new();
    for status in [403, 404, 405, 409, 410, 429, 500, 503] {
        let html = ErrorPage::new(status, "0199-<id>", &urls()).render().unwrap();
        assert_well_made(&html);
        assert!(html.contains("Request id: 0199-&#60;id&#62;"), "{html}");
        titles.push(html.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned());
    }
    titles.dedup();
    assert_eq!(titles.len(), 8, "{titles:?}");
    assert!(titles.contains(&"Page not found".to_owned()));
}

#[test]
fn error_pages_lead_out() {
    let html = |status, path, wait| {
        ErrorPage::new(status, "0199", &urls()).of_path(path, wait, &urls()).render().unwrap()
    };
    for (status, path, link) in [
        (404, "/dashboard/nothing", "/dashboard\">Back to the overview</a>"),
        (409, "/dashboard/invoices/1/edit", "/dashboard\">Back to the overview</a>"),
        (429, "/login", "/password/forgot\">Forgot your password?</a>"),
        (409, "/pay/token/help", "/pay/token\">Back to the invoice</a>"),
    ] {
        let page = html(status, path, None);
        assert_well_made(&page);
        assert!(page.contains(&format!("href=\"https://books.example.com{link}")), "{path}: {page}");
    }
    for (status, path) in [(404, "/pay/token"), (410, "/pay/token/help"), (403, "/dashboard"), (404, "/x")] {
        assert!(!html(status, path, None).contains("<a "), "{status} {path}");
    }
    assert!(html(429, "/login", Some(601)).contains("Wait 11 minutes, then try again."));
}
