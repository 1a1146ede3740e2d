//! The columns of a row, for this side's database.

use diesel::SelectableHelper;
use diesel::dsl::AsSelect;
use diesel::expression::Selectable;

use crate::dialect::Db;

/// The columns that a row is read from. `as_select` leaves the database to be inferred from the connection,
/// behind every step of the query: with two databases to choose from, a join takes the compiler seconds.
pub(crate) fn columns_of<R: Selectable<Db>>() -> AsSelect<R, Db> {
    R::as_select()
}
