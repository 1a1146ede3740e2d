//! The letterhead of an account, as one JSON object.

use ::invoices::Letterhead;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use kernel::StoreError;

use super::dialect::{self, Connection};
use crate::rows::row_ref::RowRef;
use crate::types::{RowId, Uid};

/// The columns of `accounts` that a letterhead has; besides them it has the owner's `email`.
const COLUMNS: [&str; 10] = [
    "company_name",
    "phone",
    "abn",
    "address_line1",
    "address_city",
    "address_state",
    "address_postal_code",
    "address_country",
    "brand_color",
    "logo_key",
];

/// Where [`json`] finds its columns.
pub(super) const FROM: &str =
    "accounts AS a JOIN logins AS l ON l.account_id = a.id AND l.id = a.id WHERE a.id = ";

/// The expression that makes the object.
pub(super) fn json() -> String {
    let columns = COLUMNS.map(|column| format!("'{column}', a.{column}, ")).concat();
    format!("CAST({}({columns}'email', l.email) AS text)", dialect::JSON_OBJECT)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Text)]
    letterhead: String,
}

/// The letterhead of an account. Its owner's address is where its customers' answers go.
pub(super) async fn json_of(account: RowId, connection: &mut Connection) -> diesel::QueryResult<String> {
    let query = diesel::sql_query(format!("SELECT {} AS letterhead FROM {FROM}$1", json()));
    let row: Row = query.bind::<Uid, _>(account).get_result(connection).await?;
    Ok(row.letterhead)
}

pub(super) fn read(account: RowId, json: &str) -> Result<Letterhead, StoreError> {
    let place = RowRef { table: "accounts", id: account };
    Letterhead::from_stored(json).map_err(|fault| place.wrong("letterhead", fault))
}
