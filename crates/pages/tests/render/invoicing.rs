//! The pages of invoices.

use invoices::line_item::MAX_LINES;
use invoices::{
    Invoice, InvoiceStatus, InvoicedContact, NotSent, PaymentMethod, RecordedBy, TimelineEntry, TimelineKind,
};
use kernel::{FieldErrors, Money, Named as _, SingleLine, TimeZone};
use pages::invoicing::{
    CancelPage, Editing, FormAccount, InvoiceFormPage, InvoicePage, ShownInvoice, invoice_values,
};
use pages::stylesheet::CSS;
use pages::{Confirmation, Form, Page as _, Template};
use time::macros::{date, datetime};

use crate::contact_pages::contact_of;
use crate::payment_page::filled;
use crate::sample::{TODAY, changed, shown, urls};
use crate::{assert_well_made, compressed};

pub(crate) const COMPANY: &str = "Brightwater <Electrical>";
pub(crate) const ID: &str = "01936f3c-2b7e-7c00-8000-000000000001";
pub(crate) const HOSTILE: &str = "\"><script>alert(1)</script>'&{{7*7}}";

pub(crate) fn sydney() -> TimeZone {
    TimeZone::parse("Australia/Sydney").unwrap()
}

pub(crate) fn rendered(page: &impl Template) -> String {
    let html = page.render().unwrap();
    assert_well_made(&html);
    assert!(html.contains("Brightwater &#60;Electrical&#62;</title>"), "{html}");
    assert!(!html.contains("<script"), "{html}");
    html
}

/// An invoice in which every text is hostile.
pub(crate) fn hostile(status: InvoiceStatus) -> Invoice {
    filled(status, HOSTILE).invoice
}

pub(crate) fn form(values: Vec<(String, String)>) -> Form {
    Form::new("0199-once".to_owned(), values)
}

pub(crate) fn invoice_page(invoice: Invoice) -> String {
    invoice_page_of(invoice, true)
}

/// The page of an invoice in an account that lets the service write to its customers, or not.
fn invoice_page_of(invoice: Invoice, sends_mail: bool) -> String {
    let entry = |kind| TimelineEntry { at: datetime!(2026-11-23 20:05 UTC), kind };
    let timeline = vec![
        entry(TimelineKind::Created),
        entry(TimelineKind::MailSent { queued_at: datetime!(2026-11-23 20:05 UTC) }),
        entry(TimelineKind::PageViewed),
        entry(TimelineKind::Promised { by: date!(2026 - 12 - 01) }),
        entry(TimelineKind::EscalationRaised { escalation_type: "human_request".to_owned() }),
        entry(TimelineKind::Payment {
            amount: Money::parse("40", invoice.currency).unwrap(),
            method: PaymentMethod::BankTransfer,
            recorded_by: RecordedBy::Dashboard,
        }),
    ];
    let shown = ShownInvoice {
        contact: None,
        invoice,
        timeline,
        charges: Vec::new(),
        reversals: Vec::new(),
        time_zone: sydney(),
        today: TODAY,
        reminders: None,
        sends_mail,
        form: form(Vec::new()),
    };
    rendered(&InvoicePage::new(&shown, COMPANY, &urls()))
}

#[test]
fn invoice_offers_what_its_status_allows() {
    for (status, sends, pays, changes, has_pay_page) in [
        (InvoiceStatus::Draft, false, false, true, false),
        (InvoiceStatus::Scheduled, true, true, true, true),
        (InvoiceStatus::Unpaid, true, true, true, true),
        (InvoiceStatus::Overdue, true, true, true, true),
        (InvoiceStatus::PartiallyPaid, true, true, true, true),
        (InvoiceStatus::Paid, false, false, false, true),
        (InvoiceStatus::Cancelled, false, false, false, true),
    ] {
        let html = invoice_page(shown(status, 2).invoice);
        let has = |text: &str| html.contains(text);
        assert_eq!(has("/send\">"), sends, "{status:?}: {html}");
        assert_eq!(has("/payments\">"), pays, "{status:?}: {html}");
        assert_eq!((has("/edit\">"), has("/cancel\">")), (changes, changes), "{status:?}: {html}");
        assert_eq!(has("Open payment page"), has_pay_page, "{status:?}: {html}");
        assert_eq!(has("/pay-link\">"), has_pay_page, "{status:?}: {html}");
        assert!(has("/invoice.pdf\">Download PDF"), "{html}");
        // The sign-out form has no form token.
        assert_eq!(html.matches("<form").count() - 1, html.matches("value=\"0199-once\"").count());
    }
}

