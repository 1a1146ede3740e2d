//! The records that the database holds at the end of a scenario.

use std::collections::BTreeMap;

use anyhow::Context;
use uuid::Uuid;

use super::database_reader::rows;
use crate::fixtures::database::{Database, Kind};

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
    /// Account and address of each contact: all of them have one.
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
    pub(super) fn read(database: &Database) -> anyhow::Result<Self> {
        // A stored response begins with the id of what was made or found.
        let beginning = match database.kind {
            Kind::Postgres => "convert_from(substr(body, 1, 43), 'LATIN1')",
            Kind::Sqlite => "CAST(substr(body, 1, 43) AS text)",
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

/// Parses every row; one that cannot be parsed is an error that shows it.
fn parsed<const N: usize, T, C: FromIterator<T>>(
    rows: Vec<[String; N]>,
    parse: impl Fn([&str; N]) -> Option<T>,
) -> anyhow::Result<C> {
    let parse = |row: &[String; N]| {
        parse(row.each_ref().map(String::as_str)).with_context(|| format!("a row of the database: {row:?}"))
    };
    rows.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invoice_is_read_from_its_row() {
        let (id, account) = ("019aa1b2000070008000000000000004", "019aa1b2000070008000000000000002");
        let (read, stored) = invoice([id, account, "INV-0001", "PAID", "8071", "8071", ""]).unwrap();
        assert_eq!(read.to_string(), "019aa1b2-0000-7000-8000-000000000004");
        assert_eq!((stored.total, stored.reference), (8_071, None));
        assert!(invoice(["019aa1b2", "x", "", "", "", "", ""]).is_none());
    }
}
