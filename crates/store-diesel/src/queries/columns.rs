//! The columns of a row, for this crate's database.

use diesel::SelectableHelper;
use diesel::dsl::AsSelect;
use diesel::expression::Selectable;

use crate::dialect::Db;

/// The columns that a row is read from. With `as_select`, the compiler infers the database from the
/// connection at every step of the query; with two databases to choose from, that takes it seconds for a
/// join.
pub(crate) fn columns_of<R: Selectable<Db>>() -> AsSelect<R, Db> {
    R::as_select()
}
