//! The workers of a process: they run jobs of the outbox as soon as these are due, and periodic work at
//! intervals.
//!
//! A failed round is logged and tried again. Several processes may do all of this on one database at once.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use communications::{ReminderService, UnreadService};
use gateway_sandbox::Sandbox;
use kernel::{Clock, OneFailed, PublicUrls, StoreResult, SystemClock, error_chain};
use outbox::{JobKind, Monitor as _};
use partner_accounts::LogoCleanup;
use payments::OnlinePayments;
use sessions::{Logins, Session};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior};
use webhooks::DeliveryWorker;

use crate::batches::{BatchPace, Batches};
use crate::metrics::rounds::{Rounds, WorkerHealth};
use crate::metrics::{PrometheusMetrics, inbound, queues};
use crate::settings::KeptMessages;
use crate::wiring::Dependencies;

/// How long stored responses are kept: at least 24 hours by the contract.
const RESPONSES_ARE_KEPT: time::Duration = time::Duration::hours(25);
const _: () = assert!(RESPONSES_ARE_KEPT.whole_hours() >= 24);

/// How long deliveries are kept with their attempts after they have ended (contract, "Limits").
const DELIVERIES_ARE_KEPT: time::Duration = time::Duration::days(30);

/// How many accounts one statement reads.
const ACCOUNTS_AT_ONCE: u32 = 1_000;

/// How long background jobs are kept after they have ended.
const JOBS_ARE_KEPT: time::Duration = time::Duration::days(30);

/// How often the last uses of keys are stored, at the least.
const KEY_USES_INTERVAL: Duration = Duration::from_secs(60);

/// The gateways' charges are listed in every n-th round of the worker.
const ROUNDS_BETWEEN_LISTS: u32 = 60;

/// How often the queues are counted.
const COUNT_INTERVAL: Duration = Duration::from_secs(5);

/// How often durations of requests are moved into their histograms. Until then each takes about 30 bytes.
const METRICS_INTERVAL: Duration = Duration::from_secs(1);

/// The longest time from a failed round of periodic work to the next one.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// Becomes true when workers must stop.
pub type Stop = watch::Receiver<bool>;

/// Starts every worker; when `stop` is set, each finishes what it has begun and ends.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn start(
    deps: &Dependencies,
    urls: &PublicUrls,
    logins: Logins,
    metrics: PrometheusMetrics,
    health: WorkerHealth,
    stop: &Stop,
) -> anyhow::Result<JoinSet<()>> {
    let mut workers = Workers {
        tasks: JoinSet::new(),
        queues: Vec::new(),
        clock: deps.clock.clone(),
        health,
        stop: stop.clone(),
    };
    let keys = &logins.keys;
    let gateways = deps.gateways(urls, keys.clone())?;
    let settings = &deps.settings;
    let delay = settings.bank_details_delay()?;
    let payments = deps.online_payments_through(urls, keys.clone(), &gateways, delay);
    let deliveries = deps.start_job_workers(&mut workers, urls, keys, payments.clone())?;
    workers.watch_payments(settings.worker_interval, payments, gateways.sandbox);
    workers.decide_reminders(settings.worker_interval, deps.reminder_service());
    workers.mail_about_unread(settings.worker_interval, deps.unread(), pace(deps));
    workers.every(settings.worker_interval, "reset-requests", move || {
        let logins = logins.clone();
        async move {
            let carried_out = logins.carry_out_left_over_requests().await?;
            log_count(
                u64::try_from(carried_out).unwrap_or(u64::MAX),
                "carried out requests for a new password",
            );
            Ok(())
        }
    });
    workers.clean_up(deps, settings.worker_interval, settings.kept_messages()?);
    workers.every(METRICS_INTERVAL, "metrics", move || {
        metrics.upkeep();
        ready(Ok(()))
    });
    workers.start_periodic(deps, settings.worker_interval, deliveries);
    Ok(workers.tasks)
}

/// The workers of a process.
pub(crate) struct Workers {
    tasks: JoinSet<()>,
    /// The queues of the jobs; their metrics are shown also when they are empty.
    queues: Vec<&'static str>,
    clock: Arc<dyn Clock>,
    health: WorkerHealth,
    stop: Stop,
}

impl Workers {
    /// Starts the worker of one kind of job.
    pub(crate) fn job<J: JobKind>(&mut self, job: J) {
        self.queues.push(J::NAME);
        let rounds = Rounds::new(J::NAME, self.clock.clone(), self.health.clone());
        let mut stop = self.stop.clone();
        let stopped = async move {
            // A dropped sender means stop, too.
            let _ = stop.wait_for(|stopped| *stopped).await;
        };
        self.tasks.spawn(outbox::run(Arc::new(job), Arc::new(rounds), stopped));
    }

    /// Shows the metrics of a queue that has no worker: its jobs wait until the process is set up for them.
    pub(crate) fn show_queue(&mut self, queue: &'static str) {
        self.queues.push(queue);
    }

