//! Throttles sign-ins: after a few failures the next attempt must wait, longer each time.
//!
//! An attempt counts as failed until it is known to have succeeded, so that concurrent attempts get no more
//! failures than consecutive ones. Many right passwords at the same time, for example from one office, are
//! not refused because of that: an attempt over the limit is held back while a counted attempt is still open,
//! and is refused once all counted attempts have failed.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration as StdDuration;

use async_trait::async_trait;
use data_encoding::HEXLOWER;
use kernel::EmailAddress;
use ring::digest;
use time::{Duration, OffsetDateTime};

/// Failures within this time are counted.
pub const WINDOW: Duration = Duration::minutes(15);
pub const FIRST_WAIT: Duration = Duration::MINUTE;
/// Waits double up to this length.
pub const MAX_WAIT: Duration = Duration::HOUR;

/// After this time an attempt counts as ended, since its process may have died.
pub const MAX_ATTEMPT: Duration = Duration::seconds(30);

/// The maximum time for which an attempt is held back.
const MAX_HELD_BACK_TIME: StdDuration = StdDuration::from_secs(20);
/// The first pause before an attempt that is held back is tried again. Each next pause is twice as long, up
/// to [`MAX_PAUSE`].
const FIRST_PAUSE: StdDuration = StdDuration::from_millis(20);
const MAX_PAUSE: StdDuration = StdDuration::from_millis(160);
/// How many attempts a process holds back at the same time; further ones are refused immediately, so that
/// they cost little.
const MAX_HELD_BACK: usize = 256;

/// How many failures an e-mail address may have within [`WINDOW`] before the next attempt waits.
const MAX_OF_EMAIL: u32 = 5;
/// The same for a client address.
const MAX_OF_ADDRESS: u32 = 20;

/// How many subjects are remembered in memory.
const MAX_SUBJECTS: usize = 65_536;

/// The e-mail address or client address whose failures are counted. An e-mail address is hashed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ThrottledSubject(String);

/// An attempt must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait(pub Duration);

/// An attempt is over the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverLimit {
    /// How long the attempt must wait.
    pub wait: Wait,
    /// Whether other attempts were open at that moment: once they have ended, the attempt may not have to
    /// wait.
    pub has_open: bool,
}

/// Counts failures.
///
/// An attempt counts as failed until it is forgiven, and is open until it is forgiven or has failed. An
/// attempt that must wait is not counted.
#[async_trait]
pub trait Failures: Send + Sync {
    /// Counts an attempt as failed, unless it must wait. After `most` failures within [`WINDOW`], or fewer
    /// after an earlier wait, the next attempt must wait: first for [`FIRST_WAIT`], then twice as long each
    /// time.
    async fn count(
        &self,
        subject: &ThrottledSubject,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<(), OverLimit>;

    /// Ends an open attempt that has failed: it stays counted.
    async fn fail(&self, subject: &ThrottledSubject);

    /// Ends an open attempt, and takes back the last counted failure. Waits imposed before that failure
    /// remain.
    async fn forgive(&self, subject: &ThrottledSubject, now: OffsetDateTime);

    /// Forgets all failures of a subject.
    async fn forget(&self, subject: &ThrottledSubject);
}

/// Lets time pass.
#[async_trait]
pub trait Pauses: Send + Sync {
    /// Returns after this time.
    async fn pause(&self, length: StdDuration);
}

/// Decides whether an attempt must wait.
#[derive(Clone)]
pub struct Throttle {
    failures: Arc<dyn Failures>,
    pauses: Arc<dyn Pauses>,
    held_back: Arc<AtomicUsize>,
}

/// A place among the attempts that are held back; dropping it frees the place.
struct WaitingAttempt(Arc<AtomicUsize>);

impl WaitingAttempt {
    /// `None` when all places are taken.
    fn enter(held_back: &Arc<AtomicUsize>) -> Option<Self> {
        let more = |count: usize| (count < MAX_HELD_BACK).then_some(count.saturating_add(1));
        let entered = held_back.fetch_update(Ordering::SeqCst, Ordering::SeqCst, more);
        entered.is_ok().then(|| Self(held_back.clone()))
    }
}

impl Drop for WaitingAttempt {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// An attempt that did not have to wait.
#[derive(Debug)]
#[must_use = "it counts as failed until it is ended"]
pub(crate) struct SignInAttempt {
    email: ThrottledSubject,
    address: ThrottledSubject,
}

/// The outcome of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptOutcome {
    /// It failed, and stays counted.
    Failed,
    /// It proved nothing, and is not counted.
    Undecided,
    /// It succeeded: earlier failures of the e-mail address are forgotten.
    Succeeded,
}

impl ThrottledSubject {
    /// A login, by the key that all spellings of its e-mail address share, with which it is also looked up.
    #[must_use]
    pub fn email(email: &str) -> Self {
        let unparsed = |_fault| email.trim().to_lowercase();
        let key = EmailAddress::parse(email).map_or_else(unparsed, |email| email.matching_key());
        let hash = digest::digest(&digest::SHA256, key.as_bytes());
        Self(format!("email:{}", HEXLOWER.encode(hash.as_ref())))
    }

