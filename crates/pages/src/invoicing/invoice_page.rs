//! One invoice: the document, its timeline, and the actions on it.

use askama::Template;
use contacts::Contact;
use invoices::figures::{money_text, written_date};
use invoices::{Invoice, InvoiceStatus, InvoicedContact, Payment, PaymentMethod, TimelineEntry};
use kernel::{Named as _, PublicUrls, TimeZone};
use payments::{Charge, Reversal};
use time::Date;

use super::charge_rows::ChargeItem;
use super::invoice_form::invoice_values;
use super::timeline_rows::TimelineItem;
use crate::communications::ShownReminders;
use crate::communications::invoice_reminders::InvoiceReminders;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::invoice_texts;
use crate::page::Page;
use crate::payment_page::{self, Labelled, Line};
use crate::texts::{ENGLISH, Texts};

/// The content of the page of an invoice.
#[derive(Debug, Clone)]
pub struct ShownInvoice {
    pub invoice: Invoice,
    /// A draft's contact as it is now.
    pub contact: Option<Contact>,
    pub timeline: Vec<TimelineEntry>,
    /// The online charges; `reversals` are their refunds and disputes.
    pub charges: Vec<Charge>,
    pub reversals: Vec<Reversal>,
    pub time_zone: TimeZone,
    /// The present day in that time zone.
    pub today: Date,
    /// The invoice's reminders; `None` if it cannot have any.
    pub reminders: Option<ShownReminders>,
    /// Whether the account lets the service write to its customers.
    pub sends_mail: bool,
    /// The form for a payment. The other forms use its token too.
    pub form: Form,
}