    /// Starts a worker that runs `round` at every interval.
    fn every<F>(
        &mut self,
        interval: Duration,
        name: &'static str,
        mut round: impl FnMut() -> F + Send + 'static,
    ) where
        F: Future<Output = StoreResult<()>> + Send + 'static,
    {
        let rounds = Rounds::new(name, self.clock.clone(), self.health.clone());
        let mut stop = self.stop.clone();
        self.tasks.spawn(async move {
            let mut ticks = tokio::time::interval(interval);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                let planned = tokio::select! {
                    _ = stop.wait_for(|stopped| *stopped) => return,
                    planned = ticks.tick() => planned,
                };
                rounds.began(Instant::now().saturating_duration_since(planned));
                let ended = round().await;
                rounds.ended(ended.as_ref().copied());
                if let Err(error) = ended {
                    tracing::warn!(worker = name, error = error_chain(&error), "a round failed");
                    ticks.reset_after(interval.min(RETRY_INTERVAL));
                }
            }
        });
    }

    /// Polls open checkouts in every round, and the gateways' lists in every sixtieth round and in the first
    /// round of each hour.
    fn watch_payments(&mut self, interval: Duration, payments: OnlinePayments, sandbox: Option<Sandbox>) {
        let (mut rounds, mut hour) = (0_u32, None);
        self.every(interval, "payments", move || {
            let this_hour = payments.invoicing.clock.now().unix_timestamp().div_euclid(3_600);
            let lists = rounds.is_multiple_of(ROUNDS_BETWEEN_LISTS) || hour != Some(this_hour);
            (rounds, hour) = (rounds.wrapping_add(1), Some(this_hour));
            let (payments, sandbox) = (payments.clone(), sandbox.clone());
            async move {
                if let Some(sandbox) = &sandbox {
                    sandbox.send_due_debit_events().await?;
                }
                // A failure of one of them does not skip the others.
                let polled = payments.poll_open().await;
                let removed = payments.remove_replaced_keys().await;
                if lists {
                    payments.poll_listed().await?;
                }
                polled?;
                log_count(removed?, "removed keys of gateways that were replaced");
                Ok(())
            }
        });
    }

    /// Decides about the steps of reminders that are due, account by account.
    fn decide_reminders(&mut self, interval: Duration, reminders: ReminderService) {
        let stop = self.stop.clone();
        self.every(interval, "reminders", move || {
            let (reminders, stop) = (reminders.clone(), stop.clone());
            async move {
                let (mut decided, mut after, mut failures) = (0_u64, None, OneFailed::default());
                loop {
                    let accounts = reminders.reminder_reads.started_accounts(after, ACCOUNTS_AT_ONCE).await?;
                    let Some(last) = accounts.last().copied() else {
                        break;
                    };
                    for account in accounts {
                        if *stop.borrow() {
                            return Ok(());
                        }
                        let steps = reminders.decide(account).await;
                        let steps = failures.set_aside(steps, |error| {
                            tracing::warn!(%account, error = error_chain(error), "reminders of an account are not decided");
                        })?;
                        let steps = steps.map_or(0, |steps| u64::try_from(steps.len()).unwrap_or(u64::MAX));
                        decided = decided.saturating_add(steps);
                    }
                    after = Some(last);
                }
                log_count(decided, "decided about steps of reminders");
                failures.into_result()
            }
        });
    }

    /// Mails owners about unread messages.
    fn mail_about_unread(&mut self, interval: Duration, unread: UnreadService, pace: BatchPace) {
        let stop = self.stop.clone();
        self.every(interval, "unread-messages", move || {
            let (unread, stop) = (unread.clone(), stop.clone());
            async move {
                let notified =
                    Batches::run(pace, &stop, |_most| unread.notify_owners(ACCOUNTS_AT_ONCE)).await?;
                log_count(notified.rows, "mailed owners about unread messages");
                Ok(())
            }
        });
    }

    /// Deletes data whose retention has ended.
    fn clean_up(&mut self, deps: &Dependencies, interval: Duration, kept: KeptMessages) {
        let (deps, stop) = (deps.clone(), self.stop.clone());
        self.every(interval, "clean-up", move || {
            let (deps, stop) = (deps.clone(), stop.clone());
            async move {
                let messages = clean_up_messages(&deps, kept, &stop).await;
                clean_up(deps, stop).await?;
                messages
            }
        });
    }

    /// Starts the other periodic work. Must be called last: it shows metrics of the queues of all jobs that
    /// were started before.
    fn start_periodic(&mut self, deps: &Dependencies, interval: Duration, deliveries: DeliveryWorker) {
        let due_dates = deps.due_dates();
        self.every(interval, "due-dates", move || {
            let due_dates = due_dates.clone();
            async move {
                let moved = due_dates.apply().await?;
                log_count(moved, "updated the status of invoices by date");
                Ok(())
            }
        });
        let (pace, stop) = (pace(deps), self.stop.clone());
        self.every(interval, "delivery-clean-up", move || {
            clean_up_deliveries(deliveries.clone(), pace, stop.clone())
        });
        let (uses, store) = (deps.key_uses.clone(), deps.store.key_uses.clone());
        self.every(interval.min(KEY_USES_INTERVAL), "key-uses", move || {
            let (uses, store) = (uses.clone(), store.clone());
            async move { uses.store(&*store).await }
        });
        let (logos, stop) = (deps.logo_cleanup(), self.stop.clone());
        self.every(interval, "logos", move || remove_logos(logos.clone(), stop.clone()));
        let (queues, clock) = (deps.store.queues.clone(), deps.clock.clone());
        let (inbox, shown) = (deps.store.inbox.clone(), Arc::<[_]>::from(self.queues.as_slice()));
        self.every(COUNT_INTERVAL, "queue-metrics", move || {
            let (queues, clock, inbox, shown) = (queues.clone(), clock.clone(), inbox.clone(), shown.clone());
            async move {
                queues::show_all(queues, clock, &shown).await?;
                inbound::show_quarantined(inbox).await
            }
        });
    }
}

