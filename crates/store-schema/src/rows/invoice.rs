//! Rows of `invoices`.

use std::collections::HashMap;

use ::invoices::{Invoice, InvoiceData, InvoiceNumber, InvoiceTexts, PayToken, Payment, Totals};
use diesel::prelude::*;
use kernel::{Money, MultiLine, Named as _, SingleLine, StoreResult};

use super::invoiced_contact;
use super::line_item::LineItemRow;
use super::payment::PaymentRow;
use super::row_ref::{RowRef, text_or_null};
use crate::schema::invoices;
use crate::types::{RowDay, RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = invoices, primary_key(account_id, id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct InvoiceRow {
    pub account_id: RowId,
    pub id: RowId,
    pub number: String,
    pub status: String,
    pub contact_id: Option<RowId>,
    pub contact: Option<String>,
    pub invoice_date: RowDay,
    pub due_date: RowDay,
    pub currency: String,
    pub line_amount_types: String,
    pub sub_total: i64,
    pub tax_total: i64,
    pub total: i64,
    pub amount_paid: i64,
    pub reference: Option<String>,
    pub notes: Option<String>,
    pub staff: Option<String>,
    pub last_sent_at: Option<RowInstant>,
    pub send_count: i64,
    pub pay_token: String,
    pub ledger_invoice_id: Option<String>,
    pub created_at: RowInstant,
    pub updated_at: RowInstant,
    pub status_changes_on: Option<RowDay>,
}

impl From<&Invoice> for InvoiceRow {
    fn from(invoice: &Invoice) -> Self {
        let texts = &invoice.texts;
        Self {
            account_id: invoice.account.into(),
            id: invoice.id.into(),
            number: invoice.number.as_str().to_owned(),
            status: invoice.status.as_str().to_owned(),
            contact_id: invoice.contact.as_ref().map(|contact| RowId::from(contact.id)),
            contact: invoice.contact.as_ref().map(invoiced_contact::to_json),
            invoice_date: RowDay(invoice.invoice_date),
            due_date: RowDay(invoice.due_date),
            currency: invoice.currency.code().to_owned(),
            line_amount_types: invoice.line_amount_types.as_str().to_owned(),
            sub_total: invoice.totals.sub_total.minor(),
            tax_total: invoice.totals.tax_total.minor(),
            total: invoice.totals.total.minor(),
            amount_paid: invoice.amount_paid.minor(),
            reference: text_or_null(texts.reference.as_ref()),
            notes: texts.notes.as_ref().map(|notes| notes.as_str().to_owned()),
            staff: text_or_null(texts.staff.as_ref()),
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

/// Rows of invoices, and of the line items and payments of all of them.
pub type InvoiceRows = (Vec<InvoiceRow>, Vec<LineItemRow>, Vec<PaymentRow>);

/// Invoices from their rows, in the order of `rows`. Line items are sorted by position and payments by id
/// within their invoice.
pub fn with_details(
    rows: Vec<InvoiceRow>,
    lines: Vec<LineItemRow>,
    payments: Vec<PaymentRow>,
) -> StoreResult<Vec<Invoice>> {
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
    pub fn into_invoice(self, lines: Vec<LineItemRow>, payments: Vec<PaymentRow>) -> StoreResult<Invoice> {
        let row_ref = RowRef { table: "invoices", id: self.id };
        let currency = row_ref.currency(&self.currency)?;
        let money = |minor| Money::new(minor, currency);
        let contact = match (self.contact_id, self.contact.as_deref()) {
            (Some(id), Some(json)) => Some(invoiced_contact::from_json(id, json, row_ref)?),
            (None, None) => None,
            _ => return Err(row_ref.wrong("contact", "and contact_id do not fit each other")),
        };
        let lines = lines.into_iter().map(|line| line.into_line_item(currency));
        let payments = payments.into_iter().map(|payment| payment.into_payment(currency));
        Ok(Invoice::from_stored(InvoiceData {
            id: self.id.id(),
            account: self.account_id.id(),
            number: InvoiceNumber::from_stored(self.number),
            status: row_ref.named("status", &self.status)?,
            contact,
            invoice_date: self.invoice_date.0,
            due_date: self.due_date.0,
            currency,
            line_amount_types: row_ref.named("line_amount_types", &self.line_amount_types)?,
            lines: lines.collect(),
            totals: Totals {
                sub_total: money(self.sub_total),
                tax_total: money(self.tax_total),
                total: money(self.total),
            },
            amount_paid: money(self.amount_paid),
            payments: payments.collect::<Result<Vec<Payment>, _>>()?,
            texts: InvoiceTexts {
                reference: self.reference.map(SingleLine::from_stored),
                notes: self.notes.map(MultiLine::from_stored),
                staff: self.staff.map(SingleLine::from_stored),
            },
            last_sent_at: self.last_sent_at.map(|at| at.0),
            send_count: row_ref.count("send_count", self.send_count)?,
            pay_token: PayToken::from_stored(self.account_id.id(), self.pay_token),
            ledger_invoice_id: self.ledger_invoice_id.map(SingleLine::from_stored),
            created_at: self.created_at.0,
            updated_at: self.updated_at.0,
        }))
    }
}
