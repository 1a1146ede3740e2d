//! Work on the rows of all accounts: in one statement on one server, account by account on a cluster.
//!
//! On a cluster, only a statement that goes to one server can lock rows or skip locked ones. So work for all
//! accounts first reads, without locks, which accounts have something to do, and is then done for each of
//! them.

use std::borrow::Cow;

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use kernel::StoreResult;
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use super::run_statements::RunStatements as _;
use crate::dialect;
use crate::pool::Pool;

/// The rows that one statement covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountPartition {
    /// The rows of every account.
    All,
    /// The rows of one account.
    Account(RowId),
}

/// Where to look for work, and in which order it is done.
pub(crate) struct WorkSearch<'a> {
    pub(crate) table: &'a str,
    /// The condition that rows with work meet. `$1` in it is `now`.
    pub(crate) condition: &'a str,
    /// The column to order by, ascending.
    pub(crate) order: &'a str,
    pub(crate) now: RowInstant,
    /// The greatest number of rows to read.
    pub(crate) limit: u32,
}

#[derive(QueryableByName)]
struct AccountWithWork {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
}

impl AccountPartition {
    /// The partition that an account's rows are in.
    pub(crate) fn of(pool: &Pool, account: RowId) -> Self {
        if pool.layout().is_distributed() { Self::Account(account) } else { Self::All }
    }

    /// An ` AND …` condition that limits a statement to the partition. The id is written into the text,
    /// because a cluster must know the server before it plans the statement.
    pub(crate) fn condition(self, column: &str) -> String {
        match self {
            Self::All => String::new(),
            Self::Account(id) => format!(" AND {column} = {}", dialect::uid_literal(id)),
        }
    }
}

/// The partitions that have work, in the order of the work. On one PostgreSQL server, the statement that does
/// the work finds out itself whether there is any.
pub(crate) async fn with_work(pool: &Pool, work: &WorkSearch<'_>) -> StoreResult<Vec<AccountPartition>> {
    if pool.layout().is_distributed() {
        let accounts = accounts_with_work(pool, work, work.limit).await?;
        return Ok(partitions_of(accounts));
    }
    if let Some(_lock) = pool.lock_work_search().await
        && accounts_with_work(pool, work, 1).await?.is_empty()
    {
        return Ok(Vec::new());
    }
    Ok(vec![AccountPartition::All])
}

async fn accounts_with_work(
    pool: &Pool,
    work: &WorkSearch<'_>,
    limit: u32,
) -> StoreResult<Vec<AccountWithWork>> {
    let WorkSearch { table, condition, order, .. } = work;
    let query = format!("SELECT account_id FROM {table} WHERE {condition} ORDER BY {order} LIMIT $2");
    let statement = diesel::sql_query(query).bind::<Instant, _>(work.now).bind::<BigInt, _>(i64::from(limit));
    let mut connection = pool.read_shared().await?;
    connection.fetch_all(statement).await
}

fn partitions_of(accounts: Vec<AccountWithWork>) -> Vec<AccountPartition> {
    let mut partitions: Vec<AccountPartition> = Vec::new();
    for row in accounts {
        let partition = AccountPartition::Account(row.account_id);
        if !partitions.contains(&partition) {
            partitions.push(partition);
        }
    }
    partitions
}

/// Splits a batch: one partition on one server, one for each account on a cluster, in the order of the batch.
pub(crate) fn of_batch<'a, T: Clone>(
    pool: &Pool,
    batch: &'a [T],
    account: impl Fn(&T) -> RowId,
) -> Vec<(AccountPartition, Cow<'a, [T]>)> {
    if !pool.layout().is_distributed() {
        return vec![(AccountPartition::All, Cow::Borrowed(batch))];
    }
    let mut partitions: Vec<(AccountPartition, Cow<'a, [T]>)> = Vec::new();
    for one in batch {
        let partition = AccountPartition::Account(account(one));
        match partitions.iter_mut().find(|(known, _)| *known == partition) {
            Some((_, members)) => members.to_mut().push(one.clone()),
            None => partitions.push((partition, Cow::Owned(vec![one.clone()]))),
        }
    }
    partitions
}
