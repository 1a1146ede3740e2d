//! The sequence of an account's invoice numbers.
//!
//! Transactions that create invoices of one account queue for the row of its sequence: a transaction that
//! updated the row keeps it locked until it ends, and a roll-back restores it. The first creation inserts it.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::BigInt;
use kernel::{AccountId, StoreError, StoreResult};
use store_schema::schema::invoice_sequences as sequences;
use store_schema::types::{RowId, Uid};

use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;
use crate::dialect::Db;

impl UnitOfWork<AccountId> {
    /// Locks the sequence without taking a number. This is a statement of its own, so that later ones see
    /// what was committed while it waited.
    pub(super) async fn lock_sequence(&mut self) -> StoreResult<()> {
        let locking = Advance::<false>(self.account());
        let locked: StoreResult<i64> = self.tx.fetch_one(locking).await;
        locked.map(|_next| ())
    }

    /// Sets the sequence to the number after `taken`.
    pub(super) async fn advance_past(&mut self, taken: u64) -> StoreResult<()> {
        let next =
            i64::try_from(taken.saturating_add(1)).map_err(|source| StoreError::Failed(source.into()))?;
        self.lock_sequence().await?;
        let statement = diesel::update(sequences::table)
            .filter(sequences::account_id.eq(self.account()))
            .set(sequences::next.eq(next));
        self.tx.execute(statement).await?;
        Ok(())
    }
}

/// The number that was taken when the sequence advanced to `next`.
pub(super) fn number_before(next: i64) -> StoreResult<u64> {
    u64::try_from(next.saturating_sub(1)).map_err(|source| StoreError::Failed(source.into()))
}

/// Advances the sequence by one number, or by none to only lock it, and returns the next number.
///
/// Written by hand: diesel prepares its own upserts for each execution, which costs a round trip.
#[derive(Debug, QueryId)]
pub(crate) struct Advance<const TAKES: bool>(pub(crate) RowId);

impl<const TAKES: bool> Query for Advance<TAKES> {
    type SqlType = BigInt;
}

impl<const TAKES: bool> QueryFragment<Db> for Advance<TAKES> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("INSERT INTO invoice_sequences (account_id, next) VALUES (");
        out.push_bind_param::<Uid, _>(&self.0)?;
        out.push_sql(if TAKES { ", 2" } else { ", 1" });
        out.push_sql(") ON CONFLICT (account_id) DO UPDATE SET next = invoice_sequences.next");
        out.push_sql(if TAKES { " + 1" } else { "" });
        out.push_sql(" RETURNING next");
        Ok(())
    }
}