    fn address(address: IpAddr) -> Self {
        Self(format!("address:{address}"))
    }

    fn resets_from(address: IpAddr) -> Self {
        Self(format!("resets:{address}"))
    }

    /// The text that identifies the subject in other stores.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Throttle {
    #[must_use]
    pub fn new(failures: Arc<dyn Failures>, pauses: Arc<dyn Pauses>) -> Self {
        Self { failures, pauses, held_back: Arc::default() }
    }

    /// Begins an attempt to authenticate. If it is over the limit while counted attempts are still open, it
    /// is held back until their outcome is known.
    ///
    /// # Errors
    /// How long to wait.
    pub(crate) async fn begin(
        &self,
        email: &str,
        address: IpAddr,
        now: OffsetDateTime,
    ) -> Result<SignInAttempt, Wait> {
        let attempt = SignInAttempt {
            email: ThrottledSubject::email(email),
            address: ThrottledSubject::address(address),
        };
        let (mut waited, mut pause) = (StdDuration::ZERO, FIRST_PAUSE);
        let mut place = None;
        loop {
            let Err(OverLimit { wait, has_open }) = self.count(&attempt, now).await else {
                return Ok(attempt);
            };
            if !has_open || waited >= MAX_HELD_BACK_TIME {
                return Err(wait);
            }
            if place.is_none() {
                place = Some(WaitingAttempt::enter(&self.held_back).ok_or(wait)?);
            }
            self.pauses.pause(pause).await;
            waited = waited.saturating_add(pause);
            pause = pause.saturating_mul(2).min(MAX_PAUSE);
        }
    }

    /// Counts an attempt for both subjects, or for neither.
    async fn count(
        &self,
        SignInAttempt { email, address }: &SignInAttempt,
        now: OffsetDateTime,
    ) -> Result<(), OverLimit> {
        self.failures.count(address, MAX_OF_ADDRESS, now).await?;
        let counted = self.failures.count(email, MAX_OF_EMAIL, now).await;
        if counted.is_err() {
            self.failures.forgive(address, now).await;
        }
        counted
    }

    pub(crate) async fn end(&self, attempt: SignInAttempt, ended: AttemptOutcome, now: OffsetDateTime) {
        match ended {
            AttemptOutcome::Failed => {
                self.failures.fail(&attempt.email).await;
                self.failures.fail(&attempt.address).await;
                return;
            }
            AttemptOutcome::Undecided => self.failures.forgive(&attempt.email, now).await,
            AttemptOutcome::Succeeded => self.failures.forget(&attempt.email).await,
        }
        // Forgive only this attempt: by signing in to their own account, an attacker must not clear the
        // address's failures at other accounts.
        self.failures.forgive(&attempt.address, now).await;
    }

    /// Counts a request for a password reset from a client address.
    pub(crate) async fn request_reset(&self, address: IpAddr, now: OffsetDateTime) -> Result<(), Wait> {
        let counted = self.failures.count(&ThrottledSubject::resets_from(address), MAX_OF_ADDRESS, now).await;
        counted.map_err(|over_limit| over_limit.wait)
    }

    /// A password was set with a link: the owner may sign in at once.
    pub(crate) async fn reset(&self, email: &str) {
        self.failures.forget(&ThrottledSubject::email(email)).await;
    }
}

impl Wait {
    /// Whole seconds, at least one.
    #[must_use]
    pub fn seconds(self) -> i64 {
        let whole = self.0.whole_seconds();
        let begun = i64::from(self.0.subsec_nanoseconds() > 0);
        whole.saturating_add(begun).max(1)
    }
}

/// Counts failures in the memory of this process.
#[derive(Debug, Default)]
pub struct FailuresInMemory(Mutex<HashMap<ThrottledSubject, SubjectFailures>>);

#[derive(Debug)]
struct SubjectFailures {
    failures: VecDeque<OffsetDateTime>,
    /// When the open attempts began.
    open: VecDeque<OffsetDateTime>,
    /// The last imposed wait; zero when there was none.
    wait: Duration,
    until: OffsetDateTime,
    /// The end of the previous wait, before the last failure imposed a longer one.
    ended_before: OffsetDateTime,
}

impl SubjectFailures {
    fn new(now: OffsetDateTime) -> Self {
        Self {
            failures: VecDeque::new(),
            open: VecDeque::new(),
            wait: Duration::ZERO,
            until: now,
            ended_before: now,
        }
    }

