//! Claiming an idempotency key, and what is looked for along with it.

use contacts::ContactReference;
use diesel::{RunQueryDsl, SqliteConnection};
use kernel::StoreError;

use super::queries::contacts::matching;
use super::queries::stored_responses::ClaimKey;
use super::queries::transaction::Transaction;
use crate::rows::{ClaimRow, ContactRow};
use crate::types::RowId;

impl RunQueryDsl<SqliteConnection> for ClaimKey<true> {}

/// Claims the key, and finds the contacts that are wanted, on the way that begins the transaction.
///
/// It may be committed along with others. Whoever claims a key commits what it did, or is refused; and the answer of another one under the
/// same key is seen when that one's hold has ended, and so is committed.
pub(super) async fn claim_key(
    tx: &mut Transaction,
    claim: ClaimKey<true>,
    account: RowId,
    wanted: Option<ContactReference>,
) -> Result<(ClaimRow, Vec<ContactRow>), StoreError> {
    let work = move |connection: &mut SqliteConnection| {
        let claimed = claim.get_result(connection)?;
        let wanted = wanted.as_ref().and_then(|wanted| matching(account, wanted));
        let contacts = match wanted {
            Some(wanted) => wanted.load(connection)?,
            None => Vec::new(),
        };
        Ok((claimed, contacts))
    };
    if tx.has_begun() {
        let found = tx.conn().await?.spawn_blocking(work).await;
        return tx.settle(found);
    }
    let (lease, found) = tx.pool.begin_with(work).await?;
    tx.lease = Some(lease);
    tx.settle(found)
}
