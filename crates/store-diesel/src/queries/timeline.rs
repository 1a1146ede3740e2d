//! The history of an invoice.

use ::invoices::{InvoiceId, TimelineEntry, TimelineReads, Timelines};
use async_trait::async_trait;
use diesel::sql_types::BigInt;
use kernel::{AccountId, StoreError, StoreResult};
use store_schema::rows::TimelineRow;
use store_schema::types::{RowId, Uid};

use super::database::Database;
use super::run_statements::RunStatements as _;

// A job that is done has no payload: when it was queued tells a void from an entry. An entry that is done and
// left no id of the ledger was not made, because the invoice was cancelled before. A void is queued in the
// transaction that cancels the invoice: the order of the words puts it after the cancellation.
const TIMELINE: &str = "SELECT happened_at, queued_at, what, detail FROM (\
    SELECT coalesce(finished_at, queued_at) AS happened_at, queued_at, \
    CASE WHEN kind = 'ledger' AND queued_at >= cancelled_at THEN 'void' ELSE kind END AS what, \
    CASE WHEN kind = 'mail' AND state = 'given_up' THEN state || ' ' || coalesce(last_error, '') \
    ELSE state END AS detail \
    FROM jobs JOIN invoices ON invoices.account_id = jobs.account_id AND invoices.id = resource_id \
    WHERE jobs.account_id = $1 AND resource_id = $2 AND (kind = 'mail' AND to_customer \
    OR kind = 'ledger' AND (state <> 'done' OR ledger_invoice_id IS NOT NULL)) \
    UNION ALL SELECT created_at, created_at, 'raised', escalation_type FROM escalations \
    WHERE account_id = $1 AND invoice_id = $2 \
    UNION ALL SELECT resolved_at, resolved_at, 'resolved', resolution_outcome FROM escalations \
    WHERE account_id = $1 AND invoice_id = $2 AND resolved_at IS NOT NULL \
    UNION ALL SELECT decided_at, decided_at, 'reminded', channel || ' ' || days FROM reminder_steps \
    WHERE account_id = $1 AND invoice_id = $2 AND decision = 'sent' AND is_latest \
    UNION ALL SELECT replaced_at, replaced_at, 'link_replaced', '' FROM replaced_pay_tokens \
    WHERE account_id = $1 AND invoice_id = $2 \
    UNION ALL SELECT cancelled_at, cancelled_at, 'cancelled', '' FROM invoices \
    WHERE account_id = $1 AND id = $2 AND cancelled_at IS NOT NULL\
    ) AS happenings ORDER BY happened_at DESC, what DESC LIMIT $3";

#[async_trait]
impl TimelineReads for Database {
    async fn timeline(&self, account: AccountId, id: InvoiceId) -> StoreResult<Vec<TimelineEntry>> {
        let limit =
            i64::try_from(Timelines::MAX_ENTRIES).map_err(|source| StoreError::Failed(source.into()))?;
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = diesel::sql_query(TIMELINE)
            .bind::<Uid, _>(RowId::from(account))
            .bind::<Uid, _>(RowId::from(id))
            .bind::<BigInt, _>(limit);
        let rows: Vec<TimelineRow> = connection.fetch_all(query).await?;
        Ok(rows.into_iter().filter_map(TimelineRow::into_entry).collect())
    }
}
