//! Claiming an idempotency key together with a contact query and the next number of the sequence.

use diesel::QueryResult;
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use futures_util::try_join;
use kernel::StoreResult;
use store_schema::rows::ClaimRow;
use store_schema::types::{RowId, Uid};

use super::dialect::KeyLocked;
use super::queries::claim_statement::{ClaimKey, FoundRows, Wanted};
use super::queries::contact_lookup::matching;
use super::queries::sequence::Advance;
use super::queries::transaction::Transaction;

/// Finds the wanted contacts, claims the key and takes the next number, in one round trip. None of the
/// contacts is erased before the transaction ends.
pub(super) async fn claim_key(tx: &mut Transaction, wanted: Wanted) -> StoreResult<FoundRows> {
    let Wanted { claim, account, contact, takes_number } = wanted;
    let contact = contact.as_ref().and_then(|contact| matching(account, contact));
    let is_distributed = tx.layout().is_distributed();
    let connection = &*tx.conn().await?;
    // Sent first: the sequence is not locked while a contact is waited for.
    let find = async {
        let mut connection = connection;
        match contact {
            Some(contact) => KeyLocked(contact).load(&mut connection).await,
            None => Ok(Vec::new()),
        }
    };
    let claim = async {
        match claim {
            Some(claim) if takes_number && !is_distributed => {
                let mut connection = connection;
                let claiming = ClaimWithNumber { claim, account };
                let (claimed, next) = claiming.get_result(&mut connection).await?;
                Ok((Some(claimed), next))
            }
            claim => claim_apart(connection, claim, account, takes_number).await,
        }
    };
    let found = try_join!(find, claim);
    let (contacts, (claim, next)) = tx.settle(found)?;
    Ok(FoundRows { claim, contacts, next })
}

/// Claims with a statement of its own. A cluster runs no statement over several tables on one server alone.
async fn claim_apart(
    mut connection: &AsyncPgConnection,
    claim: Option<ClaimKey<true>>,
    account: RowId,
    takes_number: bool,
) -> QueryResult<(Option<ClaimRow>, Option<i64>)> {
    let claimed: Option<ClaimRow> = match claim {
        Some(claim) => Some(claim.get_result(&mut connection).await?),
        None => None,
    };
    let next = match takes_number && claimed.as_ref().is_none_or(ClaimRow::is_fresh) {
        true => Some(Advance::<true>(account).get_result(&mut connection).await?),
        false => None,
    };
    Ok((claimed, next))
}

/// [`ClaimKey`], and [`Advance`] if the claim is fresh.
#[derive(QueryId)]
struct ClaimWithNumber {
    claim: ClaimKey<true>,
    account: RowId,
}

impl Query for ClaimWithNumber {
    type SqlType = (<ClaimKey<true> as Query>::SqlType, Nullable<BigInt>);
}

impl QueryFragment<Pg> for ClaimWithNumber {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("WITH claimed AS MATERIALIZED (");
        self.claim.walk_ast(out.reborrow())?;
        out.push_sql("), taken AS (INSERT INTO invoice_sequences (account_id, next) SELECT ");
        out.push_bind_param::<Uid, _>(&self.account)?;
        out.push_sql(
            ", 2 FROM claimed WHERE locked AND status IS NULL \
             ON CONFLICT (account_id) DO UPDATE SET next = invoice_sequences.next + 1 RETURNING next) \
             SELECT claimed.*, taken.next FROM claimed LEFT JOIN taken ON TRUE",
        );
        Ok(())
    }
}
