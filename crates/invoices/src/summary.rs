//! An invoice without its lines and payments, for lists of many.

use kernel::{Currency, Money, SingleLine};
use time::Date;

use crate::invoice::{Invoice, InvoiceId};
use crate::invoiced_contact::InvoicedContact;
use crate::number::InvoiceNumber;
use crate::status::InvoiceStatus;
use crate::totals::Totals;

/// An invoice without its lines and payments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvoiceSummary {
    /// The invoice's id.
    pub id: InvoiceId,
    /// Its number.
    pub number: InvoiceNumber,
    /// The status as of the last change. Those that depend on dates are updated when the day has come.
    pub status: InvoiceStatus,
    /// The invoiced contact.
    pub contact: Option<InvoicedContact>,
    /// The date on the invoice; before it, the status is SCHEDULED.
    pub invoice_date: Date,
    /// The last day on which payment is in time, in the time zone of the account.
    pub due_date: Date,
    /// Its currency.
    pub currency: Currency,
    /// The totals of the lines.
    pub totals: Totals,
    /// The sum of its payments.
    pub amount_paid: Money,
    /// The amount due.
    pub amount_due: Money,
    /// The caller's reference.
    pub reference: Option<SingleLine<255>>,
}

impl From<&Invoice> for InvoiceSummary {
    fn from(invoice: &Invoice) -> Self {
        Self {
            id: invoice.id,
            number: invoice.number.clone(),
            status: invoice.status,
            contact: invoice.contact.clone(),
            invoice_date: invoice.invoice_date,
            due_date: invoice.due_date,
            currency: invoice.currency,
            totals: invoice.totals,
            amount_paid: invoice.amount_paid,
            amount_due: invoice.amount_due(),
            reference: invoice.texts.reference.clone(),
        }
    }
}
