//! The floor of the embedded database: a bare loop over the same statements, with one thread for each reading
//! connection, and a single thread for writes, since SQLite allows one writer at a time.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, bail};
use diesel::QueryResult;
use diesel::connection::LoadConnection as _;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::row::{Field as _, Row as _};
use diesel::sql_types::{BigInt, Binary, Text, Untyped};
use diesel::sqlite::Sqlite;
use uuid::Uuid;

use super::environment::Environment;
use super::script::{CREATE_INVOICE_NEW_CONTACT, LOOK_UP_ACCOUNT, RECORD_PAYMENT, SETTLE, Script};
use super::sqlite_file::connect;
use super::tenants::{CONTACT, Tenant, Tenants, scattered, turn};

/// The highest number of readers: that of the service.
const MAX_READERS: u32 = 8;

/// How often a second the script runs.
pub(super) fn measure(environment: &Environment, script: &Script, connections: u32) -> anyhow::Result<f64> {
    let steps = steps(script.sqlite);
    let writes = script.sqlite.contains("BEGIN IMMEDIATE");
    let threads = if writes { 1 } else { connections.min(MAX_READERS) };
    let begun = Instant::now();
    let count = std::thread::scope(|scope| {
        let running: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| one_loop(environment, script, &steps))).collect();
        let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended
            .map(|count| count.unwrap_or_else(|_panic| bail!("a loop broke off")))
            .sum::<anyhow::Result<u32>>()
    })?;
    Ok(f64::from(count) / begun.elapsed().as_secs_f64())
}

fn one_loop(environment: &Environment, script: &Script, steps: &[Step]) -> anyhow::Result<u32> {
    let (mut connection, span) = (connect(environment.database.file())?, environment.options.span());
    let (begun, mut count) = (Instant::now(), 0_u32);
    while begun.elapsed() < span {
        let values = values(environment, script, count)?;
        for step in steps {
            for row in connection.load(Filled { step, values: &values })? {
                let row = row?;
                for place in 0..row.field_count() {
                    black_box(row.get(place).is_some_and(|field| field.is_null()));
                }
            }
        }
        count = count.saturating_add(1);
    }
    Ok(count)
}

fn values(
    environment: &Environment,
    script: &Script,
    count: u32,
) -> anyhow::Result<Vec<(&'static str, Value)>> {
    let (tenants, deps) = (&environment.tenants, &environment.database.deps);
    let now = deps.clock.now();
    let id = deps.ids.uuid_at(now);
    let bytes = |id: Uuid| Value::Bytes(id.as_bytes().to_vec());
    let (tenant, account, invoice) = accounts_turn(tenants, script, count)?;
    let by_partner = script.name == LOOK_UP_ACCOUNT.name;
    let hash = if by_partner { &tenants.partner_hash } else { &tenant.hash };
    let is_new = script.name == CREATE_INVOICE_NEW_CONTACT.name;
    let wanted = if is_new { format!("{id}@example.com") } else { CONTACT.to_owned() };
    let micros = i64::try_from(now.unix_timestamp_nanos() / 1_000)?;
    Ok(vec![
        ("hash", Value::Bytes(hash.clone())),
        ("account", bytes(account)),
        ("invoice", bytes(invoice)),
        ("id", bytes(id)),
        ("text", Value::Text(id.to_string())),
        ("wanted", Value::Text(wanted)),
        ("external_id", Value::Text(tenant.external_id.clone())),
        ("now", Value::Int(micros)),
        ("answer", Value::Text("x".repeat(script.answer_bytes))),
    ])
}

/// The accounts in turn, each with one of its invoices, or for payments the invoices in turn, each with its
/// account.
fn accounts_turn<'a>(
    tenants: &'a Tenants,
    script: &Script,
    count: u32,
) -> anyhow::Result<(&'a Tenant, Uuid, Uuid)> {
    if [RECORD_PAYMENT.name, SETTLE.name].contains(&script.name) {
        let (account, invoice) = turn(&tenants.open, scattered(count.into()))?;
        return Ok((turn(&tenants.spread, 0)?, account.uuid(), invoice.uuid()));
    }
    let range = u64::from(script.last.saturating_sub(script.first)) + 1;
    let n = u64::from(script.first) + scattered(count.into()) % range;
    let tenant = tenants.all().nth(usize::try_from(n)?.saturating_sub(1)).context("no such account")?;
    Ok((tenant, tenant.id, tenant.invoice))
}

/// The value of a named parameter of a script.
#[derive(Debug, Clone)]
enum Value {
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
}

/// A statement as pieces of text, each preceded by the name of a parameter; the first piece has none.
type Step = Vec<(&'static str, &'static str)>;

/// The statements of a script; a parameter is a colon followed by letters.
fn steps(script: &'static str) -> Vec<Step> {
    let statements = script.split(';').map(str::trim).filter(|statement| !statement.is_empty());
    let step = |statement: &'static str| {
        let (first, named) = statement.split_once(':').unwrap_or((statement, ""));
        let pieces = named.split(':').map(|piece| {
            let end = piece.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(piece.len());
            piece.split_at(end)
        });
        std::iter::once(("", first)).chain(pieces).collect()
    };
    statements.map(step).collect()
}

/// A statement with its values. Its text is constant, so each connection prepares it once.
#[derive(Debug, Clone, Copy)]
struct Filled<'a> {
    step: &'a Step,
    values: &'a [(&'static str, Value)],
}

impl QueryId for Filled<'_> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Filled<'_> {
    type SqlType = Untyped;
}

impl QueryFragment<Sqlite> for Filled<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        for (name, text) in self.step {
            let value = self.values.iter().find(|(of, _)| of == name);
            match value.map(|(_, value)| value) {
                Some(Value::Int(number)) => out.push_bind_param::<BigInt, _>(number)?,
                Some(Value::Text(text)) => out.push_bind_param::<Text, _>(text)?,
                Some(Value::Bytes(bytes)) => out.push_bind_param::<Binary, _>(bytes)?,
                None if name.is_empty() => {}
                None => {
                    let what = format!("no value for :{name}");
                    return Err(diesel::result::Error::QueryBuilderError(what.into()));
                }
            }
            out.push_sql(text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_out_of_the_text() {
        let steps = steps("SELECT :a, x FROM y\nWHERE z = :long_name;\nCOMMIT;\n");
        assert_eq!(steps[0], [("", "SELECT "), ("a", ", x FROM y\nWHERE z = "), ("long_name", "")]);
        assert_eq!(steps[1..], [vec![("", "COMMIT"), ("", "")]]);
    }
}
