//! Claiming an idempotency key together with a contact query.

use contacts::ContactReference;
use diesel::{RunQueryDsl, SqliteConnection};
use kernel::StoreResult;
use store_schema::rows::{ClaimRow, ContactRow};
use store_schema::types::RowId;

use super::queries::claim_statement::ClaimKey;
use super::queries::contact_lookup::matching;
use super::queries::transaction::Transaction;

impl RunQueryDsl<SqliteConnection> for ClaimKey<true> {}

/// Claims the key and finds the wanted contacts in one call of the connection.
pub(super) async fn claim_key(
    tx: &mut Transaction,
    claim: ClaimKey<true>,
    account: RowId,
    wanted: Option<ContactReference>,
) -> StoreResult<(ClaimRow, Vec<ContactRow>)> {
    let work = move |connection: &mut SqliteConnection| {
        let claimed = claim.get_result(connection)?;
        let wanted = wanted.as_ref().and_then(|wanted| matching(account, wanted));
        let contacts = match wanted {
            Some(wanted) => wanted.load(connection)?,
            None => Vec::new(),
        };
        Ok((claimed, contacts))
    };
    let found = tx.conn().await?.spawn_blocking(work).await;
    tx.settle(found)
}
