//! The order in which changes of the data on which reminders depend were committed. Triggers record each
//! change in a table of this scenario, in the transaction that makes it.
//!
//! SQLite has one writer at a time, so the numbers of the rows give the order of the commits. PostgreSQL
//! records the commit time of a row's transaction: of two transactions that lock the same row, the later one
//! is committed later.

use anyhow::Context;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use time::OffsetDateTime;
use uuid::Uuid;

use super::super::stored_records::rows;
use crate::fixtures::database::Database;

/// A change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) what: String,
    pub(super) account: Uuid,
    pub(super) contact: Option<Uuid>,
    pub(super) invoice: Option<Uuid>,
    /// The message, the escalation, or the incoming message.
    pub(super) subject: Option<Uuid>,
    /// An instant by the clock of the service.
    pub(super) at: Option<OffsetDateTime>,
    /// The time of the commit by the machine's clock, in microseconds; 0 on SQLite.
    pub(super) committed: i64,
    pub(super) detail: String,
}

/// A trigger: the statements and the table that it watches, its condition, and the values that it records.
struct Watch {
    what: &'static str,
    table: &'static str,
    statements: &'static [&'static str],
    when: &'static str,
    /// Contact, invoice and subject.
    ids: [&'static str; 3],
    at: &'static str,
    detail: &'static str,
}

const NOTHING: &str = "NULL";
const IS_ON: &str =
    "NEW.communications_enabled AND NOT NEW.disabled_by_partner AND NOT NEW.disabled_by_operator";

const fn watch(
    what: &'static str,
    table: &'static str,
    statements: &'static [&'static str],
    when: &'static str,
    ids: [&'static str; 3],
    detail: &'static str,
) -> Watch {
    Watch { what, table, statements, when, ids, at: NOTHING, detail }
}

const OF_MESSAGE: [&str; 3] = ["NEW.contact_id", NOTHING, "NEW.id"];
const OF_ESCALATION: [&str; 3] = ["NEW.contact_id", "NEW.invoice_id", "NEW.id"];
const OF_INVOICE: [&str; 3] = [NOTHING, "NEW.invoice_id", NOTHING];
const OF_ACCOUNT: [&str; 3] = [NOTHING; 3];
const WRITTEN: &[&str] = &["INSERT", "UPDATE"];