#[derive(Debug, Clone, Template)]
#[template(path = "invoice.html")]
pub struct InvoicePage {
    t: &'static Texts,
    layout: Dashboard,
    status: String,
    is_alert: bool,
    due_label: &'static str,
    amount_due: String,
    contact: Option<(String, String)>,
    edit: Option<String>,
    pdf: String,
    pay_url: Option<String>,
    facts: Vec<Labelled>,
    lines: Vec<Line>,
    totals: Vec<Labelled>,
    notes: Option<String>,
    payments: Vec<InvoicePaymentItem>,
    charges: Vec<ChargeItem>,
    /// The URL that drafts a replacement of this invoice.
    replacement: Option<String>,
    timeline: Vec<TimelineItem>,
    reminders: Option<InvoiceReminders>,
    zone: String,
    form_token: String,
    /// What the forms are about.
    version: String,
    problems: Vec<Problem>,
    /// The URL, the label of the button, and the recipient.
    send: Option<(String, &'static str, String)>,
    pay_link: Option<String>,
    payment: Option<(String, Vec<FormField>)>,
    /// The currency in which the amount of a payment is meant.
    currency: String,
    promise: Option<(String, FormField)>,
    cancel: Option<String>,
    /// Why the invoice cannot be sent, if nothing else on the page says so.
    unsendable: Option<&'static str>,
    /// The URL that issues a draft, and its content as the edit form sends it.
    issue: Option<(String, Vec<(String, String)>)>,
    /// Whom it is then mailed to.
    issue_hint: Option<String>,
    /// Whether a draft may be sent with it.
    sends_mail: bool,
}

/// A payment, and the parts of it that went back.
#[derive(Debug, Clone)]
struct InvoicePaymentItem {
    date: String,
    method: &'static str,
    reference: Option<String>,
    amount: String,
    refunded: Option<String>,
}

impl Page for InvoicePage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl InvoicePage {
    #[must_use]
    pub fn new(shown: &ShownInvoice, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let (invoice, form) = (&shown.invoice, &shown.form);
        let own = |action: &str| urls.page(format_args!("/dashboard/invoices/{}{action}", invoice.id));
        let payment = payment_fields(form, t);
        let promise = form.field("promise_date", t.invoicing.promise_date, Control::Line("date"));
        let reminders = shown
            .reminders
            .as_ref()
            .map(|one| InvoiceReminders::new(one, invoice.id, form, &shown.time_zone, urls));
        let until = reminders.iter().map(|reminders| &reminders.until);
        let (is_editable, is_payable) = (invoice.status.is_editable(), invoice.status.is_payable());
        let (is_issued, unsendable) = (!invoice.is_draft(), unsendable(shown, t));
        let layout =
            Dashboard::new(company, Section::Invoices, &(t.invoice)(invoice.number.as_str()), urls, t);
        Self {
            t,
            layout,
            // A draft is not due yet.
            due_label: if invoice.is_draft() { t.total } else { t.amount_due },
            status: status(invoice, &shown.time_zone, shown.today, t),
            is_alert: payment_page::is_alert(invoice, shown.today),
            amount_due: money_text(invoice.amount_due()),
            contact: contact_link(shown, urls),
            edit: is_editable.then(|| own("/edit")),
            pdf: own("/invoice.pdf"),
            pay_url: is_issued.then(|| urls.payment_page(invoice.pay_token.reveal())),
            facts: facts(shown, t),
            lines: invoice.lines.iter().map(|line| payment_page::line(line, invoice, t)).collect(),
            totals: payment_page::totals(invoice, t),
            notes: invoice.texts.notes.as_ref().map(|notes| notes.as_str().to_owned()),
            payments: payments(shown, t),
            charges: charges(shown, urls, t),
            replacement: has_refunds(shown).then(|| own("/replacement")),
            timeline: shown
                .timeline
                .iter()
                .map(|entry| TimelineItem::new(entry, &shown.time_zone, t))
                .collect(),
            zone: (t.invoicing.zone)(shown.time_zone.name()),
            form_token: form.form_token.clone(),
            version: invoice.version().as_str().to_owned(),
            problems: form.problems(payment.iter().chain([&promise]).chain(until)),
            reminders,
            send: (is_issued && is_editable && unsendable.is_none())
                .then(|| send(invoice, own("/send"), t))
                .flatten(),
            pay_link: is_issued.then(|| own("/pay-link")),
            currency: invoice.currency.to_string(),
            payment: is_payable.then(|| (own("/payments"), payment)),
            promise: is_payable.then(|| (own("/promise"), promise.hint(t.invoicing.promise_hint))),
            cancel: is_editable.then(|| own("/cancel")),
            unsendable,
            sends_mail: shown.sends_mail,
            issue: invoice
                .is_draft()
                .then(|| (own("/edit"), invoice_values(invoice, shown.contact.as_ref()))),
            issue_hint: issue_hint(shown, t),
        }
    }
}

/// What payers read, who prepared the invoice, and its id in the ledger: jobs that are done leave the
/// timeline in time.
fn facts(shown: &ShownInvoice, t: &Texts) -> Vec<Labelled> {
    let invoice = &shown.invoice;
    let present = shown.contact.clone().map(InvoicedContact::from);
    let id = invoice.ledger_invoice_id.as_ref();
    let in_ledger = id.map(|id| Labelled { label: t.invoicing.ledger_id, text: id.to_string() });
    let own = invoice_texts::of_owner(&invoice.texts, t).into_iter().filter_map(Labelled::of);
    let facts = payment_page::facts(invoice, present.as_ref().or(invoice.contact.as_ref()), t);
    facts.into_iter().chain(own).chain(in_ledger).collect()
}

fn payments(shown: &ShownInvoice, t: &Texts) -> Vec<InvoicePaymentItem> {
    let refunded = |payment: &Payment| {
        let charge = shown.charges.iter().find(|charge| charge.payment == Some(payment.id))?;
        let reversed = charge.figures(&shown.reversals).reversed;
        (!reversed.is_zero()).then(|| (t.invoicing.refunded_part)(&money_text(reversed)))
    };
    let row = |payment: &Payment| InvoicePaymentItem {
        date: written_date(shown.time_zone.date_at(payment.received_at)),
        method: (t.payment_method)(payment.method),
        reference: payment.reference.as_ref().map(ToString::to_string),
        amount: money_text(payment.amount),
        refunded: refunded(payment),
    };
    shown.invoice.payments.iter().map(row).collect()
}

/// Whether applied money went back.
fn has_refunds(shown: &ShownInvoice) -> bool {
    shown.charges.iter().any(|charge| !charge.figures(&shown.reversals).reversed.is_zero())
}

fn charges(shown: &ShownInvoice, urls: &PublicUrls, t: &Texts) -> Vec<ChargeItem> {
    let row = |charge| ChargeItem::new(shown.invoice.id, charge, &shown.reversals, urls, t);
    shown.charges.iter().map(row).collect()
}

/// The status with its details. The text that payers read for an overdue, paid or partly paid invoice already
/// names the status.
fn status(invoice: &Invoice, zone: &TimeZone, today: Date, t: &Texts) -> String {
    let word = (t.invoicing.status)(invoice.status);
    match invoice.status {
        InvoiceStatus::Draft => format!("{word} · {}", t.invoicing.draft_hint),
        InvoiceStatus::Scheduled | InvoiceStatus::Unpaid => {
            format!("{word} · {}", payment_page::status(invoice, zone, today, t))
        }
        InvoiceStatus::Overdue | InvoiceStatus::PartiallyPaid | InvoiceStatus::Paid => {
            payment_page::status(invoice, zone, today, t)
        }
        InvoiceStatus::Cancelled => word.to_owned(),
    }
}

fn has_email(invoice: &Invoice) -> bool {
    invoice.contact.as_ref().is_some_and(|contact| contact.email.is_some())
}

/// Why an invoice that is neither paid nor cancelled cannot be sent. That a draft has no recipient is said by
/// its form.
fn unsendable(shown: &ShownInvoice, t: &Texts) -> Option<&'static str> {
    let invoice = &shown.invoice;
    if !invoice.status.is_editable() {
        return None;
    }
    if !shown.sends_mail {
        return Some(t.invoicing.communications_off);
    }
    (!invoice.is_draft() && !has_email(invoice)).then_some(t.invoicing.unsendable)
}

