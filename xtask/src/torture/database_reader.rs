//! Reads the database directly, past the service, and checks in SQL that it is consistent.

use anyhow::Context;
use diesel::sql_types::Text;
use diesel::{Connection as _, QueryableByName, RunQueryDsl as _, SqliteConnection};

use super::report::Check;
use crate::fixtures::database::Database;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// The rows of a query as text, with ids as hexadecimal digits. A bar may stand in the last column alone.
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

/// Every check of consistency: its name, the table whose rows it looks at, and a query for the ids of records
/// that break it.
const TOTALS: [(&str, &str, &str); 6] = [
    ("an invoice's amounts are the sums of its lines", "invoices", LINES),
    ("what is paid is the sum of the payments", "invoices", PAYMENTS),
    ("the status fits what is paid", "invoices", STATUS),
    ("every payment has its event", "payments", PAYMENT_EVENTS),
    ("every escalation has the events of its changes", "escalations", ESCALATION_EVENTS),
    ("every event has its delivery to the account's endpoint", "events", DELIVERIES),
];

/// Makes every check of consistency.
pub(super) fn check_totals(database: &Database) -> anyhow::Result<Vec<Check>> {
    let check = |(what, table, query): (&str, &str, &str)| {
        let broken = rows(database, ["one"], &format!("({query}) AS broken"))?;
        Ok(Check::new(what, count(database, table)?, broken.into_iter().flatten().collect()))
    };
    TOTALS.into_iter().map(check).collect()
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
    ) e ON e.account_id = p.account_id AND e.resource_id = p.invoice_id WHERE coalesce(p.many, 0) <> coalesce(e.many, 0)";

const ESCALATION_EVENTS: &str = "SELECT x.id AS one FROM escalations x LEFT JOIN ( \
    SELECT account_id, resource_id, sum(CASE kind WHEN 'escalation.created' THEN 1 ELSE 0 END) AS created, \
    sum(CASE kind WHEN 'escalation.resolved' THEN 1 ELSE 0 END) AS resolved FROM events GROUP BY account_id, resource_id \
    ) e ON e.account_id = x.account_id AND e.resource_id = x.id \
    WHERE coalesce(e.created, 0) <> 1 OR coalesce(e.resolved, 0) <> CASE WHEN x.resolved_at IS NULL THEN 0 ELSE 1 END";

const DELIVERIES: &str = "SELECT e.id AS one FROM events e LEFT JOIN webhook_deliveries d \
    ON d.account_id = e.account_id AND d.event_id = e.id GROUP BY e.account_id, e.id HAVING count(d.id) <> 1";
