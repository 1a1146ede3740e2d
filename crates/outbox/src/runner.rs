//! The engine: leases what is due, attempts it, records the results.
//!
//! Leasing, attempts and recording are tasks of their own: none waits for another, and none is dropped
//! half-way.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use kernel::{StoreError, StoreResult, error_chain};
use time::OffsetDateTime;
use tokio::task::{Id as TaskId, JoinError, JoinHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, timeout_at};

use crate::job::{Checked, JobKind, LeaseRequest, LeasedBatch, Monitor, Pace, Unrecorded};
use crate::lanes::{Lanes, Rooms, RunningAttempt, StartedJob};

/// How often the queue is polled without a signal.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How many results may wait to be recorded before leasing stops.
const MAX_UNRECORDED: usize = 2_048;
/// How long a runner that stops waits for jobs under way.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
/// How long to wait before another query after the store failed.
const STORE_PAUSE: Duration = Duration::from_millis(500);
/// A job that waited longer than this for its attempt is checked again before it.
const CHECK_AFTER: time::Duration = time::Duration::milliseconds(100);

/// Carries out the jobs of one kind until `stop` is done. Then it gives back waiting jobs, and ends when
/// those under way are recorded, or after 20 seconds: unfinished jobs are attempted again when their leases
/// end.
pub async fn run<J: JobKind>(job: Arc<J>, monitor: Arc<dyn Monitor>, stop: impl Future<Output = ()>) {
    let mut runner = Runner::new(job, monitor);
    let mut stop = pin!(stop);
    let mut polls = tokio::time::interval(POLL_INTERVAL);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        runner.begin_all();
        tokio::select! {
            () = &mut stop => break,
            planned = polls.tick() => {
                runner.monitor.began(Instant::now().saturating_duration_since(planned));
                runner.poll();
            }
            () = runner.job.due_at_once() => runner.poll(),
            ended = runner.tasks.next() => runner.ended(ended),
        }
    }
    runner.finish().await;
}

/// Carries out the jobs that are due now, and returns how many attempts it made.
pub async fn run_until_idle<J: JobKind>(job: Arc<J>) -> usize {
    let mut runner = Runner::new(job, Arc::new(()));
    loop {
        runner.begin_all();
        if runner.is_idle() {
            return runner.attempts_made;
        }
        let ended = runner.tasks.next().await;
        runner.ended(ended);
    }
}

type EndedAttempt<J> = Result<(TaskId, (Option<<J as JobKind>::Result>, Pace)), JoinError>;
type Leasing<J> = (StoreResult<LeasedBatch<<J as JobKind>::Leased>>, OffsetDateTime);
type Checking<J> = Vec<Checked<<J as JobKind>::Leased, <J as JobKind>::Result>>;
type Recording<J> = Result<(), Vec<Unrecorded<<J as JobKind>::Result>>>;

/// A task that has ended.
enum EndedTask<J: JobKind> {
    Attempts(Vec<EndedAttempt<J>>),
    Leasing(Result<Leasing<J>, JoinError>),
    Checking(Result<Checking<J>, JoinError>),
    Recording(Result<Recording<J>, JoinError>),
}

/// The tasks that are running.
struct Tasks<J: JobKind> {
    attempts: JoinSet<(Option<J::Result>, Pace)>,
    leasing: Option<JoinHandle<Leasing<J>>>,
    checking: Option<JoinHandle<Checking<J>>>,
    recording: Option<JoinHandle<Recording<J>>>,
}

impl<J: JobKind> Tasks<J> {
    /// Waits until a task has ended. Dropping the future loses nothing.
    async fn next(&mut self) -> EndedTask<J> {
        tokio::select! {
            Some(ended) = self.attempts.join_next_with_id() => {
                // Other attempts that have ended are recorded with it.
                let mut all = vec![ended];
                while let Some(ended) = self.attempts.try_join_next_with_id() {
                    all.push(ended);
                }
                EndedTask::Attempts(all)
            }
            Some(leased) = end_of(&mut self.leasing) => { self.leasing = None; EndedTask::Leasing(leased) }
            Some(checked) = end_of(&mut self.checking) => { self.checking = None; EndedTask::Checking(checked) }
            Some(recorded) = end_of(&mut self.recording) => { self.recording = None; EndedTask::Recording(recorded) }
            else => std::future::pending().await,
        }
    }

    fn is_empty(&self) -> bool {
        self.attempts.is_empty()
            && self.leasing.is_none()
            && self.checking.is_none()
            && self.recording.is_none()
    }
}

async fn end_of<T>(task: &mut Option<JoinHandle<T>>) -> Option<Result<T, JoinError>> {
    match task {
        Some(task) => Some(task.await),
        None => None,
    }
}