/// The address of the contact's page, and its name.
fn contact_link(shown: &ShownInvoice, urls: &PublicUrls) -> Option<(String, String)> {
    let contact = shown.invoice.contact.as_ref()?;
    let name = shown.contact.as_ref().map_or(&contact.name, |contact| &contact.name);
    Some((urls.page(format_args!("/dashboard/contacts/{}", contact.id)), name.to_string()))
}

fn issue_hint(shown: &ShownInvoice, t: &Texts) -> Option<String> {
    let email = shown.contact.as_ref().filter(|_| shown.sends_mail)?.email.as_ref()?;
    Some((t.invoicing.send_hint)(email.as_str()))
}

fn send(invoice: &Invoice, href: String, t: &Texts) -> Option<(String, &'static str, String)> {
    let email = invoice.contact.as_ref()?.email.as_ref()?;
    let words = if invoice.sent_to_contact() { t.invoicing.send_again } else { t.invoicing.send };
    Some((href, words, (t.invoicing.send_hint)(email.as_str())))
}

fn payment_fields(form: &Form, t: &Texts) -> Vec<FormField> {
    let d = &t.invoicing;
    let methods = [
        PaymentMethod::BankTransfer,
        PaymentMethod::Card,
        PaymentMethod::DirectDebit,
        PaymentMethod::Cash,
        PaymentMethod::Cheque,
        PaymentMethod::Other,
    ];
    let methods = methods.map(|method| (method.as_str(), (t.payment_method)(method)));
    vec![
        form.field("amount", t.amount, Control::Number),
        form.field("method", t.method, Control::Select(form.choices("method", methods))),
        form.field("received_at", d.received_at, Control::Line("date")).hint(d.received_at_hint),
        form.field("reference", t.reference, Control::Line("text")).hint(d.payment_reference_hint),
    ]
}

/// The page that asks for confirmation before an invoice is cancelled.
#[derive(Debug, Clone, Template)]
#[template(path = "cancel_invoice.html")]
pub struct CancelPage {
    t: &'static Texts,
    layout: Dashboard,
    /// What stays of the payments, if there are any.
    keeps: Option<String>,
    form_token: String,
    version: String,
    cancel: String,
    keep: String,
}

impl Page for CancelPage {}

impl CancelPage {
    #[must_use]
    pub fn new(invoice: &Invoice, form_token: String, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let paid = invoice.amount_paid;
        let question = (t.invoicing.cancel_question)(invoice.number.as_str());
        let keep = urls.page(format_args!("/dashboard/invoices/{}", invoice.id));
        Self {
            t,
            layout: Dashboard::new(company, Section::Invoices, &question, urls, t),
            keeps: (!paid.is_zero()).then(|| (t.invoicing.cancel_keeps)(&money_text(paid))),
            form_token,
            version: invoice.version().as_str().to_owned(),
            cancel: format!("{keep}/cancel"),
            keep,
        }
    }
}
