//! Compares the records of the gateway and of the service, charge by charge.

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use time::OffsetDateTime;

use super::super::api_checks::{check_api_listing, check_replays};
use super::super::client_actions::cents;
use super::super::environment::{Environment, Shared};
use super::super::expectations::{check_expectations, check_known_events};
use super::super::report::{Check, Row};
use super::super::response_log::ResponseLog;
use super::super::stored_records::{StoredRecords, check_queries, check_totals, count, rows};
use super::account::PaidAccount;
use super::gateway::{AHEAD, Gateway};
use crate::fixtures::client::Connection;
use crate::fixtures::service_process::Service;

const POLL: Duration = Duration::from_secs(1);
/// How often the clock is moved further ahead while something waits, and by how much: by more than the
/// longest wait of a task, and in total by less than the day that `doctor` compares.
const STEPS: u32 = 4;
const STEP: time::Duration = time::Duration::minutes(250);
const STEP_AFTER: Duration = Duration::from_secs(30);
/// The beginning of the reference of payments that clients recorded by hand.
const BY_HAND: &str = "p-";

/// A charge as `payment charges` prints it, in cents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shown {
    state: String,
    captured: i64,
    applied: i64,
    unapplied: i64,
    returned: i64,
    kept: i64,
    to_return: i64,
    reversed: i64,
}

/// A charge as the gateway has it, in cents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct AtGateway {
    state: String,
    captured: i64,
    /// The amount paid back by refunds and lost disputes.
    gone: i64,
}

/// Waits until the service knows every charge and has finished its work on them. Returns how long that took.
pub(super) async fn wait_for_settlement(
    environment: &Shared,
    gateway: &Gateway,
    listed: &[[String; 1]],
    within: Duration,
) -> anyhow::Result<Duration> {
    let database = &environment.database;
    let [charges, _, _] = gateway.records();
    let captured = charges.iter().filter(|one| text(one, "status") == "succeeded").count();
    let (begun, mut steps) = (Instant::now(), 0);
    loop {
        // The gateway's lists contain changes for which no event came, such as refunds made there.
        let is_over = listed_until(environment)? != listed
            && count(database, "charges WHERE state = 'succeeded'")? == captured
            && count(database, "charges WHERE state = 'pending'")? == 0
            && count(database, "jobs WHERE kind = 'gateway' AND state = 'waiting'")? == 0;
        if is_over || begun.elapsed() > within {
            return Ok(begun.elapsed());
        }
        // A task that has failed often waits for hours.
        if steps < STEPS && begun.elapsed() > STEP_AFTER.saturating_mul(steps + 1) {
            steps += 1;
            gateway.clock.go_ahead(AHEAD.saturating_add(STEP.saturating_mul(steps.try_into()?)))?;
        }
        tokio::time::sleep(POLL).await;
    }
}

/// The time up to which the charges of each connection were listed.
pub(super) fn listed_until(environment: &Environment) -> anyhow::Result<Vec<[String; 1]>> {
    rows(&environment.database, ["listed_until"], "gateway_accounts")
}

/// Makes all checks, with a running service that gets no other requests.
pub(super) async fn inspect(
    environment: &Environment,
    gateway: &Gateway,
    paid: &PaidAccount,
    response_log: &ResponseLog,
    service: &Service,
) -> anyhow::Result<Row> {
    environment.say("looking at everything");
    let database = &environment.database;
    let came = environment.receiver.received().events.keys().copied().collect();
    let mut stored = StoredRecords::read(database)?;
    let payments = stored.payments.len();
    // Online payments are compared with the gateway's records instead.
    stored.payments.retain(|(reference, _, _)| reference.starts_with(BY_HAND));
    let by_hand = stored.payments.len();
    let mut checks = check_expectations(&response_log.lock(), &stored, &environment.receiver.received());
    checks.push(check_known_events(&came, &stored));
    checks.extend(check_totals(database, OffsetDateTime::UNIX_EPOCH)?);
    checks.extend(check_queries(database, &OF_CHARGES)?);

    let (there, here) = (at_gateway(&gateway.records()), shown(environment, paid).await?);
    checks.extend(compare(&there, &here));
    let waiting = rows(database, ["attempts", "last_error"], WAITING_TASKS)?;
    let waiting = waiting.iter().map(|task| task.join(" attempts: ")).collect();
    checks.push(Check::new("no task waits", count(database, "jobs WHERE kind = 'gateway'")?, waiting));
    checks.extend(doctor(environment, paid).await?);
    let mut connection = Connection::open(service.address).await?;
    checks.push(check_api_listing(&mut connection, &environment.accounts, &stored).await?);
    checks.push(check_replays(&mut connection, response_log).await?);
    checks.push(Check::new("no thread of the service panicked", 1, environment.panics()?));
    let responses = response_log.lock();
    let sum = |part: fn(&Shown) -> i64| here.values().map(part).sum::<i64>() / 100;
    let figure = format!(
        "{} invoices, {} payments online and {by_hand} by hand, {} charges: {} captured, {} applied, {} \
         returned, {} kept, {} reversed (AUD)",
        responses.invoices.len(),
        payments.saturating_sub(by_hand),
        here.len(),
        sum(|one| one.captured),
        sum(|one| one.applied),
        sum(|one| one.returned),
        sum(|one| one.kept),
        sum(|one| one.reversed),
    );
    Ok(environment.row("what is there when all is over", None, figure, checks))
}