/// The state of one worker: its leased jobs, and the results to be recorded.
struct Runner<J: JobKind> {
    job: Arc<J>,
    monitor: Arc<dyn Monitor>,
    lanes: Lanes<J::Lane, J::Leased>,
    tasks: Tasks<J>,
    under_way: HashMap<TaskId, RunningAttempt<J::Lane>>,
    /// Begun jobs that waited so long that they are checked first.
    to_check: Vec<(RunningAttempt<J::Lane>, J::Leased)>,
    /// The jobs that are being checked, in the order in which they were given.
    in_check: Vec<RunningAttempt<J::Lane>>,
    unrecorded: Vec<J::Result>,
    /// Jobs may be due that are not leased yet.
    must_lease: bool,
    /// The last recording failed, because the store cannot be reached. Nothing is leased until one succeeds,
    /// so that a job whose lease ended meanwhile is not attempted again.
    store_is_away: bool,
    recording_fails: bool,
    attempts_made: usize,
}

impl<J: JobKind> Runner<J> {
    fn new(job: Arc<J>, monitor: Arc<dyn Monitor>) -> Self {
        let limits = job.limits();
        Self {
            job,
            monitor,
            lanes: Lanes::new(limits),
            tasks: Tasks { attempts: JoinSet::new(), leasing: None, checking: None, recording: None },
            under_way: HashMap::new(),
            to_check: Vec::new(),
            in_check: Vec::new(),
            unrecorded: Vec::new(),
            must_lease: true,
            store_is_away: false,
            recording_fails: false,
            attempts_made: 0,
        }
    }

    fn now(&self) -> OffsetDateTime {
        self.job.clock().now()
    }

    /// Leases due jobs as soon as possible, and gives back jobs that have waited too long.
    fn poll(&mut self) {
        self.must_lease = true;
        let now = self.now();
        let late = self.lanes.take_late(now);
        self.give_back(late, now);
    }

    /// Begins all tasks that can begin.
    fn begin_all(&mut self) {
        self.begin_attempts();
        self.begin_checking();
        self.begin_recording();
        self.begin_leasing();
    }

    fn begin_attempts(&mut self) {
        let now = self.now();
        while let Some(begun) = self.lanes.begin(now) {
            let StartedJob { attempt, job, leased_at } = begun;
            if now - leased_at > CHECK_AFTER {
                self.to_check.push((attempt, job));
            } else {
                self.attempt(attempt, job);
            }
        }
    }

    fn attempt(&mut self, attempt: RunningAttempt<J::Lane>, leased: J::Leased) {
        self.attempts_made = self.attempts_made.saturating_add(1);
        let job = self.job.clone();
        let task = self.tasks.attempts.spawn(async move { job.attempt(leased).await });
        self.under_way.insert(task.id(), attempt);
    }

    fn begin_checking(&mut self) {
        if self.tasks.checking.is_some() || self.to_check.is_empty() {
            return;
        }
        let (attempts, jobs): (Vec<_>, Vec<_>) = self.to_check.drain(..).unzip();
        self.in_check = attempts;
        let job = self.job.clone();
        self.tasks.checking = Some(tokio::spawn(async move { job.check_waited(jobs).await }));
    }

    fn begin_leasing(&mut self) {
        let limits = self.lanes.limits();
        let limit = self.lanes.room().min(limits.batch);
        let unrecorded = self.store_is_away || self.unrecorded.len() >= MAX_UNRECORDED;
        if !self.must_lease || self.tasks.leasing.is_some() || limit == 0 || unrecorded {
            return;
        }
        self.must_lease = false;
        let now = self.now();
        let Rooms { named, per_lane } = self.lanes.rooms(now);
        let job = self.job.clone();
        self.tasks.leasing = Some(tokio::spawn(async move {
            let request = LeaseRequest { now, limit, per_lane, rooms: &named };
            let leased = job.lease_due(request).await;
            if leased.is_err() {
                tokio::time::sleep(STORE_PAUSE).await;
            }
            // Leases run from the instant of the request, however long the store took to respond.
            (leased, now)
        }));
    }

    fn begin_recording(&mut self) {
        if self.tasks.recording.is_some() || self.unrecorded.is_empty() {
            return;
        }
        let limit = usize::try_from(self.lanes.limits().batch).unwrap_or(usize::MAX);
        let batch: Vec<_> = self.unrecorded.drain(..limit.min(self.unrecorded.len())).collect();
        let job = self.job.clone();
        self.tasks.recording = Some(tokio::spawn(async move {
            let recorded = job.record(&batch).await;
            let failed = recorded.as_ref().err().into_iter().flatten();
            let failed = failed.map(|failed| failed.results.len()).sum::<usize>();
            // Results of accounts that can be written do not wait for those of one that cannot.
            if failed >= batch.len() {
                tokio::time::sleep(STORE_PAUSE).await;
            }
            recorded
        }));
    }