    /// Drops what no longer counts. If the clock was set back, failures seem to be of the future: they are
    /// taken as of now.
    fn refresh(&mut self, now: OffsetDateTime) {
        for at in self.failures.iter_mut().chain(&mut self.open) {
            *at = now.min(*at);
        }
        self.until = self.until.min(now.saturating_add(self.wait));
        while self.failures.front().is_some_and(|failed| failed.saturating_add(WINDOW) <= now) {
            self.failures.pop_front();
        }
        while self.open.front().is_some_and(|begun| begun.saturating_add(MAX_ATTEMPT) <= now) {
            self.open.pop_front();
        }
        if self.until.saturating_add(WINDOW) <= now {
            self.wait = Duration::ZERO;
        }
    }

    fn count(&mut self, most: u32, now: OffsetDateTime) -> Result<(), OverLimit> {
        self.refresh(now);
        if now < self.until {
            return Err(OverLimit { wait: Wait(self.until - now), has_open: !self.open.is_empty() });
        }
        self.failures.push_back(now);
        self.open.push_back(now);
        self.ended_before = self.until;
        if self.is_full(most) || self.wait > Duration::ZERO {
            self.wait = self.wait.saturating_mul(2).clamp(FIRST_WAIT, MAX_WAIT);
            self.until = now.saturating_add(self.wait);
        }
        Ok(())
    }

    /// Takes back the last count and its effect on the wait. Earlier waits remain: otherwise a right password
    /// between two wrong codes would reset the waits.
    fn forgive(&mut self, now: OffsetDateTime) {
        self.open.pop_front();
        self.failures.pop_back();
        self.wait = if self.wait > FIRST_WAIT { self.wait / 2_i32 } else { Duration::ZERO };
        self.until = self.ended_before.min(now);
    }

    fn is_over(&mut self, now: OffsetDateTime) -> bool {
        self.refresh(now);
        self.failures.is_empty() && self.wait.is_zero()
    }

    fn is_full(&self, most: u32) -> bool {
        u32::try_from(self.failures.len()).is_ok_and(|failures| failures >= most)
    }

    fn last(&self) -> OffsetDateTime {
        self.failures.back().copied().unwrap_or(self.until).max(self.until)
    }
}

impl FailuresInMemory {
    fn with<T>(&self, work: impl FnOnce(&mut HashMap<ThrottledSubject, SubjectFailures>) -> T) -> T {
        // A panic cannot have left a count half changed.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Failures for FailuresInMemory {
    async fn count(
        &self,
        subject: &ThrottledSubject,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<(), OverLimit> {
        self.with(|all| {
            if all.len() >= MAX_SUBJECTS && !all.contains_key(subject) {
                make_room(all, now);
            }
            all.entry(subject.clone()).or_insert_with(|| SubjectFailures::new(now)).count(most, now)
        })
    }

    async fn fail(&self, subject: &ThrottledSubject) {
        self.with(|all| all.get_mut(subject).and_then(|counted| counted.open.pop_front()));
    }

    async fn forgive(&self, subject: &ThrottledSubject, now: OffsetDateTime) {
        self.with(|all| {
            if let Some(counted) = all.get_mut(subject) {
                counted.forgive(now);
                if counted.is_over(now) {
                    all.remove(subject);
                }
            }
        });
    }

    async fn forget(&self, subject: &ThrottledSubject) {
        self.with(|all| all.remove(subject));
    }
}

/// Drops the subjects that no longer count; if that is not enough, also the half whose last failure is
/// oldest.
fn make_room(all: &mut HashMap<ThrottledSubject, SubjectFailures>, now: OffsetDateTime) {
    all.retain(|_, counted| !counted.is_over(now));
    if all.len() > MAX_SUBJECTS / 2 {
        let mut last: Vec<OffsetDateTime> = all.values().map(SubjectFailures::last).collect();
        last.sort_unstable();
        let median = last.get(last.len() / 2).copied().unwrap_or(now);
        all.retain(|_, counted| counted.last() > median);
    }
}

#[cfg(test)]
mod tests;