const WATCHES: [Watch; 22] = [
    Watch {
        what: "begins",
        table: "messages",
        statements: &["UPDATE"],
        // An attempt whose outcome is unknown leaves the message queued, with the instant at which it began.
        when: "NEW.state = 'queued' AND NEW.purpose = 'reminder' AND NEW.began_at IS NOT NULL \
               AND (OLD.began_at IS NULL OR OLD.began_at <> NEW.began_at)",
        ids: OF_MESSAGE,
        at: "NEW.began_at",
        detail: "NEW.channel || ' ' || NEW.address || ' ' || {invoices}",
    },
    watch("raised", "escalations", &["INSERT"], "TRUE", OF_ESCALATION, "NEW.escalation_type"),
    Watch {
        what: "resolved",
        table: "escalations",
        statements: &["UPDATE"],
        when: "OLD.resolved_at IS NULL AND NEW.resolved_at IS NOT NULL",
        ids: OF_ESCALATION,
        at: "NEW.resolved_at",
        detail: "''",
    },
    watch(
        "heard",
        "messages",
        &["INSERT"],
        "NEW.direction = 'in' AND NEW.state = 'handled'",
        OF_MESSAGE,
        "NEW.understood",
    ),
    watch("unread", "messages", WRITTEN, "NEW.direction = 'in' AND NEW.is_unread", OF_MESSAGE, "''"),
    watch("read", "messages", &["UPDATE"], "OLD.is_unread AND NOT NEW.is_unread", OF_MESSAGE, "''"),
    watch(
        "quarantined",
        "quarantine_candidates",
        &["INSERT"],
        "TRUE",
        ["NEW.contact_id", NOTHING, "NEW.inbound_id"],
        "''",
    ),
    watch(
        "released",
        "quarantine_candidates",
        &["DELETE"],
        "TRUE",
        ["OLD.contact_id", NOTHING, "OLD.inbound_id"],
        "''",
    ),
    watch(
        "settled",
        "invoices",
        &["UPDATE"],
        "NEW.status IN ('PAID', 'CANCELLED')",
        [NOTHING, "NEW.id", NOTHING],
        "NEW.status",
    ),
    Watch {
        what: "mailed",
        table: "invoices",
        statements: WRITTEN,
        when: "NEW.last_sent_at IS NOT NULL",
        ids: ["NEW.contact_id", "NEW.id", NOTHING],
        at: "NEW.last_sent_at",
        detail: "''",
    },
    watch(
        "paused",
        "reminder_pauses",
        &["INSERT"],
        "TRUE",
        OF_INVOICE,
        "coalesce(CAST(NEW.until AS text), '9999-12-31')",
    ),
    watch("goes_on", "reminder_pauses", &["DELETE"], "TRUE", [NOTHING, "OLD.invoice_id", NOTHING], "''"),
    watch("promised", "promises", &["INSERT"], "TRUE", OF_INVOICE, "CAST(NEW.promised_on AS text)"),
    watch("superseded", "promises", &["UPDATE"], "NEW.superseded_at IS NOT NULL", OF_INVOICE, "''"),
    watch(
        "closed",
        "address_holds",
        &["INSERT"],
        "NEW.reopened_at IS NULL",
        OF_ACCOUNT,
        "NEW.channel || ' ' || NEW.address",
    ),
    watch(
        "opened",
        "address_holds",
        &["UPDATE"],
        "NEW.reopened_at IS NOT NULL",
        OF_ACCOUNT,
        "NEW.channel || ' ' || NEW.address",
    ),
    watch(
        "consented",
        "contact_consents",
        &["INSERT"],
        "NEW.is_given AND NEW.channel = 'sms'",
        ["NEW.contact_id", NOTHING, NOTHING],
        "''",
    ),
    watch(
        "withdrew",
        "contact_consents",
        &["INSERT"],
        "NOT NEW.is_given AND NEW.channel = 'sms'",
        ["NEW.contact_id", NOTHING, NOTHING],
        "''",
    ),
    watch("on", "accounts", &["UPDATE"], IS_ON, OF_ACCOUNT, "''"),
    watch("off", "accounts", &["UPDATE"], "NOT ({is_on})", OF_ACCOUNT, "''"),
    watch("started", "reminder_policies", WRITTEN, "NEW.started_at IS NOT NULL", OF_ACCOUNT, "''"),
    watch("stopped", "reminder_policies", WRITTEN, "NEW.started_at IS NULL", OF_ACCOUNT, "''"),
];

/// Creates the triggers; every change from now on is recorded.
pub(super) fn begin(database: &Database) -> anyhow::Result<()> {
    match &database.cluster {
        Some(cluster) => {
            // The server reads this setting at its start.
            cluster.sql("ALTER SYSTEM SET track_commit_timestamp = on")?;
            cluster.tell("down 0")?;
            cluster.tell("up 0")?;
            cluster.sql(POSTGRES_TABLE)?;
            for (name, statement, one) in triggers() {
                cluster.sql(&one.on_postgres(&name, statement))?;
            }
        }
        None => {
            let mut connection = SqliteConnection::establish(database.file())?;
            connection.batch_execute(SQLITE_TABLE)?;
            for (name, statement, one) in triggers() {
                connection.batch_execute(&one.on_sqlite(&name, statement))?;
            }
        }
    }
    Ok(())
}

/// All recorded changes, in the order of the commits.
pub(super) fn read(database: &Database) -> anyhow::Result<Vec<Entry>> {
    let (committed, order) = match &database.cluster {
        Some(_) => (COMMITTED, "pg_xact_commit_timestamp(xmin), number"),
        None => ("0", "number"),
    };
    let columns = ["what", "account", "contact", "invoice", "subject", "at", committed, "detail"];
    let found = rows(database, columns, &format!("torture_journal ORDER BY {order}"))?;
    let entry = |row: &[String; 8]| entry(row).with_context(|| format!("a row of the journal: {row:?}"));
    found.iter().map(entry).collect()
}

fn entry([what, account, contact, invoice, subject, at, committed, detail]: &[String; 8]) -> Option<Entry> {
    let at = match at.as_str() {
        "" => None,
        text => Some(OffsetDateTime::from_unix_timestamp_nanos(text.parse::<i128>().ok()? * 1_000).ok()?),
    };
    Some(Entry {
        what: what.clone(),
        account: account.parse().ok()?,
        contact: contact.parse().ok(),
        invoice: invoice.parse().ok(),
        subject: subject.parse().ok(),
        at,
        committed: committed.parse().ok()?,
        detail: detail.clone(),
    })
}