    fn ended(&mut self, ended: EndedTask<J>) {
        match ended {
            EndedTask::Attempts(attempts) => attempts.into_iter().for_each(|one| self.attempted(one)),
            EndedTask::Leasing(Ok((leased, since))) => self.leased(leased, since),
            EndedTask::Checking(checked) => {
                let checked = checked.unwrap_or_else(|error| {
                    log_panic::<J>(&error);
                    Vec::new()
                });
                self.checked(checked);
            }
            EndedTask::Recording(Ok(recorded)) => self.recorded(recorded),
            EndedTask::Leasing(Err(error)) => log_panic::<J>(&error),
            EndedTask::Recording(Err(error)) => {
                // Whether the store is away is not known any more. If it is, leasing fails.
                (self.store_is_away, self.recording_fails) = (false, false);
                log_panic::<J>(&error);
            }
        }
    }

    fn leased(&mut self, leased: StoreResult<LeasedBatch<J::Leased>>, since: OffsetDateTime) {
        let batch = match leased {
            Ok(batch) => batch,
            Err(error) => {
                tracing::warn!(job = J::NAME, error = error_chain(&error), "could not lease due jobs");
                return self.monitor.ended(Err(&error));
            }
        };
        if !self.recording_fails {
            self.monitor.ended(Ok(()));
        }
        self.must_lease |= batch.more;
        for job in batch.jobs {
            self.lanes.take(J::lane(&job), job, since);
        }
    }

    fn checked(&mut self, checked: Vec<Checked<J::Leased, J::Result>>) {
        let (now, mut checked) = (self.now(), checked.into_iter());
        for attempt in std::mem::take(&mut self.in_check) {
            match checked.next() {
                Some(Checked::Attempt(job)) => self.attempt(attempt, job),
                Some(Checked::Skip(result)) => {
                    self.unrecorded.push(result);
                    self.must_lease |= self.lanes.skip(&attempt, now);
                }
                // The check panicked. The lease ends, and the job is due again.
                None => self.must_lease |= self.lanes.skip(&attempt, now),
            }
        }
    }

    fn attempted(&mut self, ended: EndedAttempt<J>) {
        let (id, (result, pace)) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                // The lease ends, and the job is due again.
                tracing::error!(job = J::NAME, %error, "an attempt panicked");
                (error.id(), (None, Pace::Failed))
            }
        };
        if let Some(attempt) = self.under_way.remove(&id) {
            let now = self.now();
            self.must_lease |= self.lanes.end(&attempt, now, pace);
        }
        self.unrecorded.extend(result);
    }

    fn recorded(&mut self, recorded: Recording<J>) {
        let failed = recorded.err().unwrap_or_default();
        // An account that fails alone shows nothing about the store: leasing shows whether it works.
        let fail_alone = self.job.accounts_fail_alone();
        let last = failed.iter().rfind(|failed| !(fail_alone && is_away(&failed.error)));
        self.recording_fails = last.is_some();
        self.store_is_away = !fail_alone && failed.iter().any(|failed| is_away(&failed.error));
        if let Some(last) = last {
            self.monitor.ended(Err(&last.error));
        }
        for failed in failed {
            self.not_recorded(failed);
        }
    }

    fn not_recorded(&mut self, failed: Unrecorded<J::Result>) {
        let Unrecorded { results, error } = failed;
        let (now, is_away) = (self.now(), is_away(&error));
        // While the rows cannot be reached, no other process leases them either: the result is still the
        // latest.
        let (kept, dropped): (Vec<_>, Vec<_>) =
            results.into_iter().partition(|result| is_away || !J::lease_has_ended(result, now));
        let (job, error) = (J::NAME, error_chain(&error));
        tracing::warn!(job, error, results = kept.len(), "could not record results; trying again");
        if !dropped.is_empty() {
            let dropped = dropped.len();
            tracing::error!(
                job,
                error,
                dropped,
                "results were not recorded before their leases ended; the jobs are attempted again"
            );
        }
        self.unrecorded.extend(kept);
    }

    fn give_back(&mut self, jobs: Vec<J::Leased>, now: OffsetDateTime) {
        let results = jobs.into_iter().map(|job| J::not_attempted(job, now));
        self.unrecorded.extend(results);
    }

    fn give_back_all_waiting(&mut self) {
        let now = self.now();
        let waiting = self.lanes.take_waiting();
        self.give_back(waiting, now);
        let to_check: Vec<_> = self.to_check.drain(..).map(|(_, job)| job).collect();
        self.give_back(to_check, now);
    }

    /// Gives back waiting jobs, and completes those under way.
    async fn finish(mut self) {
        let end = Instant::now() + STOP_TIMEOUT;
        self.give_back_all_waiting();
        while !self.is_idle() {
            self.begin_recording();
            let Ok(ended) = timeout_at(end, self.tasks.next()).await else {
                let attempts = self.under_way.len();
                let job = J::NAME;
                tracing::warn!(job, attempts, "stopped before every attempt had ended; they are made again");
                return;
            };
            self.ended(ended);
            // A leasing that was under way may have returned more.
            self.give_back_all_waiting();
        }
    }

    fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.unrecorded.is_empty()
    }
}

const fn is_away(error: &StoreError) -> bool {
    matches!(error, StoreError::Unavailable(_))
}

fn log_panic<J: JobKind>(error: &JoinError) {
    tracing::error!(job = J::NAME, %error, "a task of the worker panicked");
}
