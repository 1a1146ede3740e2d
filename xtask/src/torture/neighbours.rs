//! Scenario `neighbours`: Redis, the mail server and the receivers become unreachable and come back. No
//! request fails and nothing is lost.

use std::sync::atomic::Ordering;
use std::time::Duration;

use communications::INVOICE_CANCELLED;
use testkit::redis;

use super::environment::{Environment, Shared};
use super::inspect::{inspect, none_left, nothing_failed};
use super::load::Load;
use super::report::{Check, Row};
use super::stored_records::count;
use crate::fixtures::loopback_server::LoopbackServer;
use crate::fixtures::mail_server::MailServer;
use crate::fixtures::service_process::free_address;

const CLIENTS: u64 = 6;
const AWAY: Duration = Duration::from_secs(3);
/// The time limit for mail: an attempt that failed is repeated after a minute.
const MAILED_WITHIN: Duration = Duration::from_secs(100);

pub(super) async fn run_scenario(environment: &Shared) -> anyhow::Result<Vec<Row>> {
    let redis = redis::server();
    let mail = MailServer::start().await?;
    let address = free_address()?;
    let mut command = environment.command();
    command.env("COUNTINGHOUSE_SMTP_URL", mail.url());
    if let Some(redis) = &redis {
        command.env("COUNTINGHOUSE_REDIS_URL", redis.url());
    }
    let service = environment.database.serve(command, address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span.min(AWAY)).await;
    let mut rows = match redis {
        Some(redis) => redis_outages(environment, &load, redis).await?,
        None => {
            let what = "Redis: left out, there is no redis-server on PATH";
            vec![environment.row(what, None, String::new(), Vec::new())]
        }
    };
    rows.push(during(environment, &load, "the mail server is away for 3 s", away(&mail.server)).await?);
    let receiver = &environment.receiver;
    rows.push(during(environment, &load, "the receivers are away for 3 s", away(&receiver.server)).await?);
    let failing = async {
        receiver.set_failing(true);
        tokio::time::sleep(AWAY).await;
        receiver.set_failing(false);
        Ok(())
    };
    rows.push(during(environment, &load, "the receivers answer 500 for 3 s", failing).await?);
    let response_log = load.end().await;
    let mut row = inspect(environment, &response_log, &service).await?;
    row.checks.push(mailed(environment, &mail).await?);
    rows.push(row);
    service.stop()?;
    Ok(rows)
}

/// Waits for a fault, and counts the failures that clients noticed.
async fn during(
    environment: &Environment,
    load: &Load,
    what: &str,
    fault: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<Row> {
    environment.say(what);
    let before = load.counts();
    fault.await?;
    tokio::time::sleep(environment.span.min(AWAY)).await;
    let counts = load.counts().since(&before);
    // The service is not stopped, so closing a kept connection during a request is also a failure.
    let check = nothing_failed(&load.response_log, counts.retries() - counts.in_flight);
    Ok(environment.row(what, Some(&counts), String::new(), vec![check]))
}

async fn away(server: &LoopbackServer) -> anyhow::Result<()> {
    server.stop_listening();
    tokio::time::sleep(AWAY).await;
    server.restart().await
}

/// Both outages of Redis, and the check that Redis is used again after each.
async fn redis_outages(
    environment: &Environment,
    load: &Load,
    mut redis: redis::Server,
) -> anyhow::Result<Vec<Row>> {
    let gone = during(environment, load, "Redis is away for 3 s and comes back empty", async {
        // Waits for the Redis process to end and to start.
        tokio::task::block_in_place(|| redis.stop());
        tokio::time::sleep(AWAY).await;
        tokio::task::block_in_place(|| redis.start());
        Ok(())
    });
    let mut gone = gone.await?;
    gone.checks.push(used_again(&redis));
    let hangs = during(environment, load, "Redis hangs for 3 s", async {
        redis.hold();
        tokio::time::sleep(AWAY).await;
        redis.resume();
        // Its earlier content must not count.
        let _emptied = redis.ask(&["FLUSHALL"]);
        Ok(())
    });
    let mut hangs = hangs.await?;
    hangs.checks.push(used_again(&redis));
    // Redis stops for good: each process counts for itself from here on.
    tokio::task::block_in_place(|| redis.stop());
    Ok(vec![gone, hangs])
}

/// Checks that Redis contains quotas: it came back empty, and quotas expire a minute after the last request.
fn used_again(redis: &redis::Server) -> Check {
    let size = redis.ask(&["DBSIZE"]);
    Check::that("Redis is used again", holds_some(&size), format!("it answers {size:?}"))
}

/// Whether the reply is a positive number of keys, rather than an error or no reply.
fn holds_some(response: &str) -> bool {
    let number = response.lines().next().and_then(|line| line.strip_prefix(':'));
    number.and_then(|number| number.trim().parse::<u64>().ok()).is_some_and(|number| number > 0)
}

/// Checks that every mail was accepted by the mail server, except those of invoices that were cancelled while
/// their mail waited: these are dropped.
async fn mailed(environment: &Environment, mail: &MailServer) -> anyhow::Result<Check> {
    let database = &environment.database;
    let waiting = none_left(environment, "jobs WHERE state = 'waiting'", MAILED_WITHIN).await?;
    let sent = count(database, "jobs WHERE state = 'done'")?;
    let dropped = format!(
        "jobs.state = 'given_up' AND jobs.last_error = '{INVOICE_CANCELLED}' AND EXISTS (SELECT 1 FROM invoices \
         WHERE invoices.account_id = jobs.account_id AND invoices.id = jobs.resource_id AND status = 'CANCELLED')"
    );
    let dropped_mails = count(database, &format!("jobs WHERE {dropped}"))?;
    let given_up = count(database, "jobs WHERE state = 'given_up'")?.saturating_sub(dropped_mails);
    let asked_for = count(database, "invoices WHERE send_count > 0")?;
    // Escalations queue mails too, so the number of jobs says nothing about invoices.
    let unsent = count(
        database,
        &format!(
            "invoices WHERE send_count > 0 AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = \
             invoices.account_id AND jobs.resource_id = invoices.id AND jobs.kind = 'mail' \
             AND (jobs.state = 'done' OR {dropped}))"
        ),
    )?;
    let taken = mail.taken.load(Ordering::Relaxed);
    let holds = given_up == 0 && waiting == 0 && taken >= sent && unsent == 0;
    let seen = format!(
        "{asked_for} invoices to be mailed, {unsent} of them neither sent nor cancelled before; of all mails {sent} \
         sent, {taken} taken, {waiting} waiting, {dropped_mails} dropped, {given_up} given up"
    );
    let check = Check::that("every mail was taken by the mail server", holds, seen);
    Ok(Check { of: sent, ..check })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redis_is_used_when_it_says_how_many_keys_it_holds() {
        assert!(holds_some(":3\r\n+OK\r\n"));
        assert!(!holds_some(":0\r\n+OK\r\n"));
        assert!(!holds_some("-LOADING Redis is loading\r\n") && !holds_some(""));
    }
}
