//! Claiming an idempotency key, and what is looked for along with it.

use contacts::ContactReference;
use diesel::connection::SimpleConnection;
use diesel::{QueryResult, RunQueryDsl, SqliteConnection};

use super::dialect::Connection;
use super::queries::answers::ClaimKey;
use super::queries::contacts::matching;
use crate::rows::{ClaimRow, ContactRow};
use crate::types::RowId;

impl RunQueryDsl<SqliteConnection> for ClaimKey<true> {}

/// Claims the key, and finds the contacts that are wanted, in one way to the blocking thread and back; on the way it begins the
/// transaction, if it has to. While this connection writes, nobody else does: what it need not wait for in between counts for all.
pub(super) async fn claim_key(
    connection: &mut Connection,
    begin: bool,
    claim: ClaimKey<true>,
    account: RowId,
    wanted: Option<ContactReference>,
) -> QueryResult<(ClaimRow, Vec<ContactRow>)> {
    let work = connection.spawn_blocking(move |connection| {
        if begin {
            connection.batch_execute("BEGIN IMMEDIATE")?;
        }
        let claimed = claim.get_result(connection)?;
        let wanted = wanted.as_ref().and_then(|wanted| matching(account, wanted));
        let contacts = match wanted {
            Some(wanted) => wanted.load(connection)?,
            None => Vec::new(),
        };
        Ok((claimed, contacts))
    });
    work.await
}
