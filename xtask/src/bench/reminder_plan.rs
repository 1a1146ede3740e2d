//! Planning reminders: the decisions of a round of the worker about very many open invoices.

use std::sync::Arc;
use std::time::Instant;

use communications::ReminderService;
use kernel::clock::date_text;
use testkit::FixedClock;
use time::macros::time;
use time::{Date, Duration};

use super::environment::Environment;
use super::figure::{Figure, Goal, Spread};
use super::process::mebibytes;
use crate::fixtures::database::DatabaseKind;
use crate::fixtures::service_process::{forget_highest_memory, memory};
use crate::seed;

const ACCOUNTS: u32 = 1_000;
const CONTACTS: u32 = 20_000;
const INVOICES: u32 = 100_000;
/// The seed of the records; it is part of the names of the accounts.
const SEED: u32 = 23;
/// How many accounts are read in one query, as the worker does.
const ACCOUNTS_AT_ONCE: u32 = 1_000;
const SECONDS: f64 = 10.0;
/// The goal for the memory that planning takes, for any number of invoices, in MiB.
const MEMORY: f64 = 32.0;

/// Measures a round in which every invoice has a due step, and the next round, in which nothing is new. The
/// reminders of the last round stay queued, but their jobs are removed.
pub(super) async fn measure(environment: &Environment) -> anyhow::Result<Vec<Figure>> {
    let database = &environment.database;
    let now = (database.deps.clock.now() - Duration::DAY).replace_time(time!(2:00));
    fill(environment, now.date()).await?;
    let reminders =
        ReminderService { clock: Arc::new(FixedClock::at(now)), ..database.deps.reminder_service() };
    let (mut due, mut nothing_new, mut more_memory) = (Vec::new(), Vec::new(), 0.0_f64);
    // The tables are filled before statements are planned: for empty tables PostgreSQL would plan sequential
    // scans.
    environment.say("planning reminders once, to fill the tables");
    decide(&reminders).await?;
    environment.sql("ANALYZE;")?;
    for round in environment.options.rounds() {
        environment.say(&format!("planning reminders of {INVOICES} invoices, round {round}"));
        clear(environment)?;
        forget_highest_memory()?;
        let (before, _) = memory("self")?;
        let begun = Instant::now();
        let decided = decide(&reminders).await?;
        due.push(begun.elapsed().as_secs_f64());
        anyhow::ensure!(decided == usize::try_from(INVOICES)?, "{decided} steps were decided about");
        let begun = Instant::now();
        let decided = decide(&reminders).await?;
        nothing_new.push(begun.elapsed().as_secs_f64());
        anyhow::ensure!(decided == 0, "{decided} steps were decided about twice");
        more_memory = more_memory.max(memory("self")?.1 - before);
    }
    environment.sql("DELETE FROM reminder_policies; DELETE FROM jobs;")?;
    let figure = |name: &str, of| {
        let value = Spread::of(of).unwrap_or_default();
        let name = format!("planning reminders of {INVOICES} invoices, {name}");
        Figure { goal: Some(Goal::Below(SECONDS)), ..Figure::plain(database.kind, name, "s", value) }
    };
    let name = format!("memory more, planning reminders of {INVOICES} invoices");
    Ok(vec![
        figure("a step of each due", due),
        figure("nothing new", nothing_new),
        mebibytes(environment, &name, more_memory, Some(MEMORY)),
    ])
}

/// Decides about all accounts as the worker does. Returns the number of steps.
async fn decide(reminders: &ReminderService) -> anyhow::Result<usize> {
    let (mut decided, mut after) = (0_usize, None);
    loop {
        let accounts = reminders.reminder_reads.started_accounts(after, ACCOUNTS_AT_ONCE).await?;
        let Some(last) = accounts.last().copied() else {
            return Ok(decided);
        };
        for account in accounts {
            decided = decided.saturating_add(reminders.decide(account).await?.len());
        }
        after = Some(last);
    }
}

/// Deletes the decisions.
fn clear(environment: &Environment) -> anyhow::Result<()> {
    environment.sql(
        "DELETE FROM message_invoices; DELETE FROM reminder_steps; DELETE FROM messages; DELETE FROM jobs;",
    )
}

/// Seeds accounts that have started reminders, with invoices that are all due in three days.
async fn fill(environment: &Environment, today: Date) -> anyhow::Result<()> {
    environment.say("filling the database with open invoices");
    let options = seed::Options::of(ACCOUNTS, CONTACTS, INVOICES, SEED.into());
    seed::fill(&environment.database.deps, &options).await?;
    // Each address belongs to one account only: otherwise a contact's message would match a thousand
    // accounts.
    let (address, no) = match environment.database.kind {
        DatabaseKind::Postgres | DatabaseKind::Citus => ("id::text", "false"),
        DatabaseKind::Sqlite => ("lower(hex(id))", "0"),
    };
    let own = format!("SELECT id FROM accounts WHERE company_name LIKE 'Seeded company {SEED}-%'");
    let date = |days| {
        let day = date_text(today + Duration::days(days));
        match environment.database.kind {
            DatabaseKind::Postgres | DatabaseKind::Citus => format!("DATE '{day}'"),
            DatabaseKind::Sqlite => format!("'{day}'"),
        }
    };
    let (issued, due) = (date(-30), date(3));
    environment.sql(&format!(
        "UPDATE accounts SET communications_enabled = NOT {no}, time_zone = 'Australia/Sydney' WHERE id IN ({own}); \
         UPDATE contacts SET email = {address} || '@seed.example.com', email_key = {address} || '@seed.example.com' \
         WHERE account_id IN ({own}); \
         UPDATE invoices SET status = 'UNPAID', status_changes_on = NULL, invoice_date = {issued}, due_date = {due} \
         WHERE account_id IN ({own}); \
         INSERT INTO reminder_policies (account_id, started_at, started_on, steps, backlog, holidays) \
         SELECT id, created_at, {issued}, '-3:email,1:email,7:email,14:email', {no}, '' FROM accounts WHERE id IN ({own});"
    ))
}
