//! The load: clients that each carry out random actions one after the other, until they are stopped.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::caller::Caller;
use super::environment::{Account, Shared};
use super::response::Response;
use super::response_log::{Counts, ResponseLog};
use crate::seed::random::SeededGenerator;

/// The pause between two actions of a client.
const PAUSE: Duration = Duration::from_millis(4);

/// How many of its invoices a client remembers.
const REMEMBERED: usize = 40;

/// Clients at work.
pub(super) struct Load {
    pub(super) response_log: Arc<ResponseLog>,
    stop: watch::Sender<bool>,
    workers: JoinSet<()>,
}

/// One client.
pub(super) struct Worker {
    pub(super) name: String,
    pub(super) environment: Shared,
    pub(super) response_log: Arc<ResponseLog>,
    pub(super) caller: Caller,
    pub(super) generator: SeededGenerator,
    /// The number of its actions, which makes names unique.
    pub(super) done: u32,
    /// The latest of its acknowledged invoices, each with its account and total in cents.
    pub(super) invoices: Vec<(Account, Uuid, i64)>,
    /// Acknowledged escalations of its own that are open, with their statements.
    pub(super) open: Vec<(Account, Uuid, String)>,
}

impl Load {
    /// Begins with this number of clients of these services.
    pub(super) fn begin(environment: &Shared, targets: &[SocketAddr], clients: u64) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (response_log, mut workers) = (Arc::new(ResponseLog::default()), JoinSet::new());
        let targets: Arc<[SocketAddr]> = targets.into();
        for n in 0..clients {
            let worker = Worker::new(environment, &response_log, &targets, n);
            workers.spawn(worker.work(stopped.clone()));
        }
        Self { response_log, stop, workers }
    }

    /// The counts so far.
    pub(super) fn counts(&self) -> Counts {
        self.response_log.lock().counts
    }

    /// Waits until each client has finished its action.
    pub(super) async fn end(mut self) -> Arc<ResponseLog> {
        self.stop.send_replace(true);
        while let Some(ended) = self.workers.join_next().await {
            if let Err(panicked) = ended {
                let wrong = format!("a client broke off: {panicked}");
                self.response_log.lock().wrong.push(wrong);
            }
        }
        self.response_log
    }
}

impl Worker {
    /// The client with this number.
    pub(super) fn new(
        environment: &Shared,
        response_log: &Arc<ResponseLog>,
        targets: &Arc<[SocketAddr]>,
        n: u64,
    ) -> Self {
        let generator = SeededGenerator::new(environment.seed, 1, n);
        Self {
            name: format!("{}-{n}", environment.seed),
            environment: environment.clone(),
            response_log: response_log.clone(),
            caller: Caller::new(targets.clone(), n, generator, response_log.clone()),
            generator: environment.generator(n),
            done: 0,
            invoices: Vec::new(),
            open: Vec::new(),
        }
    }

    async fn work(mut self, stopped: watch::Receiver<bool>) {
        while !*stopped.borrow() {
            self.done += 1;
            let _done: Option<()> = match self.generator.below(100) {
                0..30 => self.create_invoice().await,
                30..40 => self.create_contact().await,
                40..60 => self.pay().await,
                60..67 => self.escalate().await,
                67..73 => self.resolve().await,
                73..82 => self.amend().await,
                82..85 => self.cancel().await,
                85..95 => self.read_invoice().await,
                _ => self.list().await,
            };
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A name that is unique in this run.
    pub(super) fn fresh(&self, kind: &str) -> String {
        format!("{kind}-{}-{}", self.name, self.done)
    }

    pub(super) fn some_account(&self) -> Option<Account> {
        self.generator.pick(&self.environment.accounts).cloned()
    }

    /// A random one of its own invoices.
    pub(super) fn some_invoice(&self) -> Option<(Account, Uuid, i64)> {
        self.generator.pick(&self.invoices).cloned()
    }

    pub(super) fn remember_invoice(&mut self, account: Account, id: Uuid, cents: i64) {
        if self.invoices.len() >= REMEMBERED {
            self.invoices.remove(0);
        }
        self.invoices.push((account, id, cents));
    }

    /// Records an unexpected response.
    pub(super) fn wrong(&self, what: &str, response: &Response) {
        let body = String::from_utf8_lossy(&response.body);
        let wrong = format!("{what}: unexpected answer {} {body}", response.status);
        self.response_log.lock().wrong.push(wrong);
    }
}

/// A random duration up to this number of milliseconds.
pub(super) fn up_to(generator: &SeededGenerator, milliseconds: u64) -> Duration {
    Duration::from_millis(generator.below(milliseconds))
}