#[test]
fn draft_is_issued_from_its_page_and_is_not_said_to_be_due() {
    let html = invoice_page(shown(InvoiceStatus::Draft, 2).invoice);
    for text in [
        "/edit\">\n<input type=\"hidden\" name=\"once\"",
        "<input type=\"hidden\" name=\"version\" value=\"",
        "<input type=\"hidden\" name=\"line_items.1.quantity\" value=\"",
        "<button name=\"action\" value=\"issue_and_send\">Issue and send</button>",
        "value=\"issue\" class=\"secondary\">Issue</button>",
        "Draft · Not issued yet",
        "Total <strong>",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    assert!(!invoice_page(shown(InvoiceStatus::Unpaid, 2).invoice).contains("Issue and send"));
}

#[test]
fn invoice_of_a_contact_without_address_says_why_it_cannot_be_sent() {
    let reachable = shown(InvoiceStatus::Unpaid, 1).invoice;
    let mut data = (*reachable).clone();
    data.contact = data.contact.map(|contact| InvoicedContact { email: None, ..contact });
    let html = invoice_page(Invoice::from_stored(data));
    assert!(html.contains("This invoice cannot be sent by e-mail") && !html.contains("/send\">"), "{html}");
    assert!(html.contains("or enter the address on the contact&#39;s page, then choose Edit"), "{html}");
    assert!(!invoice_page(reachable).contains("This invoice cannot be sent by e-mail"));
}

#[test]
fn nothing_is_offered_to_be_sent_while_messages_to_customers_are_off() {
    let page = |status| invoice_page_of(shown(status, 1).invoice, false);
    let (issued, draft, paid) =
        (page(InvoiceStatus::Unpaid), page(InvoiceStatus::Draft), page(InvoiceStatus::Paid));
    assert!(
        issued.contains("Switch them on in Settings, Profile") && !issued.contains("/send\">"),
        "{issued}"
    );
    assert!(draft.contains("Switch them on in Settings, Profile"), "{draft}");
    assert!(draft.contains("value=\"issue\"") && !draft.contains("Issue and send"), "{draft}");
    assert!(!paid.contains("Switch them on"), "{paid}");
}

#[test]
fn payment_link_is_replaced_after_a_question_by_the_same_form() {
    let html = invoice_page(shown(InvoiceStatus::Unpaid, 1).invoice);
    let mut folded = html.split("<details>").skip(1).map(|part| part.split("</details>").next().unwrap());
    let question = folded.find(|part| part.contains("/pay-link")).unwrap();
    for text in [
        "<summary>New payment link</summary>",
        "/pay-link\">",
        "name=\"once\" value=\"0199-once\"",
        "This cannot be undone.",
    ] {
        assert!(question.contains(text), "{text} in {question}");
    }
    let names = question.split(" name=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["once", "version"], "nothing else is asked for: {question}");
}

#[test]
fn page_says_what_was_done() {
    let invoice = shown(InvoiceStatus::Unpaid, 1).invoice;
    let shown = ShownInvoice {
        contact: None,
        invoice,
        timeline: Vec::new(),
        charges: Vec::new(),
        reversals: Vec::new(),
        time_zone: sydney(),
        today: TODAY,
        reminders: None,
        sends_mail: true,
        form: form(Vec::new()),
    };
    let mut page = InvoicePage::new(&shown, COMPANY, &urls());
    assert!(!rendered(&page).contains("role=\"status\""));
    let done = Confirmation::parse(Confirmation::PaymentRecorded.as_str()).unwrap();
    page.confirm(done);
    let html = rendered(&page);
    assert!(html.contains("<p class=\"said\" role=\"status\">The payment was recorded.</p>"), "{html}");
    assert!(Confirmation::parse("<b>anything</b>").is_err());
}

#[test]
fn timeline_is_in_the_time_of_the_account_with_its_zone() {
    let html = invoice_page(shown(InvoiceStatus::PartiallyPaid, 1).invoice);
    for text in [
        "AUD 40.00 paid, bank transfer, recorded in the dashboard<small>24 November 2026, 07:05</small>",
        "Escalation raised: human request",
        "Payment page viewed<small>",
        "Payment promised by 1 December 2026<small>",
        "Times are in the time zone Australia/Sydney.",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
}

#[test]
fn invoice_in_the_ledger_names_its_id_there() {
    let entered = |ledger_invoice_id| {
        let shown =
            changed(&shown(InvoiceStatus::Unpaid, 1), |data| data.ledger_invoice_id = ledger_invoice_id);
        invoice_page(shown.invoice)
    };
    let html = entered(Some(SingleLine::parse("xero-7").unwrap()));
    assert!(html.contains("<dt>Id in the ledger</dt><dd>xero-7</dd>"), "{html}");
    assert!(!entered(None).contains("In the ledger"));
}

#[test]
fn who_prepared_an_invoice_is_on_its_page_under_the_name_that_its_form_and_its_pdf_have() {
    let html = invoice_page(shown(InvoiceStatus::Unpaid, 1).invoice);
    assert!(html.contains("<dt>Prepared by</dt><dd>Maya Lindqvist</dd>"), "{html}");
    let form = rendered(&InvoiceFormPage::new(&form(Vec::new()), 1, Editing::New, &account(), &urls()));
    assert!(form.contains(">Prepared by</label>") && form.contains("It is printed on the PDF."), "{form}");
}

/// The account of the form, with a contact that can be found by its e-mail address and one that cannot.
fn account() -> FormAccount {
    let contact = contact_of(&hostile(InvoiceStatus::Unpaid));
    let unreachable = contacts::Contact { email: None, ..contact.clone() };
    FormAccount { company: COMPANY.to_owned(), contacts: vec![contact, unreachable], payment_terms_days: 30 }
}

#[test]
fn form_suggests_contacts_and_says_when_an_invoice_is_due() {
    let html = rendered(&InvoiceFormPage::new(&form(Vec::new()), 1, Editing::New, &account(), &urls()));
    assert!(html.contains("name=\"contact.email\" list=\"known-contacts\""), "{html}");
    assert_eq!(html.matches("<option value=\"practice@harbourside.example\">").count(), 1, "{html}");
    assert!(html.contains("Leave empty to make the invoice due 30 days after its date."), "{html}");
    let many = FormAccount { contacts: vec![account().contacts[0].clone(); 50], ..account() };
    let html = rendered(&InvoiceFormPage::new(&form(Vec::new()), 50, Editing::New, &many, &urls()));
    assert!(compressed(&html) + compressed(CSS) <= 15 * 1_024, "{}", compressed(&html));
}

#[test]
fn status_is_said_once() {
    for status in InvoiceStatus::ALL {
        let html = invoice_page(shown(status, 1).invoice);
        let line = html.split("<p class=\"status").nth(1).unwrap().split("</p>").next().unwrap();
        let word = (pages::texts::ENGLISH.invoicing.status)(status);
        assert_eq!(line.matches(word).count(), 1, "{status:?}: {line}");
        assert!(status != InvoiceStatus::Cancelled || !line.contains("was cancelled"), "{line}");
    }
}

#[test]
fn each_change_of_an_invoice_has_its_text() {
    let entry = |kind| TimelineEntry { at: datetime!(2026-11-23 20:05 UTC), kind };
    let timeline = [
        TimelineKind::ReceiptQueued,
        TimelineKind::ReceiptSent,
        TimelineKind::ReceiptGivenUp,
        TimelineKind::MailNotSent {
            queued_at: datetime!(2026-11-23 20:05 UTC),
            reason: NotSent::InvoiceCancelled,
        },
        TimelineKind::ReceiptNotSent { reason: NotSent::SwitchedOff },
        TimelineKind::LedgerQueued,
        TimelineKind::LedgerEntered,
        TimelineKind::LedgerGivenUp,
        TimelineKind::VoidQueued,
        TimelineKind::Voided,
        TimelineKind::VoidGivenUp,
        TimelineKind::PayLinkReplaced,
        TimelineKind::Reminded { channel: "email".to_owned(), days: 7 },
        TimelineKind::Reminded { channel: "sms".to_owned(), days: -3 },
        TimelineKind::Cancelled,
        TimelineKind::Changed,
    ];
    let shown = ShownInvoice {
        contact: None,
        invoice: shown(InvoiceStatus::Cancelled, 1).invoice,
        timeline: timeline.map(entry).to_vec(),
        charges: Vec::new(),
        reversals: Vec::new(),
        reminders: None,
        sends_mail: true,
        time_zone: sydney(),
        today: TODAY,
        form: form(Vec::new()),
    };
    let html = rendered(&InvoicePage::new(&shown, COMPANY, &urls()));
    for text in [
        "Receipt waiting to be sent",
        "Receipt sent",
        "Receipt could not be delivered",
        "E-mail not sent: the invoice was cancelled",
        "Receipt not sent: the account, or its mail to customers, was switched off",
        "Waiting to be entered in the ledger",
        "Entered in the ledger",
        "Could not be entered in the ledger",
        "Waiting to be voided in the ledger",
        "Voided in the ledger",
        "Could not be voided in the ledger",
        "Payment link replaced",
        "Reminder sent by e-mail (step +7)",
        "Reminder sent by text message (step -3)",
        "Cancelled",
        "Last changed",
    ] {
        assert!(html.contains(&format!("<li>{text}<small>")), "{text} in {html}");
    }
}

#[test]
fn question_before_a_partly_paid_invoice_is_cancelled_says_that_the_money_stays() {
    let question = |status| {
        let invoice = shown(status, 1).invoice;
        rendered(&CancelPage::new(&invoice, "0199".to_owned(), COMPANY, &urls()))
    };
    let keeps = "The AUD 40.00 received for it stays recorded and is not returned.";
    assert!(question(InvoiceStatus::PartiallyPaid).contains(keeps));
    assert!(!question(InvoiceStatus::Unpaid).contains("received for it"));
}

#[test]
fn payment_is_listed_with_its_reference() {
    let html = invoice_page(shown(InvoiceStatus::PartiallyPaid, 1).invoice);
    assert!(html.contains("24 November 2026<small>Bank transfer · R 1</small>"), "{html}");
}

#[test]
fn markup_in_any_field_of_an_invoice_is_text() {
    for status in InvoiceStatus::ALL {
        let invoice = hostile(status);
        assert!(invoice_page(invoice.clone()).contains("alert(1)"));
        rendered(&CancelPage::new(&invoice, "0199".to_owned(), COMPANY, &urls()));
        let form = form(invoice_values(&invoice, None));
        let number = invoice.number.as_str().to_owned();
        for editing in [Editing::New, Editing::Draft(&number), Editing::Issued(&number)] {
            let html = rendered(&InvoiceFormPage::new(&form, 2, editing, &account(), &urls()));
            assert!(html.matches("alert(1)").count() >= 6, "{html}");
        }
    }
}

#[test]
fn faults_of_an_invoice_stand_at_their_fields_and_in_the_summary() {
    let mut faults = FieldErrors::one("line_items.1.quantity", "must be above 0");
    faults.add("contact", "is required");
    faults.add("line_items", "at least one line is required");
    let values = vec![("line_items.1.quantity".to_owned(), "-3".to_owned())];
    let form = Form::refused("0199".to_owned(), values, faults);
    let html = rendered(&InvoiceFormPage::new(&form, 2, Editing::New, &account(), &urls()));
    for text in [
        "<a href=\"#line_items.1.quantity\">Item 2: Quantity must be above 0</a>",
        "<p class=\"alert\" id=\"line_items.1.quantity-error\">Quantity must be above 0</p>",
        "name=\"line_items.1.quantity\" aria-invalid=\"true\"",
        "value=\"-3\"",
        "<a href=\"#contact\">Contact is required</a>",
        "id=\"contact\"",
        "<a href=\"#line_items\">",
        "id=\"line_items\"",
        "value=\"remove_line.1\"",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    // The sign-out button comes before those of the form.
    let first_button = html.split("<button").nth(2).unwrap();
    assert!(first_button.starts_with(" name=\"action\" value=\"save_draft\" hidden"), "{first_button}");
}

#[test]
fn form_opens_at_the_line_that_was_added_or_at_the_button_that_adds_one() {
    let focused = |place| {
        let page = InvoiceFormPage::new(&form(Vec::new()), 3, Editing::New, &account(), &urls());
        let html = rendered(&page.focusing_line(place));
        html.split(" autofocus").next().unwrap().rsplit('<').next().unwrap().to_owned()
    };
    assert_eq!(
        focused(2),
        "textarea rows=\"5\" id=\"line_items.2.description\" name=\"line_items.2.description\""
    );
    assert!(focused(3).contains("value=\"add_line\""), "{}", focused(3));
    let full = InvoiceFormPage::new(&form(Vec::new()), MAX_LINES, Editing::New, &account(), &urls());
    let html = rendered(&full.focusing_line(MAX_LINES));
    assert!(html.contains("<p>An invoice has at most 500 items.</p>"));
    assert!(!html.contains("add_line"));
}

#[test]
fn buttons_of_the_form_fit_what_is_edited() {
    let offered = |editing| {
        let form = form(Vec::new());
        let html = rendered(&InvoiceFormPage::new(&form, 1, editing, &account(), &urls()));
        ["issue_and_send", "issue", "save_draft"]
            .map(|action| html.matches(&format!("value=\"{action}\"")).count())
    };
    // One of them is the hidden one that the Enter key presses.
    assert_eq!(offered(Editing::New), [1, 1, 2]);
    assert_eq!(offered(Editing::Draft("1")), [1, 1, 2]);
    assert_eq!(offered(Editing::Issued("1")), [1, 2, 0]);
}
