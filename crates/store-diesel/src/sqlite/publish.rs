//! An event, and then its deliveries.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use diesel_async::RunQueryDsl;

use super::dialect::Connection;
use super::queries::publication::Publication;
use crate::layout::Layout;

/// Writes an event and its deliveries. Whether there is any delivery. Other processes see for themselves that
/// something was committed.
pub(super) async fn publish(
    connection: &mut Connection,
    _layout: Layout,
    publication: &Publication,
    _everywhere: bool,
) -> QueryResult<bool> {
    InsertEvent(publication).execute(connection).await?;
    let made = InsertDeliveries(publication).execute(connection).await?;
    Ok(made > 0)
}

/// Other processes see for themselves.
pub(super) async fn announce(_connection: &mut Connection) -> QueryResult<()> {
    Ok(())
}

struct InsertEvent<'a>(&'a Publication);

impl QueryId for InsertEvent<'_> {
    type QueryId = InsertEvent<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for InsertEvent<'_> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.push_event(out)
    }
}

struct InsertDeliveries<'a>(&'a Publication);

impl QueryId for InsertDeliveries<'_> {
    type QueryId = InsertDeliveries<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Sqlite> for InsertDeliveries<'_> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.push_deliveries(out)
    }
}
