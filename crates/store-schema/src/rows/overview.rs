//! Rows with an account's figures.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text};
use invoices::{Ageing, InvoiceNumber, LatestPayment, Owed};
use kernel::{Currency, Money, StoreError, StoreResult};

use super::invoiced_contact;
use super::row_ref::RowRef;
use super::split_sum::joined;
use crate::errors::failed;
use crate::types::{Instant, RowId, RowInstant, Uid};

/// A sum of amounts of one currency: those due in one age group, or those paid.
#[derive(Debug, QueryableByName)]
pub struct AmountRow {
    #[diesel(sql_type = Text)]
    currency: String,
    /// The index of the [`Ageing`]; one more than the last index for paid amounts.
    #[diesel(sql_type = Integer)]
    age: i32,
    #[diesel(sql_type = BigInt)]
    how_many: i64,
    /// The sum of the amounts in whole [`SPLIT_UNIT`](super::SPLIT_UNIT)s, and the sum of their remainders.
    #[diesel(sql_type = BigInt)]
    units: i64,
    #[diesel(sql_type = BigInt)]
    rest: i64,
}

/// The figures of each currency, by its code.
pub fn owed(rows: Vec<AmountRow>) -> StoreResult<Vec<Owed>> {
    let mut by_currency = BTreeMap::new();
    for row in rows {
        let currency = Currency::from_stored(&row.currency);
        let currency = currency.map_err(|fault| StoreError::Failed(fault.into()))?;
        let zero = Money::zero(currency);
        let none =
            || Owed { outstanding: zero, overdue: zero, paid: zero, ageing: [(zero, 0); Ageing::ALL.len()] };
        let owed: &mut Owed = by_currency.entry(row.currency.clone()).or_insert_with(none);
        let amount = Money::new(joined(row.units, row.rest), currency);
        let index = usize::try_from(row.age).map_err(|_negative| failed("an age below 0"))?;
        match owed.ageing.get_mut(index) {
            Some(aged) => *aged = (amount, u64::try_from(row.how_many).unwrap_or_default()),
            None => owed.paid = amount,
        }
    }
    let mut owed: Vec<Owed> = by_currency.into_values().collect();
    for one in &mut owed {
        let sum = |from: usize| {
            let due = one.ageing.iter().skip(from).map(|(due, _)| due.minor());
            Money::new(due.fold(0, i64::saturating_add), one.paid.currency())
        };
        (one.outstanding, one.overdue) = (sum(0), sum(1));
    }
    Ok(owed)
}

/// A payment with the displayed columns of its invoice.
#[derive(Debug, QueryableByName)]
pub struct LatestPaymentRow {
    #[diesel(sql_type = Uid)]
    payment_id: RowId,
    #[diesel(sql_type = BigInt)]
    amount: i64,
    #[diesel(sql_type = Instant)]
    received_at: RowInstant,
    #[diesel(sql_type = Text)]
    method: String,
    #[diesel(sql_type = Uid)]
    invoice_id: RowId,
    #[diesel(sql_type = Text)]
    number: String,
    #[diesel(sql_type = Text)]
    currency: String,
    #[diesel(sql_type = Nullable<Uid>)]
    contact_id: Option<RowId>,
    #[diesel(sql_type = Nullable<Text>)]
    contact: Option<String>,
}

impl TryFrom<LatestPaymentRow> for LatestPayment {
    type Error = StoreError;

    fn try_from(row: LatestPaymentRow) -> StoreResult<Self> {
        let row_ref = RowRef { table: "payments", id: row.payment_id };
        let contact = match (row.contact_id, row.contact.as_deref()) {
            (Some(id), Some(json)) => Some(invoiced_contact::from_json(id, json, row_ref)?.name),
            _ => None,
        };
        Ok(Self {
            invoice: row.invoice_id.id(),
            number: InvoiceNumber::from_stored(row.number),
            contact,
            amount: Money::new(row.amount, row_ref.currency(&row.currency)?),
            received_at: row.received_at.0,
            method: row_ref.named("method", &row.method)?,
        })
    }
}
