//! The forms and pages on which payers pay, and the owner's settings of payments.

use invoices::{InvoiceStatus, PayeeAccount, PromisePeriod, PromisedBy};
use kernel::{Currency, FieldErrors, MultiLine, TimeZone, TokenHash};
use pages::{
    AccountPage, AfterReturn, Form, HelpPage, Page as _, PaymentPage, PaymentSettingsPage, PromisePage,
    ReturnPage, SandboxPage, ShownPaymentSettings, Template as _, UndoPage, Undoing,
};
use payments::{
    BankDetails, BankDetailsEntry, OnlineForPayer, PayOffer, PaymentOutcome, ReversalReason, SandboxShown,
};
use time::macros::{date, datetime};

use crate::assert_well_made;
use crate::payment_page::with_promise;
use crate::sample::{self, TODAY, letterhead, shown, urls};

#[test]
fn forms_of_payers_show_their_fields_and_faults() {
    let shown = shown(InvoiceStatus::Unpaid, 1);
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
        (PromisePage::new(&promised, &none, period, &urls()).render(), "You can change the date once."),
        (PromisePage::new(&is_final, &none, period, &urls()).render(), "can no longer change the date here"),
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
fn help_with_an_invoice_that_is_not_to_be_paid_offers_no_reasons_not_to_pay() {
    for (status, is_offered) in
        [(InvoiceStatus::Overdue, true), (InvoiceStatus::Paid, false), (InvoiceStatus::Cancelled, false)]
    {
        let html = HelpPage::new(&shown(status, 1), &Form::default(), &urls()).render().unwrap();
        for (reason, is_offered) in
            [("hardship", is_offered), ("refused", is_offered), ("dispute", true), ("human_request", true)]
        {
            assert_eq!(
                html.contains(&format!("value=\"{reason}\"")),
                is_offered,
                "{status:?} {reason}: {html}"
            );
        }
    }
}

#[test]
fn page_of_an_account_that_is_switched_off_names_its_address_once() {
    let account = PayeeAccount { id: sample::id(), letterhead: letterhead(), is_active: false };
    for (is_active, told) in [(false, "cannot be looked up"), (true, "invoice_number")] {
        let account = PayeeAccount { is_active, ..account.clone() };
        let html = AccountPage::new(&account, &Form::default(), &urls()).render().unwrap();
        assert!(html.contains(told), "{html}");
        assert_eq!(html.matches("mailto:accounts@brightwater.example").count(), 1, "{html}");
    }
}

#[test]
fn change_of_bank_details_is_shown_with_its_button() {
    let entry = BankDetailsEntry {
        id: sample::id(),
        account: sample::id(),
        currency: Currency::parse("EUR").unwrap(),
        details: Some(BankDetails::Text(MultiLine::parse("<b>Cash</b>").unwrap())),
        entered_at: datetime!(2026-11-20 02:00 UTC),
        in_force_at: datetime!(2026-11-21 02:00 UTC),
        undo_token_hash: TokenHash::from_bytes([0; 32]),
        withdrawn_at: None,
    };
    let sydney = TimeZone::parse("Australia/Sydney").unwrap();
    let company = "Brightwater & Sons";
    let undoing = Undoing { company: company.to_owned(), time_zone: sydney, form_token: "0199".to_owned() };
    let html = UndoPage::of_bank_details(&entry, undoing, &urls()).render().unwrap();
    assert_well_made(&html);
    let from = "Invoices show them from 21 November 2026, 13:00 (Australia/Sydney).";
    let heading = "Undo the change to your bank details – Brightwater &#38; Sons</";
    for text in ["&#60;b&#62;Cash", from, "<button>Undo</button>", "value=\"0199\"", heading] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let html = UndoPage::bank_details_undone(company, &urls()).render().unwrap();
    assert_well_made(&html);
    assert!(html.contains("The change was undone – Brightwater") && !html.contains("<form"), "{html}");
    assert!(html.contains("/password/forgot\">Choose a new password</a>"), "{html}");
}

#[test]
fn payment_settings_show_what_is_in_force_and_what_is_to_come() {
    let entry = |text: &str, in_force_at| BankDetailsEntry {
        id: sample::id(),
        account: sample::id(),
        currency: Currency::parse("EUR").unwrap(),
        details: (!text.is_empty()).then(|| BankDetails::Text(MultiLine::parse(text).unwrap())),
        entered_at: datetime!(2026-11-19 02:00 UTC),
        in_force_at,
        undo_token_hash: TokenHash::from_bytes([0; 32]),
        withdrawn_at: None,
    };
    let settings = |entries| ShownPaymentSettings {
        company: "Brightwater & Sons".to_owned(),
        entries,
        gateways: Vec::new(),
        stripe_events: &["charge.pending"],
        is_sandbox: true,
        time_zone: kernel::TimeZone::parse("Australia/Sydney").unwrap(),
        delay: time::Duration::hours(24),
        now: datetime!(2026-11-21 02:00 UTC),
        public: urls(),
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
        "Shown on invoices from 22 November 2026, 13:30 (Australia/Sydney):",
        "value=\"remove.EUR\"",
        "href=\"#iban\">IBAN is mistyped</a>",
        "value=\"DE00\"",
        "<option value=\"iban\" selected>",
        "None is connected yet.",
        "a button that pays in the sandbox",
        "<li>Checkout Sessions: write</li>",
        "<li>charge.pending</li>",
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

#[test]
fn payment_online_is_offered_processed_and_refunded() {
    let (shown, form) = (shown(InvoiceStatus::Unpaid, 1), Form::new("0199".to_owned(), Vec::new()));
    let money = |text| kernel::Money::parse(text, shown.invoice.currency).unwrap();
    let origin = "https://checkout.example.com";
    let whole = PayOffer { most: money("61.60"), least: None, checkout_origin: Some(origin.to_owned()) };
    let online = OnlineForPayer {
        pay: Some(whole.clone()),
        processing: vec![money("5")],
        reversals: vec![
            (money("1020"), ReversalReason::Refund),
            (money("30"), ReversalReason::Return),
            (money("1"), ReversalReason::Dispute),
            (kernel::Money::parse("20", Currency::parse("EUR").unwrap()).unwrap(), ReversalReason::Dispute),
        ],
    };
    let page = PaymentPage::new(&shown, &online, &form, TODAY, &urls());
    assert_eq!(page.form_origin(), Some(origin));
    let html = page.render().unwrap();
    assert_well_made(&html);
    for text in [
        "/checkout\">",
        "value=\"0199\"",
        "<button>Pay AUD 61.60</button>",
        "A payment of AUD 5.00 is being processed.",
        "<p>Refunded 1,020.00</p>",
        "bank: EUR 20.00</p>",
        "<p>AUD 30.00 was not due and has been returned</p>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    assert!(!html.contains("name=\"amount\""));
    let part = PayOffer { least: Some(money("10")), ..whole };
    let faults = FieldErrors::one("amount", "must be at least 10.00 AUD");
    let form = Form::refused("0199".to_owned(), vec![("amount".to_owned(), "<1".to_owned())], faults);
    let online = OnlineForPayer { pay: Some(part), ..OnlineForPayer::default() };
    let html = PaymentPage::new(&shown, &online, &form, TODAY, &urls()).render().unwrap();
    assert_well_made(&html);
    for text in [
        "value=\"&#60;1\"",
        "From AUD 10.00 to AUD 61.60.",
        "Amount must be at least 10.00 AUD",
        "<button>Pay AUD 61.60 or a part of it</button>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    // The amount due changed after the form was opened.
    let html = PaymentPage::new(&shown, &OnlineForPayer::default(), &form, TODAY, &urls()).render().unwrap();
    assert_well_made(&html);
    assert!(
        html.contains("<li>amount must be at least 10.00 AUD</li>") && !html.contains("<button>"),
        "{html}"
    );
}

#[test]
fn return_and_sandbox_say_what_happened() {
    let shown = shown(InvoiceStatus::Unpaid, 1);
    let money = |text| kernel::Money::parse(text, shown.invoice.currency).unwrap();
    let too_much = |is_returned| PaymentOutcome::PaidTooMuch {
        captured: money("9"),
        unapplied: money("4"),
        is_returned,
    };
    for (outcome, can_pay, words) in [
        (PaymentOutcome::Paid(money("61.60")), false, &["Thank you", "You paid AUD 61.60."][..]),
        (too_much(false), true, &["Thank you", "AUD 4.00 of that was not due; the company will settle this"]),
        (too_much(true), true, &["Thank you", "AUD 4.00 of that was not due; it goes back to you"]),
        (PaymentOutcome::Processing(money("9")), true, &["Your payment is being processed"]),
        (PaymentOutcome::Declined, true, &["declined", ">Try again<"]),
        (PaymentOutcome::NotPaid, true, &["Nothing was paid", ">Try again<"]),
        (PaymentOutcome::Declined, false, &["declined", ">Back to the invoice<"]),
        (PaymentOutcome::NotPaid, false, &["Nothing was paid", ">Back to the invoice<"]),
    ] {
        let then = AfterReturn::Invoice { url: "/pay/x".to_owned(), can_pay };
        let page = ReturnPage::new(&letterhead(), outcome, then, &urls());
        let html = page.render().unwrap();
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
    let unsent = Form::new("0199".to_owned(), Vec::new());
    let html = SandboxPage::new(&sandbox, &unsent, &urls()).render().unwrap();
    assert_well_made(&html);
    for text in [">Pay<", ">Decline<", ">Pay later<", ">Pay and lose the answer<", ">Pay twice<", "&#60;Acme"]
    {
        assert!(html.contains(text), "{text} in {html}");
    }
    let unknown = FieldErrors::one("action", "must be one of: pay");
    let refused = Form::refused("0199".to_owned(), Vec::new(), unknown);
    let html = SandboxPage::new(&sandbox, &refused, &urls()).render().unwrap();
    assert_well_made(&html);
    assert!(html.contains("role=\"alert\"") && html.contains("action must be one of: pay"), "{html}");
    sandbox.is_open = false;
    let html = SandboxPage::new(&sandbox, &unsent, &urls()).render().unwrap();
    assert_well_made(&html);
    assert!(html.contains("This checkout is closed") && !html.contains("<button"), "{html}");
}
