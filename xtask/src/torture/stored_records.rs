//! The records in the database at the end of a scenario, read without the service, and checks of their
//! consistency.

use std::collections::BTreeMap;

use anyhow::Context;
use diesel::sql_types::Text;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use super::report::Check;
use crate::fixtures::database::{Database, DatabaseKind};

/// An invoice as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) account: Uuid,
    pub(super) number: String,
    pub(super) status: String,
    pub(super) reference: Option<String>,
    pub(super) total: i64,
    pub(super) paid: i64,
}

/// Everything that is compared with recorded responses.
#[derive(Debug, Default)]
pub(super) struct StoredRecords {
    pub(super) invoices: BTreeMap<Uuid, Stored>,
    /// Account and address of each contact; every contact here has an address.
    pub(super) contacts: BTreeMap<Uuid, (Uuid, String)>,
    /// Reference, invoice and cents of each payment.
    pub(super) payments: Vec<(String, Uuid, i64)>,
    /// Statement of each escalation, and whether it is resolved.
    pub(super) escalations: BTreeMap<Uuid, (String, bool)>,
    /// Key and id of each stored response to a creation.
    pub(super) kept: Vec<(String, Uuid)>,
    /// Event, state and attempts of each delivery.
    pub(super) deliveries: Vec<(Uuid, String, u32)>,
}

impl StoredRecords {
    /// Reads all records.
    pub(super) fn read(database: &Database) -> anyhow::Result<Self> {
        // A stored response begins with the id of the created or found record.
        let beginning = match database.kind {
            DatabaseKind::Postgres | DatabaseKind::Citus => "convert_from(substr(body, 1, 43), 'LATIN1')",
            DatabaseKind::Sqlite => "CAST(substr(body, 1, 43) AS text)",
        };
        let columns = ["id", "account_id", "number", "status", "total", "amount_paid", "reference"];
        let invoices = rows(database, columns, "invoices")?;
        let contacts = rows(database, ["id", "account_id", "email"], "contacts")?;
        let payments = rows(database, ["invoice_id", "amount", "reference"], "payments")?;
        let columns = ["id", "resolution_outcome", "customer_statement"];
        let escalations = rows(database, columns, "escalations")?;
        let kept = rows(database, [beginning, "key"], "idempotency_keys WHERE status IN (200, 201)")?;
        let deliveries = rows(database, ["event_id", "state", "attempts"], "webhook_deliveries")?;
        Ok(Self {
            invoices: parsed(invoices, invoice)?,
            contacts: parsed(contacts, |[id, account, email]| {
                Some((id.parse().ok()?, (account.parse().ok()?, email.to_owned())))
            })?,
            payments: parsed(payments, |[invoice, cents, reference]| {
                Some((reference.to_owned(), invoice.parse().ok()?, cents.parse().ok()?))
            })?,
            escalations: parsed(escalations, |[id, outcome, statement]| {
                Some((id.parse().ok()?, (statement.to_owned(), !outcome.is_empty())))
            })?,
            kept: parsed(kept, |[beginning, key]| {
                Some((key.to_owned(), beginning.strip_prefix("{\"id\":\"")?.parse().ok()?))
            })?,
            deliveries: parsed(deliveries, |[event, state, attempts]| {
                Some((event.parse().ok()?, state.to_owned(), attempts.parse().ok()?))
            })?,
        })
    }
}

fn invoice([id, account, number, status, total, paid, reference]: [&str; 7]) -> Option<(Uuid, Stored)> {
    let stored = Stored {
        account: account.parse().ok()?,
        number: number.to_owned(),
        status: status.to_owned(),
        reference: Some(reference.to_owned()).filter(|reference| !reference.is_empty()),
        total: total.parse().ok()?,
        paid: paid.parse().ok()?,
    };
    Some((id.parse().ok()?, stored))
}

