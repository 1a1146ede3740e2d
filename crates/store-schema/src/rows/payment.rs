//! Rows of `payments`.

use diesel::prelude::*;
use invoices::{Invoice, Payment};
use kernel::{Currency, Money, Named as _, SingleLine, StoreResult};

use super::row_ref::{RowRef, text_or_null};
use crate::schema::payments;
use crate::types::{RowId, RowInstant};

#[derive(Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = payments, treat_none_as_default_value = false)]
pub struct PaymentRow {
    pub account_id: RowId,
    pub invoice_id: RowId,
    pub id: RowId,
    pub amount: i64,
    pub received_at: RowInstant,
    pub method: String,
    pub reference: Option<String>,
    pub recorded_by: String,
}

impl PaymentRow {
    /// The rows of an invoice's payments.
    pub fn of(invoice: &Invoice) -> Vec<Self> {
        let (account, invoice_id) = (invoice.account.into(), invoice.id.into());
        let row = |payment: &Payment| Self::new(account, invoice_id, payment);
        invoice.payments.iter().map(row).collect()
    }

    /// The row of one payment.
    pub fn new(account_id: RowId, invoice_id: RowId, payment: &Payment) -> Self {
        Self {
            account_id,
            invoice_id,
            id: payment.id.into(),
            amount: payment.amount.minor(),
            received_at: RowInstant(payment.received_at),
            method: payment.method.as_str().to_owned(),
            reference: text_or_null(payment.reference.as_ref()),
            recorded_by: payment.recorded_by.as_str().to_owned(),
        }
    }

    pub(crate) fn into_payment(self, currency: Currency) -> StoreResult<Payment> {
        let row_ref = RowRef { table: "payments", id: self.id };
        Ok(Payment {
            id: self.id.id(),
            amount: Money::new(self.amount, currency),
            received_at: self.received_at.0,
            method: row_ref.named("method", &self.method)?,
            reference: self.reference.map(SingleLine::from_stored),
            recorded_by: row_ref.named("recorded_by", &self.recorded_by)?,
        })
    }
}