/// The pace of batches on this database.
fn pace(deps: &Dependencies) -> BatchPace {
    BatchPace::on(deps.store.upkeep.kind())
}

/// Deletes stored responses, ended jobs, form submissions, sessions and events that are no longer needed.
async fn clean_up(deps: Dependencies, stop: Stop) -> StoreResult<()> {
    let now = deps.clock.now();
    let (responses, queues, forms) =
        (&deps.store.stored_responses, &deps.store.queues, &deps.store.submissions);
    let (payments, pace) = (&deps.store.online_payments, pace(&deps));
    // Responses carry the time of the database's clock, which a test clock does not change.
    let old = SystemClock.now() - RESPONSES_ARE_KEPT;
    let stored_responses = Batches::run(pace, &stop, |limit| responses.prune(old, limit)).await;
    let jobs = Batches::run(pace, &stop, |limit| queues.prune_jobs(now - JOBS_ARE_KEPT, limit)).await;
    let events = Batches::run(pace, &stop, |limit| payments.prune_events(now - JOBS_ARE_KEPT, limit)).await;
    let submissions = Batches::run(pace, &stop, |limit| forms.prune(now - RESPONSES_ARE_KEPT, limit)).await;
    let sessions = &deps.store.sessions;
    let (unused_since, begun_before) = (now - Session::IDLE, now - Session::MAX_AGE);
    let ended_sessions =
        Batches::run(pace, &stop, |limit| sessions.prune(unused_since, begun_before, limit)).await;
    ended_sessions?.log("deleted sessions and password resets that have ended");
    stored_responses?.log("deleted stored responses");
    submissions?.log("deleted form submissions");
    events?.log("deleted gateways' events of more than 30 days ago");
    jobs?.log("deleted jobs and replays that ended more than 30 days ago");
    Ok(())
}

/// Removes raw messages and texts whose retention has ended.
async fn clean_up_messages(deps: &Dependencies, kept: KeptMessages, stop: &Stop) -> StoreResult<()> {
    let now = deps.clock.now();
    let (inbox, retention, pace) = (&deps.store.inbox, &deps.store.message_retention, pace(deps));
    let raw = Batches::run(pace, stop, |limit| inbox.forget_content(now - kept.raw, limit)).await;
    let texts = Batches::run(pace, stop, |limit| retention.remove_texts(now - kept.texts, now, limit)).await;
    raw?.log("removed raw messages that were kept long enough");
    texts?.log("removed texts of messages that were kept long enough");
    Ok(())
}

/// Ends deliveries that were left over by workers, and deletes old ones.
async fn clean_up_deliveries(deliveries: DeliveryWorker, pace: BatchPace, stop: Stop) -> StoreResult<()> {
    let now = deliveries.clock.now();
    let (queue, max_attempts) = (&deliveries.queue, deliveries.schedule.max_attempts());
    let finished = Batches::run(pace, &stop, |limit| queue.finish_lost(now, max_attempts, limit)).await;
    let before = now - DELIVERIES_ARE_KEPT;
    let pruned = Batches::run(pace, &stop, |limit| queue.prune(before, limit)).await;
    finished?.log("ended webhook deliveries that were left over");
    pruned?.log("deleted webhook deliveries and events of more than 30 days ago");
    Ok(())
}

/// Removes the copies of logos that no account has.
async fn remove_logos(logos: LogoCleanup, stop: Stop) -> StoreResult<()> {
    loop {
        let removed = logos.remove_unused().await?;
        for error in &removed.failed {
            tracing::warn!(error = %error.0, "could not remove a logo; it is tried again");
        }
        log_count(removed.removed, "removed logos that no account has");
        if !removed.more || *stop.borrow() {
            return Ok(());
        }
    }
}

fn log_count(count: impl Into<u64>, what: &str) {
    let count = count.into();
    if count > 0 {
        tracing::info!(count, "{what}");
    }
}
