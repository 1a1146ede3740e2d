//! Checks the placement of each table.

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::tables::{FIRST, Placement, TABLES};

/// An existing table, with its distribution, if any.
#[derive(Debug, QueryableByName)]
pub(crate) struct PlacedTable {
    #[diesel(sql_type = Text)]
    pub(crate) name: String,
    /// `by account`, `everywhere`, or another word.
    #[diesel(sql_type = Nullable<Text>)]
    placement: Option<String>,
    #[diesel(sql_type = BigInt)]
    colocation: i64,
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

const PLACED: &str = "SELECT c.relname::text AS name, CASE \
    WHEN p.partmethod = 'h' AND column_to_column_name(p.logicalrelid, p.partkey) = 'account_id' THEN 'by account' \
    WHEN p.partmethod = 'n' AND p.repmodel = 't' THEN 'everywhere' \
    WHEN p.partmethod IS NOT NULL THEN 'in another way' END AS placement, \
    coalesce(p.colocationid, 0)::bigint AS colocation \
    FROM pg_class AS c LEFT JOIN pg_dist_partition AS p ON p.logicalrelid = c.oid \
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname";

impl PlacedTable {
    /// Whether the table is distributed, in any way.
    pub(crate) const fn is_placed(&self) -> bool {
        self.placement.is_some()
    }

    /// Whether the table has this placement.
    pub(crate) fn is(&self, placement: Placement) -> bool {
        self.placement.as_deref() == Some(placement.name())
    }
}

/// Whether the database has the extension `citus`.
pub(crate) async fn has_citus(connection: &mut AsyncPgConnection) -> diesel::QueryResult<bool> {
    let query = diesel::sql_query("SELECT count(*) FROM pg_extension WHERE extname = 'citus'");
    Ok(query.get_result::<CountRow>(connection).await?.count > 0)
}

/// The existing tables.
pub(crate) async fn placed(connection: &mut AsyncPgConnection) -> diesel::QueryResult<Vec<PlacedTable>> {
    diesel::sql_query(PLACED).load(connection).await
}

/// The misplaced tables of the database, one sentence each. If `should_be_distributed` is false, no table may
/// be distributed.
///
/// # Errors
/// When a query fails.
pub async fn faults(
    connection: &mut AsyncPgConnection,
    should_be_distributed: bool,
) -> diesel::QueryResult<Vec<String>> {
    if !has_citus(connection).await? {
        let missing = "the database does not have the extension citus, which COUNTINGHOUSE_CITUS=true wants";
        return Ok(if should_be_distributed { vec![missing.to_owned()] } else { Vec::new() });
    }
    let placed = placed(connection).await?;
    if !should_be_distributed {
        let distributed = placed.iter().any(PlacedTable::is_placed);
        let set =
            "the tables are distributed, which this process does not expect: set COUNTINGHOUSE_CITUS=true";
        return Ok(if distributed { vec![set.to_owned()] } else { Vec::new() });
    }
    let mut faults = misplaced(&placed);
    let query = diesel::sql_query("SELECT count(*) FROM pg_dist_node WHERE NOT isactive");
    match query.get_result::<CountRow>(connection).await?.count {
        0 => {}
        1 => faults.push("1 server of the cluster is not active".to_owned()),
        several => faults.push(format!("{several} servers of the cluster are not active")),
    }
    Ok(faults)
}

fn misplaced(placed: &[PlacedTable]) -> Vec<String> {
    let of = |name: &str| placed.iter().find(|table| table.name == name);
    let beside = of(FIRST).map(|first| first.colocation);
    let misplaced = TABLES.iter().filter_map(|(name, placement)| {
        let table = of(name)?;
        if !table.is(*placement) {
            return Some(format!("the table {name} is not distributed {}", placement.name()));
        }
        let is_apart = *placement == Placement::ByAccount && Some(table.colocation) != beside;
        is_apart.then(|| format!("the table {name} is not beside {FIRST}"))
    });
    let faults: Vec<String> = misplaced.collect();
    match faults.len() {
        0..=3 => faults,
        several => vec![format!("{several} tables are not distributed: run `countinghouse migrate --citus`")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_are_not_distributed_are_named_or_counted() {
        let table = |name: &str, placement: Option<&str>, colocation| PlacedTable {
            name: name.to_owned(),
            placement: placement.map(str::to_owned),
            colocation,
        };
        let mut all: Vec<PlacedTable> = TABLES
            .iter()
            .map(|(name, placement)| {
                table(name, Some(placement.name()), i64::from(*placement == Placement::ByAccount))
            })
            .collect();
        assert!(misplaced(&all).is_empty());
        let moved = all.iter_mut().find(|table| table.name == "audit_entries").unwrap();
        *moved = table("audit_entries", Some("by account"), 7);
        assert_eq!(misplaced(&all), ["the table audit_entries is not beside invoices"]);
        all[2] = table("accounts", None, 0);
        assert_eq!(misplaced(&all)[0], "the table accounts is not distributed everywhere");
        let none: Vec<PlacedTable> = TABLES.iter().map(|(name, _)| table(name, None, 0)).collect();
        let all = TABLES.len();
        let said = format!("{all} tables are not distributed: run `countinghouse migrate --citus`");
        assert_eq!(misplaced(&none), [said]);
    }
}
