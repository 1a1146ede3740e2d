//! Rows of lists of invoices.

use invoices::figures::{money_text, written_date};
use invoices::{InvoiceStatus, InvoiceSummary};
use kernel::PublicUrls;
use time::Date;

use crate::texts::Texts;

/// A row of a list of invoices.
#[derive(Debug, Clone)]
pub(super) struct SummaryItem {
    pub(super) href: String,
    pub(super) number: String,
    pub(super) contact: String,
    pub(super) status: &'static str,
    pub(super) is_alert: bool,
    pub(super) due: String,
    pub(super) total: String,
    /// The amount due, if it is not the total.
    pub(super) amount_due: Option<String>,
}

impl SummaryItem {
    pub(super) fn new(invoice: &InvoiceSummary, today: Date, urls: &PublicUrls, t: &Texts) -> Self {
        let name = invoice.contact.as_ref().map(|contact| contact.name.to_string());
        let is_alert = invoice.status.is_late(invoice.due_date, today);
        let differs = invoice.amount_due != invoice.totals.total && !invoice.amount_due.is_zero();
        Self {
            href: urls.page(format_args!("/dashboard/invoices/{}", invoice.id)),
            number: invoice.number.to_string(),
            contact: name.unwrap_or_default(),
            status: match invoice.status {
                InvoiceStatus::PartiallyPaid if is_alert => t.invoicing.partly_paid_overdue,
                status => (t.invoicing.status)(status),
            },
            is_alert,
            due: (t.invoicing.due_on)(&written_date(invoice.due_date)),
            total: money_text(invoice.totals.total),
            amount_due: differs.then(|| money_text(invoice.amount_due)),
        }
    }
}
