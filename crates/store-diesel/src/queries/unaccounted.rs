//! Charges and online payments that do not belong together.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use kernel::{AccountId, StoreResult};
use store_schema::types::{Instant, RowId, RowInstant, Uid};
use time::OffsetDateTime;

use super::database::Database;
use super::run_statements::RunStatements as _;

const UNACCOUNTED: &str = "SELECT charges.gateway_id AS name FROM charges \
    LEFT JOIN payments ON payments.account_id = charges.account_id \
    AND payments.invoice_id = charges.invoice_id AND payments.id = charges.payment_id \
    WHERE charges.account_id = $1 AND charges.payment_id IS NOT NULL AND (payments.id IS NULL \
    OR payments.amount <> charges.applied OR payments.recorded_by <> 'payment_page') \
    UNION SELECT coalesce(payments.reference, '') FROM payments \
    LEFT JOIN charges ON charges.account_id = payments.account_id AND charges.payment_id = payments.id \
    WHERE payments.account_id = $1 AND payments.recorded_by = 'payment_page' AND charges.id IS NULL \
    UNION SELECT charges.gateway_id FROM charges \
    JOIN invoices ON invoices.account_id = charges.account_id AND invoices.id = charges.invoice_id \
    LEFT JOIN (SELECT invoice_id, count(*) AS count FROM payments WHERE account_id = $1 GROUP BY invoice_id) \
    AS paid ON paid.invoice_id = charges.invoice_id \
    LEFT JOIN (SELECT resource_id, count(*) AS count FROM events \
    WHERE account_id = $1 AND kind = 'invoice.payment_recorded' GROUP BY resource_id) \
    AS told ON told.resource_id = charges.invoice_id \
    WHERE charges.account_id = $1 AND charges.payment_id IS NOT NULL AND invoices.created_at >= $2 \
    AND coalesce(paid.count, 0) <> coalesce(told.count, 0)";

#[derive(QueryableByName)]
struct UnaccountedCharge {
    #[diesel(sql_type = Text)]
    name: String,
}

impl Database {
    /// See [`payments::OnlineReads::unaccounted`].
    pub(super) async fn unaccounted_charges(
        &self,
        account: AccountId,
        invoices_since: OffsetDateTime,
    ) -> StoreResult<Vec<String>> {
        let mut connection = self.pool.of(account.into()).read().await?;
        let query = diesel::sql_query(UNACCOUNTED)
            .bind::<Uid, _>(RowId::from(account))
            .bind::<Instant, _>(RowInstant(invoices_since));
        let rows: Vec<UnaccountedCharge> = connection.fetch_all(query).await?;
        Ok(rows.into_iter().map(|row| row.name).collect())
    }
}
