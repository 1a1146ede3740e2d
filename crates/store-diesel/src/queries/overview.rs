//! The outstanding and the received amounts of an account.

use ::invoices::{LatestPayment, OverviewReads, Owed};
use async_trait::async_trait;
use diesel::sql_types::BigInt;
use kernel::{AccountId, StoreResult};
use store_schema::rows::{AmountRow, LatestPaymentRow, SPLIT_UNIT, owed};
use store_schema::types::{Day, Instant, RowDay, RowId, RowInstant, Uid};
use time::{Date, OffsetDateTime};

use super::database::Database;
use super::run_statements::RunStatements as _;

/// The condition of the index `invoices_open`, word for word: SQLite uses a partial index only for its exact
/// condition.
pub(super) const IS_OPEN: &str = "status IN ('SCHEDULED', 'UNPAID', 'OVERDUE', 'PARTIALLY_PAID')";

const LATEST_PAYMENTS: &str = "SELECT p.id AS payment_id, p.amount, p.received_at, p.method, \
    i.id AS invoice_id, i.number, i.currency, i.contact_id, i.contact FROM payments AS p \
    JOIN invoices AS i ON i.account_id = p.account_id AND i.id = p.invoice_id \
    WHERE p.account_id = $1 ORDER BY p.received_at DESC, p.id DESC LIMIT $2";

#[async_trait]
impl OverviewReads for Database {
    async fn owed(
        &self,
        account: AccountId,
        first_due_dates: [Date; 4],
        paid_since: OffsetDateTime,
    ) -> StoreResult<Vec<Owed>> {
        let [not_due, to_30, to_60, to_90] = first_due_dates.map(RowDay);
        let mut connection = self.pool.of(account.into()).read_shared().await?;
        let query = diesel::sql_query(amounts())
            .bind::<Day, _>(not_due)
            .bind::<Day, _>(to_30)
            .bind::<Day, _>(to_60)
            .bind::<Day, _>(to_90)
            .bind::<Uid, _>(RowId::from(account))
            .bind::<Instant, _>(RowInstant(paid_since));
        let rows: Vec<AmountRow> = connection.fetch_all(query).await?;
        owed(rows)
    }

    async fn latest_payments(&self, account: AccountId, limit: u32) -> StoreResult<Vec<LatestPayment>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = diesel::sql_query(LATEST_PAYMENTS)
            .bind::<Uid, _>(RowId::from(account))
            .bind::<BigInt, _>(i64::from(limit));
        let rows: Vec<LatestPaymentRow> = connection.fetch_all(query).await?;
        rows.into_iter().map(LatestPayment::try_from).collect()
    }
}

fn amounts() -> String {
    format!(
        "SELECT currency, age, count(*) AS how_many, CAST(sum(amount / {SPLIT_UNIT}) AS bigint) AS units, \
         CAST(sum(amount % {SPLIT_UNIT}) AS bigint) AS rest FROM (\
         SELECT currency, CASE WHEN due_date >= $1 THEN 0 WHEN due_date >= $2 THEN 1 WHEN due_date >= $3 THEN 2 \
         WHEN due_date >= $4 THEN 3 ELSE 4 END AS age, total - amount_paid AS amount \
         FROM invoices WHERE account_id = $5 AND {IS_OPEN} \
         UNION ALL SELECT i.currency, 5, p.amount FROM payments AS p \
         JOIN invoices AS i ON i.account_id = p.account_id AND i.id = p.invoice_id \
         WHERE p.account_id = $5 AND p.received_at >= $6) AS amounts GROUP BY currency, age"
    )
}
