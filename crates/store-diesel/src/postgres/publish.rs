//! An event and its deliveries in one statement, which costs one round trip.

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::listen::CHANNEL;
use super::queries::publication::Publication;

/// Inserts an event and its deliveries, and notifies other processes if `everywhere`.
/// Returns whether there is a delivery.
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

/// Notifies other processes of deliveries when the transaction commits.
pub(super) async fn announce(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    let notified = diesel::sql_query(format!("NOTIFY {CHANNEL}"));
    notified.execute(connection).await.map(|_count| ())
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
            // pg_notify returns void, which is not NULL.
            out.push_sql(&format!(" WHERE count = 0 OR pg_notify('{CHANNEL}', '') IS NOT NULL"));
        }
        Ok(())
    }
}

impl<const EVERYWHERE: bool> Query for Publish<'_, EVERYWHERE> {
    type SqlType = BigInt;
}

/// The text does not depend on the values.
impl<const EVERYWHERE: bool> QueryId for Publish<'_, EVERYWHERE> {
    type QueryId = Publish<'static, EVERYWHERE>;
    const HAS_STATIC_QUERY_ID: bool = true;
}
