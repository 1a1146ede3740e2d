//! Rows with sums of online payments.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use kernel::{Currency, Money, StoreError, StoreResult};
use payments::OnlineFigures;

use super::split_sum::joined;

/// A sum of amounts of one currency.
#[derive(Debug, QueryableByName)]
pub struct OnlineAmountRow {
    #[diesel(sql_type = Text)]
    currency: String,
    /// The index of the sum in [`OnlineFigures`].
    #[diesel(sql_type = Integer)]
    what: i32,
    /// The sum of the amounts in whole [`SPLIT_UNIT`](super::SPLIT_UNIT)s, and the sum of their remainders.
    #[diesel(sql_type = BigInt)]
    units: i64,
    #[diesel(sql_type = BigInt)]
    rest: i64,
}

/// The figures of each currency, by its code.
pub fn online_figures(rows: Vec<OnlineAmountRow>) -> StoreResult<Vec<OnlineFigures>> {
    let mut by_currency = BTreeMap::new();
    for row in rows {
        let currency = Currency::from_stored(&row.currency);
        let currency = currency.map_err(|fault| StoreError::Failed(fault.into()))?;
        let zero = Money::zero(currency);
        let none = || OnlineFigures { processing: zero, captured: zero, refunded: zero, refunding: zero };
        let figures = by_currency.entry(row.currency.clone()).or_insert_with(none);
        let place = match row.what {
            0 => &mut figures.processing,
            1 => &mut figures.captured,
            2 => &mut figures.refunded,
            _ => &mut figures.refunding,
        };
        *place = Money::new(joined(row.units, row.rest), currency);
    }
    Ok(by_currency.into_values().collect())
}