/// The checks of each charge.
fn compare(there: &BTreeMap<String, AtGateway>, here: &BTreeMap<String, Shown>) -> Vec<Check> {
    let all = |what: &str, broken: &dyn Fn(&str, &AtGateway, &Shown) -> bool| {
        let nothing = Shown::default();
        let broken = there.iter().filter_map(|(id, is)| {
            let shown = here.get(id).unwrap_or(&nothing);
            broken(id, is, shown).then(|| format!("charge {id}: the gateway has {is:?}, here is {shown:?}"))
        });
        Check::new(what, there.len(), broken.collect())
    };
    let ids: BTreeSet<&String> = there.keys().collect();
    let made_up = here.keys().filter(|id| !ids.contains(id));
    let made_up = made_up.map(|id| format!("charge {id} is not the gateway's")).collect();
    vec![
        all(
            "what the gateway captured is what the service has, and no charge is forgotten",
            &|_, is, shown| shown.captured != is.captured || shown.state != is.state,
        ),
        Check::new("the service has no charge that the gateway has not", here.len(), made_up),
        all("every part of a charge is accounted for", &|_, _, shown| !shown.is_conserved()),
        all("nothing is left to return", &|_, _, shown| shown.to_return != 0),
        all("what went back is what the gateway sent back", &|_, is, shown| {
            shown.returned + shown.reversed != is.gone.min(is.captured)
        }),
    ]
}

impl Shown {
    const fn is_conserved(&self) -> bool {
        self.applied + self.unapplied == self.captured
            && self.returned + self.kept + self.to_return == self.unapplied
            && self.reversed <= self.applied
    }

    fn read(charge: &Value) -> Option<Self> {
        let amount = |field: &str| charge.get(field).and_then(cents);
        Some(Self {
            state: text(charge, "state").to_owned(),
            captured: amount("captured")?,
            applied: amount("applied")?,
            unapplied: amount("unapplied")?,
            returned: amount("returned")?,
            kept: amount("kept")?,
            to_return: amount("to_return")?,
            reversed: amount("reversed")?,
        })
    }
}

fn at_gateway([charges, refunds, disputes]: &[Vec<Value>; 3]) -> BTreeMap<String, AtGateway> {
    let number = |of: &Value, field: &str| of.get(field).and_then(Value::as_i64).unwrap_or_default();
    let mut all = BTreeMap::new();
    for charge in charges {
        let state = text(charge, "status").to_owned();
        let captured = if state == "succeeded" { number(charge, "amount_captured") } else { 0 };
        all.insert(text(charge, "id").to_owned(), AtGateway { state, captured, gone: 0 });
    }
    let refunded = refunds.iter().filter(|one| text(one, "status") == "succeeded");
    let lost = disputes.iter().filter(|one| text(one, "status") == "lost");
    for back in refunded.chain(lost) {
        if let Some(charge) = all.get_mut(text(back, "charge")) {
            charge.gone += number(back, "amount");
        }
    }
    all
}

fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The charges as the operator's command lists them.
async fn shown(environment: &Environment, paid: &PaidAccount) -> anyhow::Result<BTreeMap<String, Shown>> {
    let account = paid.account.id.to_string();
    let words = ["payment", "charges", "--account", &account, "--json"];
    let list = printed(command(environment, paid), &words).await?;
    let list = list.as_array().context("no list of charges")?;
    let read = |charge: &Value| {
        let shown = Shown::read(charge).with_context(|| format!("a charge in the list: {charge}"))?;
        Ok((text(charge, "charge_id").to_owned(), shown))
    };
    list.iter().map(read).collect()
}

/// The results of `doctor` about money.
async fn doctor(environment: &Environment, paid: &PaidAccount) -> anyhow::Result<Vec<Check>> {
    let found = printed(command(environment, paid), &["doctor", "--json"]).await?;
    let found = found.as_array().context("no findings")?;
    let check = |name: &str| {
        let finding = found.iter().find(|one| text(one, "check") == name);
        let is_well = finding.and_then(|one| one.get("ok")).and_then(Value::as_bool) == Some(true);
        Check::that(format!("doctor finds {name} in order"), is_well, format!("{finding:?}"))
    };
    Ok(["payments_conservation", "gateway_keys", "gateway_charges"].map(check).into())
}

