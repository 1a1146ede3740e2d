//! The columns of a row, for this crate's database, and columns of ids by which few rows are sorted.

use diesel::SelectableHelper;
use diesel::dsl::{AsSelect, sql};
use diesel::expression::{Selectable, SqlLiteral};
use store_schema::types::Uid;

use crate::dialect::{Db, UNINDEXED};

/// The columns that a row is read from. With `as_select`, the compiler infers the database from the
/// connection at every step of the query; with two databases to choose from, that takes it seconds for a
/// join.
pub(crate) fn columns_of<R: Selectable<Db>>() -> AsSelect<R, Db> {
    R::as_select()
}

/// A column of ids by which few rows are sorted, without an index that has all rows in this order.
pub(crate) fn sorted_by(column: &str) -> SqlLiteral<Uid> {
    sql(&format!("{UNINDEXED}{column}"))
}
