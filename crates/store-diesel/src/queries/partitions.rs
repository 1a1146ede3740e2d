//! Work on the rows of all accounts: in one statement on one server, account by account on a cluster.
//!
//! On a cluster, only a statement that goes to one server can lock rows or skip locked ones. So work for all
//! accounts first reads, without locks, which accounts have something to do, and is then done for each of
//! them.

use std::borrow::Cow;

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use kernel::StoreError;
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use super::run_statements::RunStatements as _;
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
pub(crate) struct Work<'a> {
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
struct AccountRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
}

impl AccountPartition {
    /// An ` AND …` condition that limits a statement to the partition. The id is written into the text,
    /// because a cluster must know the server before it plans the statement.
    pub(crate) fn condition(self, column: &str) -> String {
        match self {
            Self::All => String::new(),
            Self::Account(id) => format!(" AND {column} = '{}'", id.0.hyphenated()),
        }
    }
}

/// The partitions that have work, in the order of the work.
pub(crate) async fn with_work(pool: &Pool, work: &Work<'_>) -> Result<Vec<AccountPartition>, StoreError> {
    if !pool.layout().is_distributed() {
        return Ok(vec![AccountPartition::All]);
    }
    let Work { table, condition, order, .. } = work;
    let query = format!("SELECT account_id FROM {table} WHERE {condition} ORDER BY {order} LIMIT $2");
    let mut connection = pool.read().await?;
    let statement =
        diesel::sql_query(query).bind::<Instant, _>(work.now).bind::<BigInt, _>(i64::from(work.limit));
    let rows: Vec<AccountRow> = connection.fetch_all(statement).await?;
    let mut partitions: Vec<AccountPartition> = Vec::new();
    for row in rows {
        let partition = AccountPartition::Account(row.account_id);
        if !partitions.contains(&partition) {
            partitions.push(partition);
        }
    }
    Ok(partitions)
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
