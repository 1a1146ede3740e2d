//! The form for a new invoice or for editing one.

use askama::Template;
use contacts::Contact;
use invoices::Invoice;
use invoices::line_item::MAX_LINES;
use kernel::{Named as _, PublicUrls, clock};

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Button, Control, Form, FormField, Problem};
use crate::invoice_texts;
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

/// What the form is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editing<'a> {
    /// A new invoice.
    New,
    /// The draft with this number.
    Draft(&'a str),
    /// The issued invoice with this number.
    Issued(&'a str),
}

/// The account data that the form shows.
#[derive(Debug, Clone)]
pub struct FormAccount {
    pub company: String,
    /// The suggested contacts, found by their e-mail addresses.
    pub contacts: Vec<Contact>,
    /// How many days after its date an invoice is due by default.
    pub payment_terms_days: u16,
}

/// The id of the list of suggested contacts.
const KNOWN_CONTACTS: &str = "known-contacts";

#[derive(Debug, Clone, Template)]
#[template(path = "invoice_form.html")]
pub struct InvoiceFormPage {
    t: &'static Texts,
    layout: Dashboard,
    form_token: String,
    version: String,
    problems: Vec<Problem>,
    /// The hidden fields of the contact that the form was opened for, if it was.
    of_contact: Vec<(&'static str, String)>,
    /// A field without an element, for faults of the whole contact.
    whole_contact: FormField,
    contact: Vec<FormField>,
    /// The e-mail addresses and names of suggested contacts.
    known_contacts: Vec<(String, String)>,
    fields: Vec<FormField>,
    whole_lines: FormField,
    lines: Vec<LineFields>,
    no_more_lines: Option<String>,
    focuses_add_line: bool,
    texts: Vec<FormField>,
    /// The action of the Enter key in a field.
    default_action: &'static str,
    buttons: Vec<Button>,
}

#[derive(Debug, Clone)]
struct LineFields {
    legend: String,
    fields: Vec<FormField>,
    remove: String,
    remove_label: String,
}

impl Page for InvoiceFormPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl InvoiceFormPage {
    /// `lines` is the number of lines that the form has.
    #[must_use]
    pub fn new(
        form: &Form,
        lines: usize,
        editing: Editing<'_>,
        account: &FormAccount,
        urls: &PublicUrls,
    ) -> Self {
        let t = &ENGLISH;
        let d = &t.invoicing;
        let heading = match editing {
            Editing::New => d.new_invoice.to_owned(),
            Editing::Draft(number) | Editing::Issued(number) => (d.edit)(number),
        };
        let line = |name: &str, label: &str, kind| form.field(name, label, Control::Line(kind));
        let contact = vec![
            line("contact.name", d.name, "text"),
            form.field("contact.email", t.email, Control::Email).suggestions(KNOWN_CONTACTS),
            line("contact.phone", t.phone, "tel"),
        ];
        let fields = head_fields(form, editing, account.payment_terms_days, t);
        let no_more_lines = (lines >= MAX_LINES).then(|| (d.no_more_lines)(MAX_LINES));
        let lines: Vec<LineFields> = (0..lines).map(|place| LineFields::new(form, place, t)).collect();
        let texts = invoice_texts::fields(form, t);
        let whole_contact = form.field("contact", d.contact, Control::Line("text"));
        let whole_lines = form.field("line_items", t.lines, Control::Line("text")).hint(d.items_hint);
        let shown = std::iter::once(&whole_contact).chain(&contact).chain(&fields);
        let shown = shown.chain(std::iter::once(&whole_lines));
        let shown = shown.chain(lines.iter().flat_map(|line| &line.fields)).chain(&texts);
        Self {
            t,
            layout: Dashboard::new(&account.company, Section::Invoices, &heading, urls, t),
            form_token: form.form_token.clone(),
            version: form.value("version").to_owned(),
            problems: form.problems(shown),
            of_contact: of_contact(form),
            whole_contact,
            contact,
            known_contacts: account.contacts.iter().filter_map(suggestion).collect(),
            fields,
            whole_lines,
            lines,
            no_more_lines,
            focuses_add_line: false,
            texts,
            default_action: if matches!(editing, Editing::Issued(_)) { "issue" } else { "save_draft" },
            buttons: buttons(editing, t),
        }
    }

    /// Puts the focus on the first field of a line, or on the button that adds one if there is no such line.
    /// The lines may be far below the top of the page.
    #[must_use]
    pub fn focusing_line(mut self, place: usize) -> Self {
        match self.lines.get_mut(place).and_then(|line| line.fields.first_mut()) {
            Some(field) => field.has_focus = true,
            None => self.focuses_add_line = true,
        }
        self
    }
}

fn of_contact(form: &Form) -> Vec<(&'static str, String)> {
    let values = ["contact.id", "contact.shown"].map(|name| (name, form.value(name).to_owned()));
    values.into_iter().filter(|(_, value)| !value.is_empty()).collect()
}

/// The suggestion of a contact: its e-mail address and name. A contact without an e-mail address cannot be
/// found by this form.
fn suggestion(contact: &Contact) -> Option<(String, String)> {
    Some((contact.email.as_ref()?.to_string(), contact.name.to_string()))
}

fn head_fields(form: &Form, editing: Editing<'_>, terms: u16, t: &Texts) -> Vec<FormField> {
    let d = &t.invoicing;
    let types = [("EXCLUSIVE", d.exclusive), ("INCLUSIVE", d.inclusive), ("NO_TAX", d.no_tax)];
    let types = Control::Select(form.choices("line_amount_types", types));
    let number = form.field("invoice_number", d.number_label, Control::Line("text"));
    let due_date = form.field("due_date", t.due_date, Control::Line("date"));
    let is_new = editing == Editing::New;
    vec![
        if is_new { number.hint(d.number_hint) } else { number },
        form.field("invoice_date", t.invoice_date, Control::Line("date")),
        if is_new { due_date.hint((d.due_date_hint)(terms)) } else { due_date },
        form.field("currency", d.currency, Control::Line("text")),
        form.field("line_amount_types", d.line_amount_types, types),
    ]
}

fn buttons(editing: Editing<'_>, t: &Texts) -> Vec<Button> {
    let d = &t.invoicing;
    let buttons = match editing {
        Editing::New | Editing::Draft(_) => {
            vec![("issue_and_send", d.issue_and_send), ("issue", d.issue), ("save_draft", d.save_draft)]
        }
        Editing::Issued(_) => vec![("issue", d.save), ("issue_and_send", d.save_and_send)],
    };
    let button =
        |(action, label): (&str, &str)| Button { action: action.to_owned(), label: label.to_owned() };
    buttons.into_iter().map(button).collect()
}

impl LineFields {
    fn new(form: &Form, place: usize, t: &Texts) -> Self {
        let d = &t.invoicing;
        let shown_place = place.saturating_add(1);
        let legend = (d.item)(shown_place);
        let field = |name: &str, label: &str, control| {
            form.field(&format!("line_items.{place}.{name}"), label, control).in_group(&legend)
        };
        Self {
            fields: vec![
                field("description", t.description, Control::Lines),
                field("quantity", d.quantity, Control::Number),
                field("unit_amount", d.unit_amount, Control::Number),
                field("tax_rate", d.tax_rate, Control::Number),
                field("tax_type", d.tax_type, Control::Line("text")).hint(d.tax_type_hint),
            ],
            remove: format!("remove_line.{place}"),
            remove_label: (d.remove_line)(shown_place),
            legend,
        }
    }
}

/// The initial values of the form for an invoice. A draft is issued to its contact as that is then, so its
/// form shows `contact`, which it has now.
#[must_use]
pub fn invoice_values(invoice: &Invoice, contact: Option<&Contact>) -> Vec<(String, String)> {
    let of_contact = contact.map_or_else(|| contact_of(invoice), contact_of_new);
    let head = [
        ("version", invoice.version().as_str().to_owned()),
        ("invoice_number", invoice.number.to_string()),
        ("invoice_date", clock::date_text(invoice.invoice_date)),
        ("due_date", clock::date_text(invoice.due_date)),
        ("currency", invoice.currency.code().to_owned()),
        ("line_amount_types", invoice.line_amount_types.as_str().to_owned()),
    ];
    let lines = invoice.lines.iter().enumerate().flat_map(|(place, line)| {
        let values = [
            ("description", line.description.to_string()),
            ("quantity", line.quantity.to_string()),
            ("unit_amount", line.unit_amount.to_string()),
            ("tax_rate", line.tax_rate.to_string()),
            ("tax_type", line.tax_type.as_ref().map(ToString::to_string).unwrap_or_default()),
        ];
        values.map(|(name, value)| (format!("line_items.{place}.{name}"), value))
    });
    let texts = invoice_texts::values(&invoice.texts);
    let named = head.into_iter().chain(texts).map(|(name, value)| (name.to_owned(), value));
    of_contact.into_iter().chain(named).chain(lines).collect()
}

/// The contact as the invoice has it.
fn contact_of(invoice: &Invoice) -> Vec<(String, String)> {
    let contact = invoice.contact.as_ref();
    let values = [
        ("contact.name", contact.map(|contact| contact.name.to_string())),
        ("contact.email", contact.and_then(|contact| Some(contact.email.as_ref()?.to_string()))),
        ("contact.phone", contact.and_then(|contact| Some(contact.phone.as_ref()?.to_string()))),
    ];
    values.map(|(name, value)| (name.to_owned(), value.unwrap_or_default())).to_vec()
}

/// The initial values of a new invoice's form for an existing contact. The invoice is for this contact, by
/// its id, as long as name, e-mail address and telephone number are those of `contact.shown`, which the form
/// keeps in a hidden field: a contact without an e-mail address would not be found by them.
#[must_use]
pub fn contact_of_new(contact: &Contact) -> Vec<(String, String)> {
    let name = contact.name.to_string();
    let email = contact.email.as_ref().map(ToString::to_string).unwrap_or_default();
    let phone = contact.phone.as_ref().map(ToString::to_string).unwrap_or_default();
    let shown = shown_contact(&name, &email, &phone);
    let values = [
        ("contact.id", contact.id.to_string()),
        ("contact.name", name),
        ("contact.email", email),
        ("contact.phone", phone),
        ("contact.shown", shown),
    ];
    values.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The field `contact.shown`: the contact's fields in one text. None of them can contain a tab.
#[must_use]
pub fn shown_contact(name: &str, email: &str, phone: &str) -> String {
    format!("{name}\t{email}\t{phone}")
}
