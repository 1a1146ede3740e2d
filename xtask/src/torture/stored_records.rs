//! The records that the database holds at the end of a scenario.

use std::collections::BTreeMap;

use anyhow::Context;
use uuid::Uuid;

use super::database_reader::DatabaseReader;

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

/// Everything that is held against what was told.
#[derive(Debug, Default)]
pub(super) struct StoredRecords {
    pub(super) invoices: BTreeMap<Uuid, Stored>,
    /// Account and address of each contact: nobody here makes one without.
    pub(super) contacts: BTreeMap<Uuid, (Uuid, String)>,
    /// Reference, invoice and cents of each payment.
    pub(super) payments: Vec<(String, Uuid, i64)>,
    /// Statement of each escalation, and whether it is resolved.
    pub(super) escalations: BTreeMap<Uuid, (String, bool)>,
    /// Key and id of each stored response that made something.
    pub(super) kept: Vec<(String, Uuid)>,
    /// Event, state and attempts of each delivery.
    pub(super) deliveries: Vec<(Uuid, String, u32)>,
}

impl StoredRecords {
    /// Reads all of it.
    pub(super) fn read(reader: &DatabaseReader<'_>) -> anyhow::Result<Self> {
        let id = |column: &str| reader.id(column);
        // Values apart by bars, and last what may hold any text. An answer begins with the id of what was
        // made or found.
        let line = |values: &[&str]| values.join(" || '|' || ");
        let text = |column: &str| format!("CAST({column} AS text)");
        let (row, attempts, amount) = (id("id"), text("attempts"), text("amount"));
        let (total, paid) = (text("total"), text("amount_paid"));
        let reference = "coalesce(reference, '')";
        let outcome = "coalesce(resolution_outcome, '')";
        let invoices = line(&[&row, &id("account_id"), "number", "status", &total, &paid, reference]);
        let contacts = line(&[&row, &id("account_id"), "coalesce(email, '')"]);
        let payments = line(&[reference, &id("invoice_id"), &amount]);
        let escalations = line(&[&row, "customer_statement", outcome]);
        let kept = line(&["key", &reader.beginning("body", 43)]);
        let deliveries = line(&[&id("event_id"), "state", &attempts]);
        let rows = "idempotency_keys WHERE status IN (200, 201)";
        Ok(Self {
            invoices: each(&reader.lines(&invoices, "invoices")?, stored)?,
            contacts: each(&reader.lines(&contacts, "contacts")?, contact)?,
            payments: each(&reader.lines(&payments, "payments")?, payment)?,
            escalations: each(&reader.lines(&escalations, "escalations")?, escalation)?,
            kept: each(&reader.lines(&kept, rows)?, answer)?,
            deliveries: each(&reader.lines(&deliveries, "webhook_deliveries")?, delivery)?,
        })
    }
}

fn payment(line: &str) -> Option<(String, Uuid, i64)> {
    let [reference, invoice, cents] = fields(line)?;
    Some((reference.to_owned(), invoice.parse().ok()?, cents.parse().ok()?))
}

fn contact(line: &str) -> Option<(Uuid, (Uuid, String))> {
    let [id, account, email] = fields(line)?;
    Some((id.parse().ok()?, (account.parse().ok()?, email.to_owned())))
}

fn escalation(line: &str) -> Option<(Uuid, (String, bool))> {
    let [id, statement, outcome] = fields(line)?;
    Some((id.parse().ok()?, (statement.to_owned(), !outcome.is_empty())))
}

fn answer(line: &str) -> Option<(String, Uuid)> {
    let [key, beginning] = fields(line)?;
    let id = beginning.strip_prefix("{\"id\":\"")?;
    Some((key.to_owned(), id.parse().ok()?))
}

fn delivery(line: &str) -> Option<(Uuid, String, u32)> {
    let [event, state, attempts] = fields(line)?;
    Some((event.parse().ok()?, state.to_owned(), attempts.parse().ok()?))
}

/// Reads every line, and says which one cannot be.
fn each<T, C: FromIterator<T>>(lines: &[String], read: impl Fn(&str) -> Option<T>) -> anyhow::Result<C> {
    let read = |line: &String| read(line).with_context(|| format!("a line of the database: {line}"));
    lines.iter().map(read).collect()
}

fn fields<const N: usize>(line: &str) -> Option<[&str; N]> {
    let fields: Vec<&str> = line.splitn(N, '|').collect();
    fields.try_into().ok()
}

fn stored(line: &str) -> Option<(Uuid, Stored)> {
    let [id, account, number, status, total, paid, reference] = fields(line)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invoice_is_read_from_its_line() {
        let line =
            "019aa1b2000070008000000000000004|019aa1b2000070008000000000000002|INV-0001|PAID|8071|8071|";
        let (id, stored) = stored(line).unwrap();
        assert_eq!(id.to_string(), "019aa1b2-0000-7000-8000-000000000004");
        assert_eq!((stored.total, stored.reference), (8_071, None));
        assert!(super::stored("019aa1b2|x").is_none());
    }
}
