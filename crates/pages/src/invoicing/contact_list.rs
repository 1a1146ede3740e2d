//! The list of contacts.

use askama::Template;
use contacts::Contact;
use kernel::PublicUrls;

use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

/// The content of the list of contacts.
#[derive(Debug, Clone, Default)]
pub struct ContactList {
    pub contacts: Vec<Contact>,
    /// The submitted search.
    pub form: Form,
    /// The query of the list without a cursor.
    pub query: String,
    /// The query of the next page.
    pub next: Option<String>,
    /// Whether this is a page after the first.
    pub is_later_page: bool,
}

#[derive(Debug, Clone, Template)]
#[template(path = "contact_list.html")]
pub struct ContactListPage {
    t: &'static Texts,
    layout: Dashboard,
    problems: Vec<Problem>,
    search: FormField,
    is_filtered: bool,
    rows: Vec<ContactItem>,
    first: Option<String>,
    next: Option<String>,
    all: String,
    new_contact: String,
    new_invoice: String,
}

#[derive(Debug, Clone)]
struct ContactItem {
    href: String,
    name: String,
    email: String,
    phone: String,
}

impl Page for ContactListPage {}

impl ContactListPage {
    #[must_use]
    pub fn new(list: &ContactList, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let d = &t.invoicing;
        let search = list.form.field("q", d.search, Control::Line("search")).hint(d.contact_search_hint);
        let with_query = |query: &str| match query {
            "" => urls.page("/dashboard/contacts"),
            query => urls.page(format_args!("/dashboard/contacts?{query}")),
        };
        let row = |contact: &Contact| ContactItem {
            href: urls.page(format_args!("/dashboard/contacts/{}", contact.id)),
            name: contact.name.to_string(),
            email: contact.email.as_ref().map(ToString::to_string).unwrap_or_default(),
            phone: contact.phone.as_ref().map(ToString::to_string).unwrap_or_default(),
        };
        Self {
            t,
            layout: Dashboard::new(company, Section::Contacts, d.contacts, urls, t),
            problems: list.form.problems([&search]),
            search,
            is_filtered: !list.query.is_empty(),
            rows: list.contacts.iter().map(row).collect(),
            first: list.is_later_page.then(|| with_query(&list.query)),
            next: list.next.as_deref().map(with_query),
            all: with_query(""),
            new_contact: urls.page("/dashboard/contacts/new"),
            new_invoice: urls.page("/dashboard/invoices/new"),
        }
    }
}
