//! Claiming an idempotency key, and what is looked for along with it.

use contacts::ContactReference;
use diesel::QueryResult;
use diesel_async::RunQueryDsl;
use futures_util::try_join;

use super::dialect::Connection;
use super::queries::answers::ClaimKey;
use super::queries::contacts::matching;
use crate::rows::{ClaimRow, ContactRow};
use crate::types::RowId;

/// Claims the key, and finds the contacts that are wanted, in one round trip. BEGIN is on its way already, whatever `_begin` says to the
/// other database.
pub(super) async fn claim_key(
    connection: &mut Connection,
    _begin: bool,
    claim: ClaimKey<true>,
    account: RowId,
    wanted: Option<ContactReference>,
) -> QueryResult<(ClaimRow, Vec<ContactRow>)> {
    let wanted = wanted.as_ref().and_then(|wanted| matching(account, wanted));
    let Some(wanted) = wanted else {
        return Ok((claim.get_result(connection).await?, Vec::new()));
    };
    let connection = &*connection;
    let claim = async {
        let mut connection = connection;
        claim.get_result(&mut connection).await
    };
    let find = async {
        let mut connection = connection;
        wanted.load(&mut connection).await
    };
    try_join!(claim, find)
}
