//! The letterhead of an account, as one JSON object.

use std::sync::OnceLock;

use ::invoices::Letterhead;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Text};
use diesel_async::RunQueryDsl;
use kernel::StoreResult;
use store_schema::rows::row_ref::RowRef;
use store_schema::types::{RowId, Uid};

use crate::dialect::{self, Connection};

/// The columns of `accounts` in a letterhead, which also has the owner's `email`.
const COLUMNS: [&str; 11] = [
    "company_name", "phone", "abn", "address_line1", "address_city", "address_state", "address_postal_code",
    "address_country", "time_zone", "brand_color", "logo_key",
];

/// The tables that [`json`] reads.
pub(super) const FROM: &str =
    "accounts AS a JOIN logins AS l ON l.account_id = a.id AND l.id = a.id WHERE a.id = ";

/// The SQL expression that builds the object.
pub(super) fn json() -> String {
    let columns = COLUMNS.map(|column| format!("'{column}', a.{column}, ")).concat();
    format!("CAST({}({columns}'email', l.email) AS text)", dialect::JSON_OBJECT)
}

/// What an account's customers see of the account: its letterhead, which includes the owner's address, where
/// their replies go; its time zone; whether the partner and whether the operator disabled the account.
pub(super) type SeenByCustomers = (String, String, bool, bool);

pub(super) async fn load(account: RowId, connection: &mut Connection) -> QueryResult<SeenByCustomers> {
    LetterheadStatement(account).get_result(connection).await
}

pub(super) fn read(account: RowId, json: &str) -> StoreResult<Letterhead> {
    let row_ref = RowRef { table: "accounts", id: account };
    Letterhead::from_stored(json).map_err(|fault| row_ref.wrong("letterhead", fault))
}

/// Each connection prepares this statement once.
#[derive(Debug, QueryId)]
struct LetterheadStatement(RowId);

impl Query for LetterheadStatement {
    type SqlType = (Text, Text, Bool, Bool);
}

impl QueryFragment<dialect::Db> for LetterheadStatement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, dialect::Db>) -> QueryResult<()> {
        static LETTERHEAD: OnceLock<String> = OnceLock::new();
        out.push_sql("SELECT ");
        out.push_sql(LETTERHEAD.get_or_init(json));
        out.push_sql(", a.time_zone, a.disabled_by_partner, a.disabled_by_operator FROM ");
        out.push_sql(FROM);
        out.push_bind_param::<Uid, _>(&self.0)
    }
}
