//! Work on the rows of all accounts: at once on one server, account by account on a cluster.
//!
//! A cluster locks rows, and leaves out those that others have locked, only in a statement that goes to one
//! of its servers. So what serves all accounts first asks which of them have something to do, which changes
//! and locks nothing, and is then done for each of these.

use std::borrow::Cow;

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use kernel::StoreError;
use store_schema::types::{Instant, RowId, RowInstant, Uid};

use super::run_statements::RunStatements as _;
use crate::pool::Pool;

/// The rows that one statement looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Those of every account.
    All,
    /// Those of this account.
    Account(RowId),
}

/// Which rows there may be work on, and in which order it is done.
pub(crate) struct Work<'a> {
    pub(crate) table: &'a str,
    /// What such a row meets. `$1` in it is `now`.
    pub(crate) condition: &'a str,
    /// The column by which the first come first.
    pub(crate) order: &'a str,
    pub(crate) now: RowInstant,
    /// How many rows are asked for.
    pub(crate) most: u32,
}

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Uid)]
    account_id: RowId,
}

impl Part {
    /// The condition that keeps a statement to the part, behind others. The id stands in the text: only so is
    /// it known where the statement goes before it is planned.
    pub(crate) fn condition(self, column: &str) -> String {
        match self {
            Self::All => String::new(),
            Self::Account(id) => format!(" AND {column} = '{}'", id.0.hyphenated()),
        }
    }
}

/// The parts that have work: those first whose work has waited longest.
pub(crate) async fn with_work(pool: &Pool, work: &Work<'_>) -> Result<Vec<Part>, StoreError> {
    if !pool.layout().is_distributed() {
        return Ok(vec![Part::All]);
    }
    let Work { table, condition, order, .. } = work;
    let query = format!("SELECT account_id FROM {table} WHERE {condition} ORDER BY {order} LIMIT $2");
    let mut connection = pool.read().await?;
    let statement =
        diesel::sql_query(query).bind::<Instant, _>(work.now).bind::<BigInt, _>(i64::from(work.most));
    let rows: Vec<AccountRow> = connection.fetch_all(statement).await?;
    let mut parts: Vec<Part> = Vec::new();
    for row in rows {
        let part = Part::Account(row.account_id);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    Ok(parts)
}

/// A batch in parts: all of it on one server, and what belongs to one account together on a cluster, in the
/// order of the batch.
pub(crate) fn of_batch<'a, T: Clone>(
    pool: &Pool,
    batch: &'a [T],
    account: impl Fn(&T) -> RowId,
) -> Vec<(Part, Cow<'a, [T]>)> {
    if !pool.layout().is_distributed() {
        return vec![(Part::All, Cow::Borrowed(batch))];
    }
    let mut parts: Vec<(Part, Cow<'a, [T]>)> = Vec::new();
    for one in batch {
        let part = Part::Account(account(one));
        match parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, members)) => members.to_mut().push(one.clone()),
            None => parts.push((part, Cow::Owned(vec![one.clone()]))),
        }
    }
    parts
}
