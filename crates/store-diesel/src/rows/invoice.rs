//! Rows of `invoices`.

use std::collections::HashMap;

use ::invoices::{
    Invoice, InvoiceData, InvoiceNumber, LineAmountTypes, LineItem, PayToken, Payment, Status,
    Totals,
};
use diesel::prelude::*;
use kernel::{Money, StoreError};

use super::{LineItemRow, PaymentRow, Place, invoiced_contact, text_or_null};
use crate::schema::invoices;
use crate::types::{RowDay, RowId, RowInstant};

/// A row of `invoices`.
#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = invoices, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub(crate) struct InvoiceRow {
    pub(crate) account_id: RowId,
    pub(crate) id: RowId,
    pub(crate) number: String,
    pub(crate) status: String,
    pub(crate) contact_id: Option<RowId>,
    pub(crate) contact: Option<String>,
    pub(crate) invoice_date: RowDay,
    pub(crate) due_date: RowDay,
    pub(crate) currency: String,
    pub(crate) line_amount_types: String,
    pub(crate) sub_total: i64,
    pub(crate) tax_total: i64,
    pub(crate) total: i64,
    pub(crate) amount_paid: i64,
    pub(crate) reference: Option<String>,
    pub(crate) notes: Option<String>,
    pub(crate) staff: Option<String>,
    pub(crate) last_sent_at: Option<RowInstant>,
    pub(crate) send_count: i64,
    pub(crate) pay_token: String,
    pub(crate) ledger_invoice_id: Option<String>,
    pub(crate) created_at: RowInstant,
    pub(crate) updated_at: RowInstant,
    pub(crate) status_changes_on: Option<RowDay>,
}

impl From<&Invoice> for InvoiceRow {
    fn from(invoice: &Invoice) -> Self {
        Self {
            account_id: invoice.account.into(),
            id: invoice.id.into(),
            number: invoice.number.as_str().to_owned(),
            status: invoice.status.as_str().to_owned(),
            contact_id: invoice
                .contact
                .as_ref()
                .map(|contact| RowId::from(contact.id)),
            contact: invoice.contact.as_ref().map(invoiced_contact::to_json),
            invoice_date: RowDay(invoice.invoice_date),
            due_date: RowDay(invoice.due_date),
            currency: invoice.currency.code().to_owned(),
            line_amount_types: invoice.line_amount_types.as_str().to_owned(),
            sub_total: invoice.totals.sub_total.minor(),
            tax_total: invoice.totals.tax_total.minor(),
            total: invoice.totals.total.minor(),
            amount_paid: invoice.amount_paid.minor(),
            reference: text_or_null(invoice.reference.as_ref()),
            notes: invoice
                .notes
                .as_ref()
                .map(|notes| notes.as_str().to_owned()),
            staff: text_or_null(invoice.staff.as_ref()),
            last_sent_at: invoice.last_sent_at.map(RowInstant),
            send_count: invoice.send_count.into(),
            pay_token: invoice.pay_token.reveal().to_owned(),
            ledger_invoice_id: text_or_null(invoice.ledger_invoice_id.as_ref()),
            created_at: RowInstant(invoice.created_at),
            updated_at: RowInstant(invoice.updated_at),
            status_changes_on: invoice.status_changes_on().map(RowDay),
        }
    }
}

/// Rows of invoices, and of the lines and payments of all of them.
pub(crate) type InvoiceRows = (Vec<InvoiceRow>, Vec<LineItemRow>, Vec<PaymentRow>);

/// Puts invoices together from their rows. Lines come by position and payments oldest first within their invoice; the invoices keep
/// their order.
pub(crate) fn with_details(
    rows: Vec<InvoiceRow>,
    lines: Vec<LineItemRow>,
    payments: Vec<PaymentRow>,
) -> Result<Vec<Invoice>, StoreError> {
    let mut lines_of: HashMap<RowId, Vec<LineItemRow>> = HashMap::new();
    for line in lines {
        lines_of.entry(line.invoice_id).or_default().push(line);
    }
    let mut payments_of: HashMap<RowId, Vec<PaymentRow>> = HashMap::new();
    for payment in payments {
        let of = payments_of.entry(payment.invoice_id).or_default();
        of.push(payment);
    }
    let invoices = rows.into_iter().map(|row| {
        let lines = lines_of.remove(&row.id).unwrap_or_default();
        let payments = payments_of.remove(&row.id).unwrap_or_default();
        row.into_invoice(lines, payments)
    });
    invoices.collect()
}

impl InvoiceRow {
    /// The invoice. Its lines come by position, and its payments oldest first.
    pub(crate) fn into_invoice(
        self,
        lines: Vec<LineItemRow>,
        payments: Vec<PaymentRow>,
    ) -> Result<Invoice, StoreError> {
        let place = Place {
            table: "invoices",
            id: self.id,
        };
        let currency = place.currency(&self.currency)?;
        let money = |minor| Money::new(minor, currency);
        let contact = match (self.contact_id, self.contact.as_deref()) {
            (Some(id), Some(json)) => Some(invoiced_contact::from_json(id, json, place)?),
            (None, None) => None,
            _ => return Err(place.wrong("contact", "and contact_id do not fit each other")),
        };
        let lines = lines.into_iter().map(|line| line.into_line_item(currency));
        let payments = payments
            .into_iter()
            .map(|payment| payment.into_payment(currency));
        let notes = self
            .notes
            .as_deref()
            .map(|notes| place.block("notes", notes));
        Ok(Invoice::from_stored(InvoiceData {
            id: self.id.id(),
            account: self.account_id.id(),
            number: InvoiceNumber::from_stored(self.number),
            status: Status::parse(&self.status).map_err(|fault| place.wrong("status", fault))?,
            contact,
            invoice_date: self.invoice_date.0,
            due_date: self.due_date.0,
            currency,
            line_amount_types: LineAmountTypes::parse(&self.line_amount_types)
                .map_err(|fault| place.wrong("line_amount_types", fault))?,
            lines: lines.collect::<Result<Vec<LineItem>, _>>()?,
            totals: Totals {
                sub_total: money(self.sub_total),
                tax_total: money(self.tax_total),
                total: money(self.total),
            },
            amount_paid: money(self.amount_paid),
            payments: payments.collect::<Result<Vec<Payment>, _>>()?,
            reference: place.line_or_none("reference", self.reference.as_deref())?,
            notes: notes.transpose()?,
            staff: place.line_or_none("staff", self.staff.as_deref())?,
            last_sent_at: self.last_sent_at.map(|at| at.0),
            send_count: place.count("send_count", self.send_count)?,
            pay_token: PayToken::from_stored(self.pay_token),
            ledger_invoice_id: place
                .line_or_none("ledger_invoice_id", self.ledger_invoice_id.as_deref())?,
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        }))
    }
}