fn command(environment: &Environment, paid: &PaidAccount) -> Command {
    paid.command_at(environment, &environment.database.folder.path().join("now"))
}

/// The JSON that a command prints. It must not block this process, in which the gateway responds to the
/// command. The exit status is ignored, because the JSON also reports faults.
async fn printed(mut command: Command, words: &[&str]) -> anyhow::Result<Value> {
    command.args(words).stdin(Stdio::null());
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).with_context(|| format!("{}: {errors}", words.join(" ")))
}

const WAITING_TASKS: &str = "jobs WHERE kind = 'gateway' AND state <> 'done'";

/// Checks of charges in the database: a name, the table, and a query for the rows that break the rule.
const OF_CHARGES: [(&str, &str, &str); 4] = [
    ("every applied part is one payment of that amount on that invoice", "charges", APPLIED),
    ("every payment made online is of one charge", "payments", ONLINE),
    ("no invoice is paid above its total", "invoices", OVERPAID),
    ("no reference is recorded twice", "payments", TWICE),
];

const APPLIED: &str = "SELECT c.gateway_id AS one FROM charges c LEFT JOIN payments p \
    ON p.account_id = c.account_id AND p.id = c.payment_id WHERE (c.applied > 0) <> (p.id IS NOT NULL) \
    OR p.amount <> c.applied OR p.invoice_id <> c.invoice_id OR p.reference <> c.gateway_id";

const ONLINE: &str = "SELECT p.reference AS one FROM payments p LEFT JOIN charges c \
    ON c.account_id = p.account_id AND c.payment_id = p.id WHERE (p.reference LIKE 'p-%') = (c.id IS NOT NULL)";

const OVERPAID: &str = "SELECT id AS one FROM invoices WHERE amount_paid > total";

const TWICE: &str =
    "SELECT reference AS one FROM payments GROUP BY account_id, reference HAVING count(*) > 1";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A charge of 100 of which 60 were due; 40 were returned and 10 lost in a dispute, in both records.
    fn whole() -> (BTreeMap<String, AtGateway>, BTreeMap<String, Shown>) {
        let records = [
            vec![json!({"id": "ch_1", "status": "succeeded", "amount_captured": 100})],
            vec![
                json!({"charge": "ch_1", "status": "succeeded", "amount": 40}),
                json!({"charge": "ch_1", "status": "failed", "amount": 40}),
            ],
            vec![
                json!({"charge": "ch_1", "status": "lost", "amount": 10}),
                json!({"charge": "ch_1", "status": "won", "amount": 90}),
            ],
        ];
        let text = r#"{"charge_id": "ch_1", "state": "succeeded", "captured": 1.00, "applied": 0.60,
            "unapplied": 0.40, "returned": 0.40, "kept": 0.00, "to_return": 0.00, "reversed": 0.10}"#;
        let shown = Shown::read(&serde_json::from_str(text).unwrap()).unwrap();
        (at_gateway(&records), BTreeMap::from([("ch_1".to_owned(), shown)]))
    }

    fn broken(change: impl FnOnce(&mut BTreeMap<String, AtGateway>, &mut BTreeMap<String, Shown>)) -> usize {
        let (mut there, mut here) = whole();
        change(&mut there, &mut here);
        compare(&there, &here).iter().map(|check| check.broken.len()).sum()
    }

    #[test]
    fn a_charge_that_is_accounted_for_here_and_there_holds() {
        assert_eq!(broken(|_, _| {}), 0);
    }

    #[test]
    fn charge_that_differs_is_reported() {
        assert_eq!(broken(|_, here| drop(here.remove("ch_1"))), 2, "forgotten, and nothing went back");
        assert_eq!(broken(|there, _| drop(there.remove("ch_1"))), 1, "made up");
        let changed = |change: fn(&mut Shown)| broken(|_, here| change(here.get_mut("ch_1").unwrap()));
        assert_eq!(changed(|one| one.captured = 90), 2, "another amount, and not accounted for");
        assert_eq!(changed(|one| one.state = "pending".to_owned()), 1);
        assert_eq!(changed(|one| one.applied = 61), 1);
        assert_eq!(changed(|one| one.reversed = 61), 2);
        assert_eq!(changed(|one| (one.returned, one.to_return) = (0, 40)), 2);
        assert_eq!(changed(|one| (one.returned, one.kept) = (0, 40)), 1, "it went back there");
        assert_eq!(broken(|there, _| there.get_mut("ch_1").unwrap().gone = 51), 1);
    }
}
