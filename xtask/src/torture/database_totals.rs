//! Consistency checks inside the database, in SQL.

use super::database_reader::DatabaseReader;
use super::report::Check;

/// Every check.
pub(super) fn check_totals(reader: &DatabaseReader<'_>) -> anyhow::Result<Vec<Check>> {
    let all = reader.count("invoices")?;
    let happened = reader.count("events")?;
    Ok(vec![
        check(reader, "an invoice's amounts are the sums of its lines", all, LINES)?,
        check(reader, "what is paid is the sum of the payments", all, PAYMENTS)?,
        check(reader, "the status fits what is paid", all, STATUS)?,
        check(reader, "every payment has its event", reader.count("payments")?, PAYMENT_EVENTS)?,
        check(
            reader,
            "every escalation has the events of its changes",
            reader.count("escalations")?,
            ESCALATION_EVENTS,
        )?,
        check(reader, "every event has its delivery to the account's endpoint", happened, DELIVERIES)?,
    ])
}

/// A check by a query for what breaks it: `one` is the id of the record.
fn check(reader: &DatabaseReader<'_>, what: &str, of: usize, query: &str) -> anyhow::Result<Check> {
    let broken = reader.lines(&reader.id("one"), &format!("({query}) AS broken"))?;
    Ok(Check::new(what, of, broken))
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
