//! All checks, made when nothing waits any more.

use std::time::Instant;

use anyhow::Context;
use kernel::Clock as _;
use uuid::Uuid;

use super::super::environment::Environment;
use super::super::leading_clock::LeadingClock;
use super::super::report::{Check, Row};
use super::super::response_log::ResponseLog;
use super::super::stored_records::{check_queries, check_totals, count, rows};
use super::accounts::Accounts;
use super::customers::CustomerMessages;
use super::journal;
use super::outside::{Outside, StoredReminder, StoredStep};
use super::replay::{Replay, Rule};

/// A little less than the 30 days after which the service deletes events.
const KEPT: time::Duration = time::Duration::days(29);

pub(super) fn inspect(
    environment: &Environment,
    accounts: &Accounts,
    customer_messages: &CustomerMessages,
    clock: &LeadingClock,
    response_log: &ResponseLog,
    kills: &[Instant],
) -> anyhow::Result<Row> {
    environment.say("looking at everything");
    let database = &environment.database;
    let replay = Replay::of(&journal::read(database)?, &accounts.zones);
    let (reminders, steps) = (stored_reminders(environment)?, stored_steps(environment)?);
    let (mails, texts) = (customer_messages.mail.taken(), customer_messages.texts.taken());
    let outside = Outside::new(&replay, &mails, &texts, &reminders);
    let mut checks: Vec<Check> = Rule::ALL.iter().map(|rule| of_rule(&replay, *rule)).collect();
    checks.extend(outside.checks(&replay, &steps, kills));
    checks.push(answered_once(environment, customer_messages)?);
    checks.extend(check_queries(database, &OF_MESSAGES)?);
    checks.extend(check_totals(database, clock.now() - KEPT)?);
    checks.push(Check::new(
        "every request of the service was one that Twilio takes",
        texts.len(),
        customer_messages.texts.faults(),
    ));
    checks.push(Check::new("nobody was told anything wrong", 1, response_log.lock().wrong.clone()));
    checks.push(Check::new("no thread of the service panicked", 1, environment.panics()?));
    let (taken, again) = outside.counts();
    let unknown = reminders.iter().filter(|one| one.is_unknown()).count();
    let states = |state: &str| reminders.iter().filter(|one| one.state == state).count();
    let figure = format!(
        "{} attempts at {} reminders; {taken} taken, {again} mails taken again after a kill, {unknown} of unknown \
         outcome, {} dropped; {} messages came in, {} were handled, {} are in quarantine; {} escalations",
        replay.attempts.len(),
        reminders.len(),
        states("dropped"),
        customer_messages.sent().len(),
        replay.heard,
        count(database, "inbound_messages WHERE state = 'quarantined'")?,
        count(database, "escalations")?,
    );
    Ok(environment.row("what is there when all is over", None, figure, checks))
}

fn of_rule(replay: &Replay, rule: Rule) -> Check {
    let of = if rule == Rule::Raised { replay.heard } else { replay.attempts.len() };
    let broken = replay.broken.iter().filter(|(broken, _)| *broken == rule);
    Check::new(rule.text(), of, broken.map(|(_, why)| why.clone()).collect())
}

fn stored_reminders(environment: &Environment) -> anyhow::Result<Vec<StoredReminder>> {
    let from = "messages WHERE purpose = 'reminder'";
    let began = "CASE WHEN began_at IS NULL THEN '' ELSE 'began' END";
    let found = rows(&environment.database, ["id", "state", began, "detail"], from)?;
    let read = |[id, state, began, detail]: &[String; 4]| -> anyhow::Result<StoredReminder> {
        let (state, detail) = (state.clone(), detail.clone());
        Ok(StoredReminder { id: uuid(id)?, state, may_be_taken: !began.is_empty(), detail })
    };
    found.iter().map(read).collect()
}

fn stored_steps(environment: &Environment) -> anyhow::Result<Vec<StoredStep>> {
    let from = "reminder_steps WHERE decision = 'send' AND message_id IS NOT NULL";
    let columns = ["message_id", "invoice_id", "days || ' ' || channel"];
    let read = |[message, invoice, key]: &[String; 3]| -> anyhow::Result<StoredStep> {
        Ok(StoredStep { message: uuid(message)?, invoice: uuid(invoice)?, key: key.clone() })
    };
    rows(&environment.database, columns, from)?.iter().map(read).collect()
}

fn uuid(text: &str) -> anyhow::Result<Uuid> {
    text.parse().with_context(|| format!("not an id: {text}"))
}

/// Checks that every acknowledged message is stored once: a mail, which names a reminder by its reply
/// address, as a message of the account; a text message as an incoming message.
fn answered_once(environment: &Environment, customer_messages: &CustomerMessages) -> anyhow::Result<Check> {
    let database = &environment.database;
    let from = "messages WHERE direction = 'in' AND internet_id IS NOT NULL";
    let mails: Vec<[String; 1]> = rows(database, ["internet_id"], from)?;
    let texts: Vec<[String; 1]> = rows(database, ["key"], "inbound_messages WHERE channel = 'sms'")?;
    let sent = customer_messages.sent();
    let broken = sent.iter().filter_map(|one| {
        let (stored, key) =
            if one.is_mail { (&mails, one.id.clone()) } else { (&texts, format!("sms:{}", one.id)) };
        let times = stored.iter().filter(|[id]| *id == key).count();
        let holds = times == 1 || (times == 0 && !one.acknowledged);
        (!holds).then(|| format!("{}: {times} times, acknowledged: {}", one.id, one.acknowledged))
    });
    Ok(Check::new("every acknowledged message is there once", sent.len(), broken.collect()))
}

/// Checks of messages in the database.
const OF_MESSAGES: [(&str, &str, &str); 4] = [
    ("everything that came in was worked on", "inbound_messages", NOT_WORKED_ON),
    ("what came in and was handled is a message, and one alone", "inbound_messages", NOT_A_MESSAGE),
    ("no message raised two escalations", "escalations", RAISED_TWICE),
    ("a reminder that is queued has its job", "messages", WAITING),
];

const NOT_WORKED_ON: &str = "SELECT id AS one FROM inbound_messages WHERE state = 'stored'";

const NOT_A_MESSAGE: &str = "SELECT i.id AS one FROM inbound_messages i LEFT JOIN messages m \
    ON m.account_id = i.account_id AND m.id = i.message_id WHERE i.state = 'handled' AND m.id IS NULL \
    UNION ALL SELECT id AS one FROM messages WHERE direction = 'in' GROUP BY id HAVING count(*) > 1";

const RAISED_TWICE: &str = "SELECT customer_statement AS one FROM escalations \
    WHERE customer_statement LIKE '%(c1%' GROUP BY customer_statement HAVING count(*) > 1";

const WAITING: &str = "SELECT m.account_id AS one FROM messages m WHERE m.purpose = 'reminder' \
    AND m.state = 'queued' GROUP BY m.account_id HAVING count(*) > (SELECT count(*) FROM jobs j \
    WHERE j.account_id = m.account_id AND j.kind = 'reminder' AND j.state = 'waiting')";
