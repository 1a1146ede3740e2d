//! An event and its deliveries as SQL. One PostgreSQL server gets them in one statement; SQLite and a cluster
//! get two statements, one after the other.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::sql_types::{SmallInt, Text};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use webhooks::{DeliveryId, Endpoint, Event};

use crate::dialect::Db;

/// The values to write when an event is published.
pub(crate) struct Publication {
    pub(crate) account: RowId,
    pub(crate) event: RowId,
    kind: &'static str,
    resource: RowId,
    body: String,
    pub(crate) at: RowInstant,
    /// The bit of the event's name in an endpoint's set of events.
    pub(crate) bit: i16,
    pub(crate) deliveries: [RowId; Endpoint::MAX_ENABLED],
}

impl Publication {
    pub(super) fn new(event: &Event, ids: &[DeliveryId; Endpoint::MAX_ENABLED]) -> Self {
        Self {
            account: event.account.into(),
            event: event.id.into(),
            kind: event.name.as_str(),
            resource: RowId(event.resource),
            body: event.body.clone(),
            at: RowInstant(event.happened_at),
            bit: event.name.bit().into(),
            deliveries: ids.map(RowId::from),
        }
    }

    /// Appends the INSERT of the event.
    pub(crate) fn push_event<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("INSERT INTO events (account_id, id, kind, resource_id, body, happened_at) VALUES (");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.event)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(self.kind)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.resource)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(&self.body)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&self.at)?;
        out.push_sql(")");
        Ok(())
    }

    /// Appends the INSERT of a delivery for each enabled and subscribed endpoint: the first endpoint takes
    /// the first id, the second one the second id.
    pub(crate) fn push_deliveries<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(
            "INSERT INTO webhook_deliveries \
             (account_id, event_id, endpoint_id, state, attempts, due_at, created_at, id) SELECT ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(", ");
        out.push_bind_param::<Uid, _>(&self.event)?;
        out.push_sql(", subscribed.id, 'pending', 0, ");
        out.push_bind_param::<Instant, _>(&self.at)?;
        out.push_sql(", ");
        out.push_bind_param::<Instant, _>(&self.at)?;
        out.push_sql(", CASE");
        for (place, id) in (1..).zip(&self.deliveries) {
            out.push_sql(&format!(" WHEN subscribed.place = {place} THEN "));
            out.push_bind_param::<Uid, _>(id)?;
        }
        out.push_sql(
            " END FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM webhook_endpoints WHERE account_id = ",
        );
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(" AND enabled AND (events & ");
        out.push_bind_param::<SmallInt, _>(&self.bit)?;
        out.push_sql(&format!(") <> 0) AS subscribed WHERE subscribed.place <= {}", Endpoint::MAX_ENABLED));
        Ok(())
    }
}

/// The INSERT of the event alone.
pub(crate) struct InsertEvent<'a>(pub(crate) &'a Publication);

impl QueryId for InsertEvent<'_> {
    type QueryId = InsertEvent<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl QueryFragment<Db> for InsertEvent<'_> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        self.0.push_event(out)
    }
}
