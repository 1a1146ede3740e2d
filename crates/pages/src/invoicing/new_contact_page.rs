//! The form of a new contact.

use askama::Template;
use kernel::PublicUrls;

use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{ENGLISH, Texts};

/// The form of a new contact.
#[derive(Debug, Clone, Template)]
#[template(path = "new_contact.html")]
pub struct NewContactPage {
    t: &'static Texts,
    layout: Dashboard,
    form_token: String,
    problems: Vec<Problem>,
    fields: Vec<FormField>,
}

impl Page for NewContactPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl NewContactPage {
    #[must_use]
    pub fn new(form: &Form, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let d = &t.invoicing;
        let line = |name: &str, label: &str, kind| form.field(name, label, Control::Line(kind));
        let fields = vec![
            line("name", d.name, "text"),
            form.field("email", t.email, Control::Email),
            line("phone", t.phone, "tel"),
            line("external_id", d.external_id, "text").hint(d.external_id_hint),
        ];
        Self {
            t,
            layout: Dashboard::new(company, Section::Contacts, d.new_contact, urls, t),
            form_token: form.form_token.clone(),
            problems: form.problems(&fields),
            fields,
        }
    }
}
