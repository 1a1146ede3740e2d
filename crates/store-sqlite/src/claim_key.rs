//! Claiming an idempotency key together with a contact query and the next number of the sequence.

use diesel::{RunQueryDsl, SqliteConnection};
use kernel::StoreResult;
use store_schema::rows::ClaimRow;

use super::queries::claim_statement::{ClaimKey, FoundRows, Wanted};
use super::queries::contact_lookup::matching;
use super::queries::sequence::Advance;
use super::queries::transaction::Transaction;

impl RunQueryDsl<SqliteConnection> for ClaimKey<true> {}
impl RunQueryDsl<SqliteConnection> for Advance<true> {}

/// Claims the key, finds the wanted contacts and takes the next number, in one call of the connection.
pub(super) async fn claim_key(tx: &mut Transaction, wanted: Wanted) -> StoreResult<FoundRows> {
    let Wanted { claim, account, contact, takes_number } = wanted;
    let work = move |connection: &mut SqliteConnection| {
        let claim: Option<ClaimRow> = claim.map(|claim| claim.get_result(connection)).transpose()?;
        let contact = contact.as_ref().and_then(|contact| matching(account, contact));
        let contacts = match contact {
            Some(contact) => contact.load(connection)?,
            None => Vec::new(),
        };
        let is_fresh = claim.as_ref().is_none_or(ClaimRow::is_fresh);
        let advance = (takes_number && is_fresh).then_some(Advance::<true>(account));
        let next = advance.map(|advance| advance.get_result(connection)).transpose()?;
        Ok(FoundRows { claim, contacts, next })
    };
    let found = tx.conn().await?.spawn_blocking(work).await;
    tx.settle(found)
}
