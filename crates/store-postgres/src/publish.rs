//! An event and its deliveries: in one statement on one server, in several on a cluster.

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::SmallInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use store_schema::types::{Instant, RowId, Uid};
use webhooks::Endpoint;

use super::queries::publication::{InsertEvent, Publication};

/// The channel of NOTIFY for new deliveries.
pub(super) const CHANNEL: &str = "countinghouse_deliveries";

/// Writes an event and its deliveries to a cluster. Returns whether there is a delivery.
///
/// The event and the deliveries go to the one server that has the account; the endpoints are on every server.
pub(super) async fn publish_apart(
    connection: &mut AsyncPgConnection,
    publication: &Publication,
    everywhere: bool,
) -> QueryResult<bool> {
    InsertEvent(publication).execute(connection).await?;
    let endpoints: Vec<RowId> = Subscribed(publication).load(connection).await?;
    if endpoints.is_empty() {
        return Ok(false);
    }
    InsertDeliveries { publication, endpoints: &endpoints }.execute(connection).await?;
    if everywhere {
        announce(connection).await?;
    }
    Ok(true)
}

struct Subscribed<'a>(&'a Publication);

impl QueryId for Subscribed<'_> {
    type QueryId = Subscribed<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Subscribed<'_> {
    type SqlType = Uid;
}

impl QueryFragment<Pg> for Subscribed<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT id FROM webhook_endpoints WHERE account_id = ");
        out.push_bind_param::<Uid, _>(&self.0.account)?;
        out.push_sql(" AND enabled AND (events & ");
        out.push_bind_param::<SmallInt, _>(&self.0.bit)?;
        out.push_sql(&format!(") <> 0 ORDER BY id LIMIT {}", Endpoint::MAX_ENABLED));
        Ok(())
    }
}

/// Prepared once for each number of endpoints.
struct InsertDeliveries<'a> {
    publication: &'a Publication,
    endpoints: &'a [RowId],
}

impl QueryId for InsertDeliveries<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Pg> for InsertDeliveries<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let Publication { account, event, at, deliveries, .. } = self.publication;
        out.push_sql(
            "INSERT INTO webhook_deliveries \
             (account_id, event_id, endpoint_id, state, attempts, due_at, created_at, id) VALUES ",
        );
        for (place, (endpoint, id)) in self.endpoints.iter().zip(deliveries).enumerate() {
            out.push_sql(if place == 0 { "(" } else { "), (" });
            out.push_bind_param::<Uid, _>(account)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(event)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(endpoint)?;
            out.push_sql(", 'pending', 0, ");
            out.push_bind_param::<Instant, _>(at)?;
            out.push_sql(", ");
            out.push_bind_param::<Instant, _>(at)?;
            out.push_sql(", ");
            out.push_bind_param::<Uid, _>(id)?;
        }
        out.push_sql(")");
        Ok(())
    }
}

/// Notifies other processes of deliveries when the transaction commits.
pub(super) async fn announce(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    let notified = diesel::sql_query(format!("NOTIFY {CHANNEL}"));
    notified.execute(connection).await.map(|_count| ())
}

/// Writes an event and its deliveries on one server, and notifies other processes if `EVERYWHERE`. Returns a
/// row if there is a delivery. The text does not depend on the values.
#[derive(QueryId)]
pub(super) struct Publish<const EVERYWHERE: bool>(pub(super) Publication);

impl<const EVERYWHERE: bool> QueryFragment<Pg> for Publish<EVERYWHERE> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH event AS (");
        self.0.push_event(out.reborrow())?;
        out.push_sql("), made AS (");
        self.0.push_deliveries(out.reborrow())?;
        out.push_sql(
            " RETURNING id) SELECT count FROM (SELECT count(*) FROM made) AS counted WHERE count > 0",
        );
        if EVERYWHERE {
            // pg_notify returns void, which is not NULL.
            out.push_sql(&format!(" AND pg_notify('{CHANNEL}', '') IS NOT NULL"));
        }
        Ok(())
    }
}
