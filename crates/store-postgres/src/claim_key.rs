//! Claiming an idempotency key together with a contact query.

use contacts::ContactReference;
use diesel_async::RunQueryDsl;
use futures_util::try_join;
use kernel::StoreResult;
use store_schema::rows::{ClaimRow, ContactRow};
use store_schema::types::RowId;

use super::dialect::KeyLocked;
use super::queries::claim_statement::ClaimKey;
use super::queries::contact_lookup::matching;
use super::queries::transaction::Transaction;

/// Claims the key and finds the wanted contacts in one round trip. None of them is erased before the
/// transaction ends.
pub(super) async fn claim_key(
    tx: &mut Transaction,
    claim: ClaimKey<true>,
    account: RowId,
    wanted: Option<ContactReference>,
) -> StoreResult<(ClaimRow, Vec<ContactRow>)> {
    let wanted = wanted.as_ref().and_then(|wanted| matching(account, wanted));
    let connection = &*tx.conn().await?;
    let claim = async {
        let mut connection = connection;
        claim.get_result(&mut connection).await
    };
    let find = async {
        let mut connection = connection;
        match wanted {
            Some(wanted) => KeyLocked(wanted).load(&mut connection).await,
            None => Ok(Vec::new()),
        }
    };
    let found = try_join!(claim, find);
    tx.settle(found)
}
