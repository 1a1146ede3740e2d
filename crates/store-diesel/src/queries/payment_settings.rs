//! The query for an owner's settings of online payments, in a transaction or not.

use ::payments::PaymentSettings;
use diesel::dsl::auto_type;
use diesel::prelude::*;
use kernel::{AccountId, StoreResult};
use store_schema::rows::row_ref::RowRef;
use store_schema::schema::payment_settings;
use store_schema::types::RowId;

/// The settings of an account, if its owner has changed them.
#[auto_type]
pub(super) fn settings_query(account: RowId) -> _ {
    let columns = (payment_settings::minimum_percent, payment_settings::unapplied);
    payment_settings::table.filter(payment_settings::account_id.eq(account)).select(columns)
}

/// Converts the row of the owner's payment settings; without a row they are the default.
pub(super) fn settings_of(account: AccountId, row: Option<(i16, String)>) -> StoreResult<PaymentSettings> {
    let Some((percent, unapplied)) = row else {
        return Ok(PaymentSettings::default());
    };
    let row_ref = RowRef { table: "payment_settings", id: account.into() };
    Ok(PaymentSettings {
        minimum_percent: u8::try_from(percent)
            .map_err(|_out_of_range| row_ref.wrong("minimum_percent", "is out of range"))?,
        unapplied: row_ref.named("unapplied", &unapplied)?,
    })
}