fn triggers() -> impl Iterator<Item = (String, &'static str, &'static Watch)> {
    WATCHES.iter().flat_map(|one| {
        one.statements.iter().map(move |statement| {
            (format!("torture_{}_{}", one.what, statement.to_lowercase()), *statement, one)
        })
    })
}

impl Watch {
    fn on_postgres(&self, name: &str, statement: &str) -> String {
        let id = |column: &str| format!("replace(CAST({column} AS text), '-', '')");
        let at = format!("CAST(extract(epoch FROM CAST({} AS timestamptz)) * 1000000 AS bigint)", self.at);
        let (table, when) = (self.table, self.when());
        let insert = self.insert(id, &at, "string_agg");
        format!(
            "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {insert}; RETURN NULL; END $$; \
             CREATE TRIGGER {name} AFTER {statement} ON {table} FOR EACH ROW WHEN ({when}) \
             EXECUTE FUNCTION {name}()"
        )
    }

    fn on_sqlite(&self, name: &str, statement: &str) -> String {
        let id = |column: &str| format!("lower(hex({column}))");
        let insert = self.insert(id, self.at, "group_concat");
        let (table, when) = (self.table, self.when());
        format!("CREATE TRIGGER {name} AFTER {statement} ON {table} WHEN {when} BEGIN {insert}; END")
    }

    fn when(&self) -> String {
        self.when.replace("{is_on}", IS_ON)
    }

    fn insert(&self, id: impl Fn(&str) -> String, at: &str, joined: &str) -> String {
        let row = if self.statements == ["DELETE"] { "OLD" } else { "NEW" };
        let account = if self.table == "accounts" { "id" } else { "account_id" };
        let invoices = format!(
            "(SELECT {joined}({}, ' ') FROM message_invoices WHERE account_id = NEW.account_id \
             AND message_id = NEW.id)",
            id("invoice_id")
        );
        let [contact, invoice, subject] = self.ids.map(&id);
        let (what, detail) = (self.what, self.detail.replace("{invoices}", &invoices));
        let account = id(&format!("{row}.{account}"));
        format!(
            "INSERT INTO torture_journal (what, account, contact, invoice, subject, at, detail) VALUES \
             ('{what}', {account}, {contact}, {invoice}, {subject}, {at}, coalesce({detail}, ''))"
        )
    }
}

const COMMITTED: &str = "CAST(extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000000 AS bigint)";

const POSTGRES_TABLE: &str = "CREATE TABLE torture_journal (number bigserial PRIMARY KEY, what text NOT NULL, \
    account text NOT NULL, contact text, invoice text, subject text, at bigint, detail text NOT NULL)";

const SQLITE_TABLE: &str = "CREATE TABLE torture_journal (number integer PRIMARY KEY AUTOINCREMENT, \
    what text NOT NULL, account text NOT NULL, contact text, invoice text, subject text, at integer, \
    detail text NOT NULL)";

#[cfg(test)]
mod tests {
    use diesel::prelude::*;

    use super::*;

    const MESSAGES: &str = "CREATE TABLE messages (account_id blob, id blob, contact_id blob, state text, \
        purpose text, channel text, address text, began_at integer); \
        CREATE TABLE message_invoices (account_id blob, message_id blob, invoice_id blob); \
        INSERT INTO messages VALUES (x'01', x'02', x'03', 'queued', 'reminder', 'email', 'ada@example.com', NULL);";

    #[derive(QueryableByName)]
    struct Began {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        at: i64,
    }

    #[test]
    fn attempt_of_unknown_outcome_is_recorded_when_it_begins_and_not_when_it_ends() {
        let mut connection = SqliteConnection::establish(":memory:").unwrap();
        connection.batch_execute(SQLITE_TABLE).unwrap();
        connection.batch_execute(MESSAGES).unwrap();
        let (name, statement, begins) = triggers().find(|(_, _, one)| one.what == "begins").unwrap();
        connection.batch_execute(&begins.on_sqlite(&name, statement)).unwrap();
        // An attempt, its outcome, and a second attempt.
        for began_at in [5, 5, 9] {
            connection.batch_execute(&format!("UPDATE messages SET began_at = {began_at}")).unwrap();
        }
        let began = diesel::sql_query("SELECT at FROM torture_journal ORDER BY number");
        let began: Vec<Began> = began.load(&mut connection).unwrap();
        assert_eq!(began.iter().map(|one| one.at).collect::<Vec<_>>(), [5, 9]);
    }
}
