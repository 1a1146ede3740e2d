//! The list of invoices.

use askama::Template;
use invoices::{InvoiceStatus, InvoiceSummary};
use kernel::{Named as _, PublicUrls};
use time::Date;

use super::summary_rows::SummaryItem;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, FormField, Problem};
use crate::page::Page;
use crate::texts::{ENGLISH, InvoicingTexts, Texts};

/// The content of the list of invoices.
#[derive(Debug, Clone, Default)]
pub struct InvoiceList {
    pub invoices: Vec<InvoiceSummary>,
    /// The submitted filter.
    pub form: Form,
    /// The query of the list without a cursor, used by the export too.
    pub query: String,
    /// The query of the next page.
    pub next: Option<String>,
    /// Whether this is a page after the first.
    pub is_later_page: bool,
}

/// The list of invoices.
#[derive(Debug, Clone, Template)]
#[template(path = "invoice_list.html")]
pub struct InvoiceListPage {
    t: &'static Texts,
    layout: Dashboard,
    problems: Vec<Problem>,
    filters: Vec<FormField>,
    contact: Option<String>,
    is_filtered: bool,
    rows: Vec<SummaryItem>,
    first: Option<String>,
    next: Option<String>,
    all: String,
    export: String,
    new_invoice: String,
}

impl Page for InvoiceListPage {}

/// The label of a filter by several statuses; `None` if it is one by a single status or by none.
fn several_statuses(filter: &str, d: &InvoicingTexts) -> Option<String> {
    let statuses: Result<Vec<_>, _> = filter.split(',').map(InvoiceStatus::parse).collect();
    let labels: Vec<&str> = statuses.ok()?.into_iter().map(|status| (d.status)(status)).collect();
    (labels.len() > 1).then(|| labels.join(", "))
}

impl InvoiceListPage {
    /// `today` is the present day in the account's time zone.
    #[must_use]
    pub fn new(list: &InvoiceList, today: Date, company: &str, urls: &PublicUrls) -> Self {
        let t = &ENGLISH;
        let d = &t.invoicing;
        let form = &list.form;
        let statuses = InvoiceStatus::ALL.map(|status| (status.as_str(), (d.status)(status)));
        // A link may name several: they stay chosen when another filter is changed.
        let chosen = form.value("status");
        let several = several_statuses(chosen, d);
        let several = several.as_deref().map(|label| (chosen, label));
        let choices = form.choices("status", [("", d.any_status)].into_iter().chain(statuses).chain(several));
        let filters = vec![
            form.field("q", d.search, Control::Line("search")).hint(d.search_hint),
            form.field("status", d.status_label, Control::Select(choices)),
            form.field("number", d.number, Control::Line("text")),
            form.field("from", d.from, Control::Line("date")),
            form.field("to", d.to, Control::Line("date")),
        ];
        let all = urls.page("/dashboard/invoices");
        let with_query = |path: &str, query: &str| match query {
            "" => urls.page(path),
            query => urls.page(format_args!("{path}?{query}")),
        };
        Self {
            t,
            layout: Dashboard::new(company, Section::Invoices, d.invoices, urls, t),
            problems: form.problems(&filters),
            contact: Some(form.value("contact").to_owned()).filter(|contact| !contact.is_empty()),
            is_filtered: !list.query.is_empty(),
            filters,
            rows: list.invoices.iter().map(|invoice| SummaryItem::new(invoice, today, urls, t)).collect(),
            first: list.is_later_page.then(|| with_query("/dashboard/invoices", &list.query)),
            next: list.next.as_ref().map(|query| with_query("/dashboard/invoices", query)),
            all,
            export: with_query("/dashboard/invoices/export.csv", &list.query),
            new_invoice: urls.page("/dashboard/invoices/new"),
        }
    }
}
