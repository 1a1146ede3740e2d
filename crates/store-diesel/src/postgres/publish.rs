//! An event and its deliveries in one statement, so that a payment waits once for both.

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::listen::CHANNEL;
use super::queries::Publication;

/// Writes an event and its deliveries, and tells other processes of them if it should. Whether there is any delivery.
pub(super) async fn publish(
    connection: &mut AsyncPgConnection,
    publication: &Publication,
    everywhere: bool,
) -> QueryResult<bool> {
    let made: i64 = if everywhere {
        Publish::<true>(publication).get_result(connection).await?
    } else {
        Publish::<false>(publication).get_result(connection).await?
    };
    Ok(made > 0)
}

/// Tells other processes, once the transaction is committed, that there is something to deliver.
pub(super) async fn announce(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    let told = diesel::sql_query(format!("NOTIFY {CHANNEL}"));
    told.execute(connection).await.map(|_count| ())
}

struct Publish<'a, const EVERYWHERE: bool>(&'a Publication);

impl<const EVERYWHERE: bool> QueryFragment<Pg> for Publish<'_, EVERYWHERE> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH event AS (");
        self.0.push_event(out.reborrow())?;
        out.push_sql("), made AS (");
        self.0.push_deliveries(out.reborrow())?;
        out.push_sql(" RETURNING id) SELECT count FROM (SELECT count(*) FROM made) AS counted");
        if EVERYWHERE {
            // pg_notify answers nothing, which is not NULL.
            out.push_sql(&format!(
                " WHERE count = 0 OR pg_notify('{CHANNEL}', '') IS NOT NULL"
            ));
        }
        Ok(())
    }
}

impl<const EVERYWHERE: bool> Query for Publish<'_, EVERYWHERE> {
    type SqlType = BigInt;
}

/// There is one such statement of each kind, whatever values it carries.
impl<const EVERYWHERE: bool> QueryId for Publish<'_, EVERYWHERE> {
    type QueryId = Publish<'static, EVERYWHERE>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
