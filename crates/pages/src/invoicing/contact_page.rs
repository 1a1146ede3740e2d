//! One contact: its details to edit, and its invoices.

use askama::Template;
use contacts::{Contact, PostalAddress};
use invoices::InvoiceSummary;
use kernel::{PublicUrls, SingleLine};
use time::Date;

use super::summary_rows::SummaryItem;
use crate::communications::ShownCommunications;
use crate::communications::contact_preferences::ContactCommunications;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

#[derive(Debug, Clone, Template)]
#[template(path = "contact.html")]
pub struct ContactPage {
    t: &'static Texts,
    layout: Dashboard,
    form_token: String,
    version: String,
    problems: Vec<Problem>,
    fields: Vec<FormField>,
    address: Vec<FormField>,
    external_id: Option<String>,
    rows: Vec<SummaryItem>,
    all_invoices: String,
    new_invoice: String,
    new_invoice_label: String,
    comms: ContactCommunications,
}

impl Page for ContactPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl ContactPage {
    /// `invoices` are the contact's newest invoices, `today` is the present day in the account's time zone.
    #[must_use]
    pub fn new(
        contact: &Contact,
        form: &Form,
        invoices: &[InvoiceSummary],
        shown: &ShownCommunications,
        today: Date,
        company: &str,
        urls: &PublicUrls,
    ) -> Self {
        let t = &ENGLISH;
        let d = &t.invoicing;
        let line = |name: &str, label: &str, kind| form.field(name, label, Control::Line(kind));
        let fields = vec![
            line("name", d.name, "text"),
            form.field("email", t.email, Control::Email),
            line("phone", t.phone, "tel"),
        ];
        let address = vec![
            line("address.line1", d.line1, "text"),
            line("address.line2", d.line2, "text"),
            line("address.city", d.city, "text"),
            line("address.state", d.state, "text"),
            line("address.postal_code", d.postal_code, "text"),
            line("address.country", d.country, "text"),
        ];
        let comms = ContactCommunications::new(shown, form, urls);
        Self {
            t,
            layout: Dashboard::new(company, Section::Contacts, contact.name.as_str(), urls, t),
            form_token: form.form_token.clone(),
            version: form.value("version").to_owned(),
            problems: form.problems(fields.iter().chain(&address).chain(comms.fields())),
            fields,
            address,
            external_id: contact.external_id.as_ref().map(ToString::to_string),
            rows: invoices.iter().map(|invoice| SummaryItem::new(invoice, today, urls, t)).collect(),
            all_invoices: urls.page(format_args!("/dashboard/invoices?contact={}", contact.id)),
            new_invoice: urls.page(format_args!("/dashboard/invoices/new?contact={}", contact.id)),
            new_invoice_label: (d.new_invoice_for)(contact.name.as_str()),
            comms,
        }
    }
}

/// The initial values of the form for a contact.
#[must_use]
pub fn contact_values(contact: &Contact) -> Vec<(String, String)> {
    let PostalAddress { line1, line2, city, state, postal_code, country } =
        contact.address.clone().unwrap_or_default();
    let text = |line: Option<SingleLine<200>>| line.map(SingleLine::into_string).unwrap_or_default();
    let values = [
        ("version", contact.version().as_str().to_owned()),
        ("name", contact.name.to_string()),
        ("email", contact.email.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("phone", contact.phone.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("address.line1", text(line1)),
        ("address.line2", text(line2)),
        ("address.city", text(city)),
        ("address.state", text(state)),
        ("address.postal_code", text(postal_code)),
        ("address.country", text(country)),
    ];
    values.map(|(name, value)| (name.to_owned(), value)).to_vec()
}
