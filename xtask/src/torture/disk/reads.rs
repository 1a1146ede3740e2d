//! One client that reads an invoice repeatedly, and records every response.

use std::time::{Duration, Instant};

use anyhow::Context;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fixtures::client::{Connection, get};
use crate::fixtures::load::LoadResult;
use crate::torture::environment::Environment;
use crate::torture::report::Check;
use crate::torture::response_log::ResponseLog;

const PAUSE: Duration = Duration::from_millis(5);
/// A read that takes longer waited for the disk: the faults last 2 to 15 seconds, and without them the
/// longest reads take some 40 ms.
const GOES_ON: Duration = Duration::from_secs(1);
/// Longer than the service may take for one request.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(40);

/// A client at work.
pub(super) struct Reads {
    stop: watch::Sender<bool>,
    task: JoinHandle<Seen>,
}

/// The results of the reads.
#[derive(Debug, Default)]
pub(super) struct Seen {
    micros: Vec<u32>,
    slow: Vec<String>,
    failed: Vec<String>,
}

impl Reads {
    /// Begins to read an acknowledged invoice.
    pub(super) fn begin(environment: &Environment, response_log: &ResponseLog) -> anyhow::Result<Self> {
        let (request, target) = {
            let responses = response_log.lock();
            let (id, created) = responses.invoices.iter().next().context("no invoice was made")?;
            let account = environment.accounts.iter().find(|account| account.id.uuid() == created.account);
            let key = &account.context("no such account")?.key;
            (get(&format!("/invoices/{id}"), key), responses.target.context("nothing was answered")?)
        };
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(async move {
            let mut seen = Seen::default();
            let mut kept: Option<Connection> = None;
            while !*stopped.borrow() {
                let begun = Instant::now();
                let read = tokio::time::timeout(RESPONSE_TIMEOUT, async {
                    let mut connection = match kept.take() {
                        Some(connection) => connection,
                        None => Connection::open(target).await?,
                    };
                    connection.expect(&request, 200).await?;
                    anyhow::Ok(connection)
                });
                match read.await {
                    Ok(Ok(connection)) => {
                        kept = Some(connection);
                        let took = begun.elapsed();
                        seen.micros.push(u32::try_from(took.as_micros()).unwrap_or(u32::MAX));
                        if took > GOES_ON {
                            seen.slow.push(format!("took {took:?}"));
                        }
                    }
                    Ok(Err(error)) => seen.failed.push(format!("{error:#}")),
                    Err(elapsed) => seen.failed.push(elapsed.to_string()),
                }
                tokio::time::sleep(PAUSE).await;
            }
            seen
        });
        Ok(Self { stop, task })
    }

    /// Waits for the last response.
    pub(super) async fn end(self) -> anyhow::Result<Seen> {
        self.stop.send_replace(true);
        Ok(self.task.await?)
    }
}

impl Seen {
    pub(super) fn figure(&self) -> String {
        let (read, failed) = (self.micros.len(), self.failed.len());
        let load = LoadResult::new(self.micros.clone(), Duration::ZERO);
        let (p99, most) = (load.percentile(99), load.percentile(100));
        format!("{read} of {} reads answered, p99 {p99:.0} ms, at most {most:.0} ms", read + failed)
    }

    /// Checks that every read succeeded within a second, whatever happened to writes.
    pub(super) fn check(&self) -> Check {
        let of = self.micros.len() + self.failed.len();
        Check::new("reads go on", of, [self.failed.as_slice(), &self.slow].concat())
    }
}
