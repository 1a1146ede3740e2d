//! Accounts of a cluster on which work failed a short time ago.
//!
//! If the server of an account is full or read-only, the account's due rows are found and cannot be leased,
//! so they soon are the oldest. A search reads a limited number of rows, the oldest first: it leaves such
//! accounts out for a while, and finds those of the others.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kernel::{AccountId, StoreError, StoreResult, error_chain};
use store_schema::types::RowId;

use super::partitions::{self, AccountPartition, WorkSearch};
use crate::dialect;
use crate::pool::Pool;

/// How long an account is left out after a failure.
const LEFT_OUT_FOR: Duration = Duration::from_secs(30);
/// How many accounts are left out at most, because the search names each.
const MAX_LEFT_OUT: usize = 1_000;

/// How many rows a search reads at least while accounts are left out: another one may be faulty too, and
/// have more rows than are to be leased.
const SEARCHED_DESPITE_FAULTS: u32 = 512;

/// The accounts that are left out. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct FaultyAccounts(Arc<Mutex<HashMap<RowId, Instant>>>);

impl FaultyAccounts {
    fn left_out(&self) -> Vec<RowId> {
        self.recent().keys().copied().collect()
    }

    fn add(&self, account: RowId) {
        let mut recent = self.recent();
        if recent.len() < MAX_LEFT_OUT || recent.contains_key(&account) {
            recent.insert(account, Instant::now());
        }
    }

    fn recent(&self) -> MutexGuard<'_, HashMap<RowId, Instant>> {
        let mut accounts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        accounts.retain(|_, failed_at| failed_at.elapsed() < LEFT_OUT_FOR);
        accounts
    }

    /// Notes how a recording ended.
    pub(crate) fn recorded<T>(&self, partition: AccountPartition, recorded: &StoreResult<T>) {
        match (partition, recorded) {
            (AccountPartition::Account(account), Ok(_)) => {
                self.recent().remove(&account);
            }
            (_, Err(StoreError::Unavailable(_))) => self.not_recorded(partition),
            _ => {}
        }
    }

    /// Notes that results are left to record. Until they are, nothing of the account may be leased: what was
    /// done would be done again once its lease has ended.
    pub(crate) fn not_recorded(&self, partition: AccountPartition) {
        if let AccountPartition::Account(account) = partition {
            self.add(account);
        }
    }
}

/// The partitions that have work to lease: as [`partitions::with_work`], without accounts on which work
/// failed a short time ago.
pub(crate) async fn with_work_to_lease(
    pool: &Pool,
    faulty: &FaultyAccounts,
    work: &WorkSearch<'_>,
) -> StoreResult<Vec<AccountPartition>> {
    let left_out: Vec<_> = faulty.left_out().into_iter().map(dialect::uid_literal).collect();
    if left_out.is_empty() {
        return partitions::with_work(pool, work).await;
    }
    let condition = format!("{} AND account_id NOT IN ({})", work.condition, left_out.join(", "));
    let limit = work.limit.max(SEARCHED_DESPITE_FAULTS);
    partitions::with_work(pool, &WorkSearch { condition: &condition, limit, ..*work }).await
}

/// Whether no connection was lent: a failure of every account, which is not waited for again for each.
pub(crate) fn concerns_all(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(source) if !source.is::<diesel::result::Error>())
}

/// The failures of leasing in single partitions. What was leased in others is committed, and its attempts
/// count, so it must be returned.
pub(crate) struct FailedLeases<'a> {
    faulty: &'a FaultyAccounts,
    last: Option<StoreError>,
}

impl<'a> FailedLeases<'a> {
    pub(crate) const fn new(faulty: &'a FaultyAccounts) -> Self {
        Self { faulty, last: None }
    }

    /// What was leased in a partition; nothing if that failed.
    pub(crate) fn set_aside<T: Default>(&mut self, partition: AccountPartition, leased: StoreResult<T>) -> T {
        leased.unwrap_or_else(|error| {
            if let AccountPartition::Account(id) = partition {
                let (account, cause): (AccountId, _) = (id.id(), error_chain(&error));
                tracing::warn!(%account, error = cause, "could not lease what is due of an account; trying again later");
                if !concerns_all(&error) {
                    self.faulty.add(id);
                }
            }
            self.last = Some(error);
            T::default()
        })
    }

    /// Whether leasing in the other partitions would fail too.
    pub(crate) fn concern_all(&self) -> bool {
        self.last.as_ref().is_some_and(concerns_all)
    }

    /// The last failure, if there was one and nothing was leased.
    pub(crate) fn unless_leased<T>(self, leased: &[T]) -> StoreResult<()> {
        match self.last {
            Some(error) if leased.is_empty() => Err(error),
            _ => Ok(()),
        }
    }
}
