//! Mails about abandoned deliveries, queued in the transaction that abandons them.

use diesel::QueryableByName;
use diesel::sql_types::{Nullable, SmallInt, Text};
use kernel::{EmailAddress, StoreResult};
use mail::{NoticeRecipient, OwnerNotice};
use store_schema::json_rows::{ValueType, json_rows};
use store_schema::rows::row_ref::RowRef;
use store_schema::rows::silenced_from_row;
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use webhooks::{AbandonedDelivery, EventName};

use super::jobs;
use super::partitions::AccountPartition;
use super::run_statements::RunStatements as _;
use super::transaction::Transaction;
use crate::dialect::{self, JSON_ROWS, json_value};

/// A delivery that may have been abandoned: account, event, delivery, and the time of abandonment.
pub(super) type MaybeAbandoned = (RowId, RowId, RowId, RowInstant);

/// An abandoned delivery with its endpoint and the owner of its account.
#[derive(QueryableByName)]
struct AbandonedRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
    #[diesel(sql_type = Uid)]
    id: RowId,
    #[diesel(sql_type = Uid)]
    endpoint_id: RowId,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Instant)]
    at: RowInstant,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Nullable<Instant>)]
    mailed_at: Option<RowInstant>,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = SmallInt)]
    silenced_notices: i16,
}

/// Queues one mail for each endpoint that has an abandoned delivery among those given.
pub(super) async fn mail_owners(
    tx: &mut Transaction,
    partition: AccountPartition,
    of: Vec<MaybeAbandoned>,
) -> StoreResult<()> {
    if of.is_empty() {
        return Ok(());
    }
    let mut rows = find(tx, partition, json_rows(of)?).await?;
    // Skip events of a later version, which may run beside this one: only that version can name them.
    rows.retain(|row| EventName::parse(&row.kind).is_some());
    rows.dedup_by_key(|row| (row.account_id, row.endpoint_id));
    for row in rows {
        let owner = NoticeRecipient {
            account: row.account_id.id(),
            email: EmailAddress::from_stored(row.email.clone()),
            silenced: silenced_from_row(row.silenced_notices),
        };
        let abandoned = row.abandoned()?;
        let is_wanted = owner.wants(OwnerNotice::AbandonedDeliveries);
        if is_wanted && abandoned.is_mailed(row.mailed_at.map(|at| at.0)) && mark(tx, &row).await? {
            jobs::queue(tx, row.account_id, abandoned.mail(&owner).into_job()).await?;
        }
    }
    Ok(())
}

/// The given deliveries that were abandoned at the given time, ordered by endpoint.
async fn find(
    tx: &mut Transaction,
    partition: AccountPartition,
    of: String,
) -> StoreResult<Vec<AbandonedRow>> {
    let [account, event, id] = [0, 1, 2].map(|place| json_value(place, ValueType::Uid));
    let (at, in_partition) = (json_value(3, ValueType::Instant), partition.condition("d.account_id"));
    let statement = format!(
        "SELECT d.account_id, d.id, d.endpoint_id, v.kind, d.finished_at AS at, e.url, \
         e.abandoned_mailed_at AS mailed_at, l.email, a.silenced_notices FROM {JSON_ROWS} \
         JOIN webhook_deliveries AS d ON d.account_id = {account} AND d.event_id = {event} AND d.id = {id} \
         JOIN events AS v ON v.account_id = d.account_id AND v.id = d.event_id \
         JOIN webhook_endpoints AS e ON e.account_id = d.account_id AND e.id = d.endpoint_id \
         JOIN accounts AS a ON a.id = d.account_id \
         JOIN logins AS l ON l.account_id = a.id AND l.id = a.id \
         WHERE d.state = 'abandoned' AND d.finished_at = {at} AND e.enabled{in_partition} \
         ORDER BY d.account_id, d.endpoint_id, d.id"
    );
    tx.fetch_all(diesel::sql_query(statement).bind::<Text, _>(of)).await
}

/// Records that the owner is mailed about the endpoint. Returns `false`, without waiting, when another
/// transaction records the same or has locked the endpoint.
async fn mark(tx: &mut Transaction, row: &AbandonedRow) -> StoreResult<bool> {
    let statement = format!(
        "UPDATE webhook_endpoints SET abandoned_mailed_at = $1 WHERE (account_id, id) IN \
         (SELECT account_id, id FROM webhook_endpoints WHERE account_id = $2 AND id = $3 \
         AND abandoned_mailed_at IS NOT DISTINCT FROM $4{})",
        dialect::SKIP_LOCKED,
    );
    let query = diesel::sql_query(statement)
        .bind::<Instant, _>(row.at)
        .bind::<Uid, _>(row.account_id)
        .bind::<Uid, _>(row.endpoint_id)
        .bind::<Nullable<Instant>, _>(row.mailed_at);
    let marked = tx.execute(query).await?;
    Ok(marked == 1)
}

impl AbandonedRow {
    fn abandoned(&self) -> StoreResult<AbandonedDelivery> {
        let row_ref = RowRef { table: "webhook_deliveries", id: self.id };
        let event = EventName::parse(&self.kind);
        Ok(AbandonedDelivery {
            id: self.id.id(),
            event: event.ok_or_else(|| row_ref.wrong("event_id", "is of no kind that there is"))?,
            endpoint: self.endpoint_id.id(),
            url: self.url.clone(),
            at: self.at.0,
        })
    }
}
