//! The sequence of an account's invoice numbers, inside a transaction.

use std::collections::HashSet;

use ::invoices::{InvoiceNumber, Numbers};
use async_trait::async_trait;
use diesel::prelude::*;
use kernel::{AccountId, StoreError, StoreResult};
use store_schema::schema::invoices;
use store_schema::types::{RowId, RowInstant};
use time::OffsetDateTime;

use super::run_statements::RunStatements as _;
use super::unit_of_work::UnitOfWork;

/// How many numbers are checked together in the search for a free one: few at first, because the next number
/// usually is free.
const FIRST_BATCH: u64 = 16;
const MAX_BATCH: u64 = 1024;

#[async_trait]
impl Numbers for UnitOfWork<AccountId> {
    async fn first_free_in_sequence(&mut self, prefix: &str, from: u64) -> StoreResult<u64> {
        let (mut first, mut batch) = (from, FIRST_BATCH);
        let free = loop {
            let end = first.saturating_add(batch);
            let taken = self.taken_numbers(prefix, first..end).await?;
            let free = (first..end).find(|n| !taken.contains(InvoiceNumber::generated(prefix, *n).as_str()));
            match free {
                Some(free) => break free,
                None => (first, batch) = (end, batch.saturating_mul(4).min(MAX_BATCH)),
            }
        };
        self.advance_past(free).await?;
        Ok(free)
    }

    async fn count_created_since(&mut self, instant: OffsetDateTime) -> StoreResult<u64> {
        self.lock_sequence().await?;
        // An id contains the millisecond in which the invoice was created or, after a clock was set back, a
        // later one. So invoices with a smaller id are older, and the index on ids limits the rows that are
        // read.
        let query = invoices::table
            .filter(invoices::account_id.eq(self.account()))
            .filter(invoices::id.ge(RowId::first_at(instant)))
            .filter(invoices::created_at.ge(RowInstant(instant)))
            .count();
        let count: i64 = self.tx.fetch_one(query).await?;
        u64::try_from(count).map_err(|source| StoreError::Failed(source.into()))
    }
}

impl UnitOfWork<AccountId> {
    async fn taken_numbers(
        &mut self,
        prefix: &str,
        numbers: std::ops::Range<u64>,
    ) -> StoreResult<HashSet<String>> {
        let numbers: Vec<String> =
            numbers.map(|n| InvoiceNumber::generated(prefix, n).as_str().to_owned()).collect();
        let query = invoices::table
            .filter(invoices::account_id.eq(self.account()))
            .filter(invoices::number.eq_any(numbers))
            .select(invoices::number);
        let taken: Vec<String> = self.tx.fetch_all(query).await?;
        Ok(taken.into_iter().collect())
    }
}