/// Parses every row; the error shows a row that cannot be parsed.
fn parsed<const N: usize, T, C: FromIterator<T>>(
    rows: Vec<[String; N]>,
    parse: impl Fn([&str; N]) -> Option<T>,
) -> anyhow::Result<C> {
    let parse = |row: &[String; N]| {
        parse(row.each_ref().map(String::as_str)).with_context(|| format!("a row of the database: {row:?}"))
    };
    rows.iter().map(parse).collect()
}

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// The rows of a query as text, with ids as hexadecimal digits. Only the last column may contain a `|`.
pub(super) fn rows<const N: usize>(
    database: &Database,
    columns: [&str; N],
    from: &str,
) -> anyhow::Result<Vec<[String; N]>> {
    let lines: Vec<String> = match &database.cluster {
        Some(cluster) => {
            let printed = cluster.sql(&format!("SELECT {} FROM {from}", columns.join(", ")))?;
            printed.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
        }
        None => {
            let text = |column| {
                format!(
                    "CASE typeof({column}) WHEN 'blob' THEN lower(hex({column})) ELSE coalesce({column}, '') END"
                )
            };
            let query = format!("SELECT {} AS line FROM {from}", columns.map(text).join(" || '|' || "));
            let mut connection = SqliteConnection::establish(database.file())?;
            diesel::sql_query("PRAGMA busy_timeout = 30000").execute(&mut connection)?;
            let lines: Vec<Line> = diesel::sql_query(query).load(&mut connection)?;
            lines.into_iter().map(|line| line.line).collect()
        }
    };
    let row = |line: &String| {
        let values: Vec<String> = line.splitn(N, '|').map(str::to_owned).collect();
        values.try_into().ok().with_context(|| format!("a line of the database: {line}"))
    };
    lines.iter().map(row).collect()
}

/// The number of rows.
pub(super) fn count(database: &Database, from: &str) -> anyhow::Result<usize> {
    let rows = rows(database, ["CAST(count(*) AS text)"], from)?;
    let [count] = rows.first().context("a count is a row")?;
    Ok(count.parse()?)
}

/// The checks of consistency: a name, the checked table, and a query for the ids of records that break the
/// rule.
const TOTALS: [(&str, &str, &str); 6] = [
    ("an invoice's amounts are the sums of its lines", "invoices", LINES),
    ("what is paid is the sum of the payments", "invoices", PAYMENTS),
    ("the status fits what is paid", "invoices", STATUS),
    ("every payment has its event", "payments", PAYMENT_EVENTS),
    ("every escalation has the events of its changes", "escalations", ESCALATION_EVENTS),
    ("every event has its delivery to the account's endpoint", "events", DELIVERIES),
];

/// Makes all checks of consistency. The service deletes events after 30 days: records made before
/// `kept_since` may be without their events.
pub(super) fn check_totals(database: &Database, kept_since: OffsetDateTime) -> anyhow::Result<Vec<Check>> {
    let least = least_id(database.kind, kept_since)?;
    let queries = TOTALS.map(|(what, table, query)| (what, table, query.replace("{least}", &least)));
    let queries: Vec<_> = queries.iter().map(|(what, table, query)| (*what, *table, &**query)).collect();
    check_queries(database, &queries)
}

/// The lowest id of a point in time, in the database's format: ids begin with the millisecond (RFC 9562,
/// section 5.7).
fn least_id(kind: DatabaseKind, at: OffsetDateTime) -> anyhow::Result<String> {
    let millis = u128::try_from(at.unix_timestamp_nanos() / 1_000_000)?;
    let least = Uuid::from_u128(millis << 80);
    Ok(match kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => format!("'{least}'"),
        DatabaseKind::Sqlite => format!("x'{}'", least.simple()),
    })
}

/// Checks that none of these queries finds a row; each has a name and the checked table.
pub(super) fn check_queries(
    database: &Database,
    queries: &[(&str, &str, &str)],
) -> anyhow::Result<Vec<Check>> {
    let check = |(what, table, query): &(&str, &str, &str)| {
        let broken = rows(database, ["one"], &format!("({query}) AS broken"))?;
        Ok(Check::new(*what, count(database, table)?, broken.into_iter().flatten().collect()))
    };
    queries.iter().map(check).collect()
}

