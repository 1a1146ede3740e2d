//! The pages of escalations: the list, and one escalation with its resolution.

use askama::Template;
use escalations::{Escalation, EscalationStatus, ResolutionOutcome};
use invoices::figures::written_instant;
use kernel::{Named as _, PublicUrls, TimeZone};

use super::links::PageLinks;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{AccountTexts, ENGLISH, Texts};

#[derive(Debug, Clone, Template)]
#[template(path = "account/escalations.html")]
pub struct EscalationList {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    rows: Vec<EscalationItem>,
    times: String,
    invoices: String,
    first: Option<String>,
    next: Option<String>,
}

#[derive(Debug, Clone)]
struct EscalationItem {
    href: String,
    raised: String,
    reason: &'static str,
    status: &'static str,
    words: String,
}

/// One escalation, with the form that resolves it while it is open.
#[derive(Debug, Clone, Template)]
#[template(path = "account/escalation.html")]
pub struct EscalationDetail {
    t: &'static Texts,
    s: &'static AccountTexts,
    layout: Dashboard,
    status: &'static str,
    is_open: bool,
    facts: Vec<(&'static str, String)>,
    invoice: Option<(String, String)>,
    contact: Option<(String, String)>,
    /// The contact's e-mail address and phone number, with their labels.
    reach: Vec<(&'static str, String)>,
    words: String,
    history: Vec<String>,
    resolution_notes: Option<String>,
    times: String,
    resolve_at: String,
    form_token: String,
    problems: Vec<Problem>,
    outcome: FormField,
    notes: FormField,
}

/// An escalation with its invoice and contact.
#[derive(Debug, Clone)]
pub struct ShownEscalation {
    pub escalation: Escalation,
    /// The number of the invoice concerned.
    pub invoice_number: Option<String>,
    /// The name of the contact concerned.
    pub contact_name: Option<String>,
    pub contact_email: Option<String>,
    pub contact_phone: Option<String>,
}

/// The maximum number of characters of a customer's statement in the list.
const EXCERPT: usize = 140;

impl Page for EscalationList {}
impl Page for EscalationDetail {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl EscalationList {
    #[must_use]
    pub fn new(
        company: &str,
        escalations: &[Escalation],
        zone: &TimeZone,
        links: PageLinks,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s) = (&ENGLISH, ENGLISH.account);
        let row = |escalation: &Escalation| EscalationItem {
            href: urls.page(format_args!("/dashboard/escalations/{}", escalation.id)),
            raised: written_instant(escalation.created_at, zone),
            reason: (s.escalation_of)(escalation.escalation_type),
            status: (s.escalation_status)(escalation.status()),
            words: excerpt(escalation.statement.as_str()),
        };
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Escalations, s.escalations, urls, t),
            rows: escalations.iter().map(row).collect(),
            times: (s.times)(zone.name()),
            invoices: urls.page("/dashboard/invoices"),
            first: links.first,
            next: links.next,
        }
    }
}

fn excerpt(text: &str) -> String {
    let line = kernel::text::one_line(text, EXCERPT + 1);
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

impl EscalationDetail {
    #[must_use]
    pub fn new(
        company: &str,
        shown: &ShownEscalation,
        form: &Form,
        zone: &TimeZone,
        urls: &PublicUrls,
    ) -> Self {
        let (t, s, escalation) = (&ENGLISH, ENGLISH.account, &shown.escalation);
        let heading = (s.escalation_of)(escalation.escalation_type);
        let (outcome, notes) = resolution_fields(form, s);
        let link = |path: &str, id: Option<String>, words: Option<&String>, otherwise: &str| {
            let href = urls.page(format_args!("/dashboard/{path}/{}", id?));
            Some((href, words.cloned().unwrap_or_else(|| otherwise.to_owned())))
        };
        let resolution = escalation.resolution.as_ref();
        let invoice = escalation.invoice.map(|id| id.to_string());
        let contact = escalation.contact.map(|id| id.to_string());
        Self {
            t,
            s,
            layout: Dashboard::new(company, Section::Escalations, heading, urls, t),
            status: (s.escalation_status)(escalation.status()),
            is_open: escalation.status() == EscalationStatus::Open,
            facts: vec![
                (s.raised, written_instant(escalation.created_at, zone)),
                (s.came_in, (s.channel)(escalation.channel).to_owned()),
                (s.priority, capitalised(escalation.priority.as_str())),
            ],
            invoice: link("invoices", invoice, shown.invoice_number.as_ref(), s.open_invoice),
            contact: link("contacts", contact, shown.contact_name.as_ref(), s.open_contact),
            reach: [(t.email, &shown.contact_email), (t.phone, &shown.contact_phone)]
                .into_iter()
                .filter_map(|(label, text)| Some((label, text.clone()?)))
                .collect(),
            words: escalation.statement.as_str().to_owned(),
            history: history(escalation, zone, s),
            resolution_notes: resolution.and_then(|one| Some(one.notes.as_ref()?.as_str().to_owned())),
            times: (s.times)(zone.name()),
            resolve_at: urls.page(format_args!("/dashboard/escalations/{}/resolve", escalation.id)),
            form_token: form.form_token.clone(),
            problems: form.problems([&outcome, &notes]),
            outcome,
            notes,
        }
    }
}

fn resolution_fields(form: &Form, s: &AccountTexts) -> (FormField, FormField) {
    let outcomes = ResolutionOutcome::ALL.iter().map(|&outcome| (outcome.as_str(), (s.outcome_of)(outcome)));
    let choices = form.choices("outcome", [("", s.choose)].into_iter().chain(outcomes));
    (form.field("outcome", s.outcome, Control::Select(choices)), form.field("notes", s.notes, Control::Lines))
}

fn history(escalation: &Escalation, zone: &TimeZone, s: &AccountTexts) -> Vec<String> {
    let raised = (s.raised_at)(&written_instant(escalation.created_at, zone));
    let resolved = escalation.resolution.as_ref();
    let resolved =
        resolved.map(|one| (s.resolved_at)(&written_instant(one.at, zone), (s.outcome_of)(one.outcome)));
    [raised].into_iter().chain(resolved).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
