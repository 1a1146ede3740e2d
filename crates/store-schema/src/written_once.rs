//! Lists of columns whose SQL text is generated once.
//!
//! diesel generates the text of a statement for every execution, even when the statement is prepared. For the
//! many columns of an invoice that costs as much as reading the result.

use std::sync::OnceLock;

use diesel::backend::Backend;
use diesel::expression::ValidGrouping;
use diesel::query_builder::{AstPass, QueryBuilder, QueryFragment, QueryId};
use diesel::{AppearsOnTable, Expression, QueryResult, SelectableExpression};

/// Columns and their cached text. They must have no bind parameters, which would be missing from the cached
/// text.
#[derive(Debug, Clone, Copy)]
pub struct WrittenOnce<E> {
    text: &'static OnceLock<String>,
    columns: E,
}

impl<E> WrittenOnce<E> {
    /// Each list of columns needs its own cell.
    pub const fn at(text: &'static OnceLock<String>, columns: E) -> Self {
        Self { text, columns }
    }
}

impl<E: Expression> Expression for WrittenOnce<E> {
    type SqlType = E::SqlType;
}

impl<E, DB> QueryFragment<DB> for WrittenOnce<E>
where
    DB: Backend + Default,
    DB::QueryBuilder: Default,
    E: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if let Some(text) = self.text.get() {
            out.push_sql(text);
            return Ok(());
        }
        let written = sql_text::<DB>(&self.columns)?;
        out.push_sql(self.text.get_or_init(|| written));
        Ok(())
    }
}

/// The SQL text of a part of a statement.
pub fn sql_text<DB>(part: &impl QueryFragment<DB>) -> QueryResult<String>
where
    DB: Backend + Default,
    DB::QueryBuilder: Default,
{
    let mut text = DB::QueryBuilder::default();
    part.to_sql(&mut text, &DB::default())?;
    Ok(text.finish())
}

impl<E: QueryId> QueryId for WrittenOnce<E> {
    type QueryId = WrittenOnce<E::QueryId>;
    const HAS_STATIC_QUERY_ID: bool = E::HAS_STATIC_QUERY_ID;
}

impl<E: SelectableExpression<QS>, QS> SelectableExpression<QS> for WrittenOnce<E> {}
impl<E: AppearsOnTable<QS>, QS> AppearsOnTable<QS> for WrittenOnce<E> {}
impl<E: ValidGrouping<G>, G> ValidGrouping<G> for WrittenOnce<E> {
    type IsAggregate = E::IsAggregate;
}
