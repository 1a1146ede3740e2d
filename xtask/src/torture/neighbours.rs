//! Scenario `neighbours`: Redis, the mail server and the receivers go away and come back. No request fails
//! and nothing is lost.

use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use testkit::redis;

use super::environment::{Environment, Shared};
use super::inspect::{inspect, nothing_failed};
use super::load::Load;
use super::options::Scenario;
use super::report::{Check, Row};
use super::smtp::MailServer;
use crate::fixtures::service_process::free_address;

const CLIENTS: u64 = 6;
const PLAY: Scenario = Scenario::Neighbours;
const AWAY: Duration = Duration::from_secs(3);
/// Mail that could not be delivered is tried again after a minute.
const MAILED_WITHIN: Duration = Duration::from_secs(100);

/// Plays it.
pub(super) async fn run_scenario(environment: &Shared, progress: &ProgressBar) -> anyhow::Result<Vec<Row>> {
    let redis = redis::server();
    let mail = MailServer::start().await?;
    let address = free_address()?;
    let mut command = environment.command();
    command.env("COUNTINGHOUSE_SMTP_URL", mail.url());
    if let Some(redis) = &redis {
        command.env("COUNTINGHOUSE_REDIS_URL", redis.url());
    }
    let service = environment.start(command, address).await?;
    let load = Load::begin(environment, &[address], CLIENTS);
    tokio::time::sleep(environment.span.min(AWAY)).await;
    let scene = Scene { environment, load: &load, progress };
    let mut rows = Vec::new();
    match redis {
        Some(redis) => rows.extend(scene.redis(redis).await?),
        None => rows.push(scene.left_out()),
    }
    rows.push(scene.mail(&mail).await?);
    rows.extend(scene.receivers().await?);
    let ledger = load.end().await;
    progress.set_message(format!("{}: neighbours, looking at everything", environment.kind.name()));
    let mut row = inspect(environment, PLAY, &ledger, &service).await?;
    row.checks.push(mailed(environment, &mail).await?);
    rows.push(row);
    service.stop()?;
    Ok(rows)
}

struct Scene<'a> {
    environment: &'a Shared,
    load: &'a Load,
    progress: &'a ProgressBar,
}

impl Scene<'_> {
    /// Does something, and looks at what clients noticed of it.
    async fn during(
        &self,
        what: &str,
        wrong: impl Future<Output = anyhow::Result<()>>,
    ) -> anyhow::Result<Row> {
        self.progress.set_message(format!("{}: neighbours, {what}", self.environment.kind.name()));
        let before = self.load.counts();
        wrong.await?;
        tokio::time::sleep(self.environment.span.min(AWAY)).await;
        let counts = self.load.counts().since(&before);
        // Nobody stops the service: also a kept connection that it closes under a request is a failure.
        let failures = counts.again().saturating_sub(counts.in_flight);
        Ok(Row {
            database: self.environment.kind,
            scenario: PLAY,
            what: what.to_owned(),
            requests: Some((counts.answered, counts.again())),
            figure: String::new(),
            checks: vec![nothing_failed(&self.load.ledger, failures)],
        })
    }

    fn left_out(&self) -> Row {
        Row {
            database: self.environment.kind,
            scenario: PLAY,
            what: "Redis: left out, there is no redis-server on PATH".to_owned(),
            requests: None,
            figure: String::new(),
            checks: Vec::new(),
        }
    }

    /// Both outages, and whether it is used again after each.
    async fn redis(&self, mut redis: redis::Server) -> anyhow::Result<Vec<Row>> {
        let gone = self.during("Redis is away for 3 s and comes back empty", async {
            // Its own process has to end and to start, which is waited for.
            tokio::task::block_in_place(|| redis.stop());
            tokio::time::sleep(AWAY).await;
            tokio::task::block_in_place(|| redis.start());
            Ok(())
        });
        let mut gone = gone.await?;
        gone.checks.push(used_again(&redis));
        let hangs = self.during("Redis hangs for 3 s", async {
            redis.hold();
            tokio::time::sleep(AWAY).await;
            redis.let_go();
            // What it held before says nothing.
            let _emptied = redis.ask(&["FLUSHALL"]);
            Ok(())
        });
        let mut hangs = hangs.await?;
        hangs.checks.push(used_again(&redis));
        // And it goes for good: each process counts for itself from here on.
        tokio::task::block_in_place(|| redis.stop());
        Ok(vec![gone, hangs])
    }

    async fn mail(&self, mail: &MailServer) -> anyhow::Result<Row> {
        let away = async {
            mail.stop_listening();
            tokio::time::sleep(AWAY).await;
            mail.restart().await
        };
        self.during("the mail server is away for 3 s", away).await
    }

    async fn receivers(&self) -> anyhow::Result<Vec<Row>> {
        let receiver = &self.environment.receiver;
        let away = async {
            receiver.stop_listening();
            tokio::time::sleep(AWAY).await;
            receiver.restart().await
        };
        let failing = async {
            receiver.set_failing(true);
            tokio::time::sleep(AWAY).await;
            receiver.set_failing(false);
            Ok(())
        };
        Ok(vec![
            self.during("the receivers are away for 3 s", away).await?,
            self.during("the receivers answer 500 for 3 s", failing).await?,
        ])
    }
}

/// It holds quotas: it came back empty, and they go a minute after the last request.
fn used_again(redis: &redis::Server) -> Check {
    let size = redis.ask(&["DBSIZE"]);
    Check::that("Redis is used again", holds_some(&size), format!("it answers {size:?}"))
}

/// Whether the answer is the number of keys, and there are some: an error or silence is none.
fn holds_some(answer: &str) -> bool {
    let number = answer.lines().next().and_then(|line| line.strip_prefix(':'));
    number.and_then(|number| number.trim().parse::<u64>().ok()).is_some_and(|number| number > 0)
}

/// Every mail is on its way or was taken by the mail server, and none was given up.
async fn mailed(environment: &Environment, mail: &MailServer) -> anyhow::Result<Check> {
    let reader = environment.reader();
    let begun = Instant::now();
    while reader.count("jobs WHERE state = 'waiting'")? > 0 && begun.elapsed() < MAILED_WITHIN {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    let sent = reader.count("jobs WHERE state = 'done'")?;
    let waiting = reader.count("jobs WHERE state = 'waiting'")?;
    let given_up = reader.count("jobs WHERE state = 'given_up'")?;
    let asked_for = reader.count("invoices WHERE send_count > 0")?;
    let taken = mail.taken();
    let holds = given_up == 0 && waiting == 0 && taken >= sent && sent >= asked_for;
    let seen = format!(
        "{asked_for} invoices to be mailed: {sent} sent, {taken} taken, {waiting} waiting, {given_up} given up"
    );
    let mut check = Check::that("every mail was taken by the mail server", holds, seen);
    check.of = sent;
    Ok(check)
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