const LINES: &str = "SELECT i.id AS one FROM invoices i LEFT JOIN ( \
    SELECT account_id, invoice_id, sum(line_amount) AS amount, sum(tax_amount) AS tax FROM line_items GROUP BY account_id, invoice_id \
    ) l ON l.account_id = i.account_id AND l.invoice_id = i.id \
    WHERE i.tax_total <> coalesce(l.tax, 0) OR i.total <> i.sub_total + i.tax_total \
    OR coalesce(l.amount, 0) <> CASE i.line_amount_types WHEN 'INCLUSIVE' THEN i.total ELSE i.sub_total END";

const PAYMENTS: &str = "SELECT i.id AS one FROM invoices i LEFT JOIN ( \
    SELECT account_id, invoice_id, sum(amount) AS amount FROM payments GROUP BY account_id, invoice_id \
    ) p ON p.account_id = i.account_id AND p.invoice_id = i.id WHERE i.amount_paid <> coalesce(p.amount, 0)";

const STATUS: &str = "SELECT id AS one FROM invoices WHERE status NOT IN ('CANCELLED', 'DRAFT') AND ( \
    (status = 'PAID') <> (amount_paid = total) OR (status = 'PARTIALLY_PAID') <> (amount_paid > 0 AND amount_paid < total))";

const PAYMENT_EVENTS: &str = "SELECT coalesce(p.invoice_id, e.resource_id) AS one FROM ( \
    SELECT account_id, invoice_id, count(*) AS many FROM payments GROUP BY account_id, invoice_id) p FULL JOIN ( \
    SELECT account_id, resource_id, count(*) AS many FROM events WHERE kind = 'invoice.payment_recorded' GROUP BY account_id, resource_id \
    ) e ON e.account_id = p.account_id AND e.resource_id = p.invoice_id WHERE coalesce(p.many, 0) <> coalesce(e.many, 0) \
    AND NOT EXISTS (SELECT 1 FROM payments o WHERE o.account_id = p.account_id AND o.invoice_id = p.invoice_id AND o.id < {least})";

const ESCALATION_EVENTS: &str = "SELECT x.id AS one FROM escalations x LEFT JOIN ( \
    SELECT account_id, resource_id, sum(CASE kind WHEN 'escalation.created' THEN 1 ELSE 0 END) AS created, \
    sum(CASE kind WHEN 'escalation.resolved' THEN 1 ELSE 0 END) AS resolved FROM events GROUP BY account_id, resource_id \
    ) e ON e.account_id = x.account_id AND e.resource_id = x.id \
    WHERE x.id >= {least} \
    AND (coalesce(e.created, 0) <> 1 OR coalesce(e.resolved, 0) <> CASE WHEN x.resolved_at IS NULL THEN 0 ELSE 1 END)";

const DELIVERIES: &str = "SELECT e.id AS one FROM events e LEFT JOIN webhook_deliveries d \
    ON d.account_id = e.account_id AND d.event_id = e.id GROUP BY e.account_id, e.id HAVING count(d.id) <> 1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_id_is_below_every_id_of_its_millisecond() {
        let at = time::macros::datetime!(2026-03-01 12:00:00.123 UTC);
        let made = Uuid::from_u128(0x019c_a945_0a7b_7000_8000_0000_0000_0001);
        let earlier = at - time::Duration::MILLISECOND;
        let least = |kind, at| least_id(kind, at).unwrap();
        assert_eq!(least(DatabaseKind::Postgres, at), "'019ca945-0a7b-0000-0000-000000000000'");
        assert_eq!(least(DatabaseKind::Sqlite, at), "x'019ca9450a7b00000000000000000000'");
        assert!(least(DatabaseKind::Postgres, earlier) < least(DatabaseKind::Postgres, at));
        assert!(least(DatabaseKind::Postgres, at) < format!("'{made}'"));
    }

    #[test]
    fn an_invoice_is_read_from_its_row() {
        let (id, account) = ("019aa1b2000070008000000000000004", "019aa1b2000070008000000000000002");
        let (read, stored) = invoice([id, account, "INV-0001", "PAID", "8071", "8071", ""]).unwrap();
        assert_eq!(read.to_string(), "019aa1b2-0000-7000-8000-000000000004");
        assert_eq!((stored.total, stored.reference), (8_071, None));
        assert!(invoice(["019aa1b2", "x", "", "", "", "", ""]).is_none());
    }
}
