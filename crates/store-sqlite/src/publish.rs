//! Inserts an event, and then its deliveries.

use diesel::connection::Connection as _;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use diesel::{QueryResult, SqliteConnection};
use sqlite_writer::Connection;

use super::queries::publication::{InsertEvent, Publication};

/// Writes an event and its deliveries. Returns whether there is a delivery. Other processes notice commits by
/// themselves.
pub(super) fn publish(connection: &mut SqliteConnection, publication: &Publication) -> QueryResult<bool> {
    connection.execute_returning_count(&InsertEvent(publication))?;
    let made = connection.execute_returning_count(&InsertDeliveries(publication))?;
    Ok(made > 0)
}

/// Does nothing: other processes notice commits by themselves.
pub(super) async fn announce(_connection: &mut Connection) -> QueryResult<()> {
    Ok(())
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
