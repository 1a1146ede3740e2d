//! Failed sign-ins: after a few, the next one waits, longer each time.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ring::digest;
use time::{Duration, OffsetDateTime};

/// Failures are counted within this time.
pub const WINDOW: Duration = Duration::minutes(15);
/// The first wait.
pub const FIRST_WAIT: Duration = Duration::MINUTE;
/// Waits double up to this one.
pub const LONGEST_WAIT: Duration = Duration::HOUR;

/// How many failures an e-mail address may have within [`WINDOW`] before the next attempt waits.
const MOST_OF_EMAIL: u32 = 5;
/// The same for a network address.
const MOST_OF_ADDRESS: u32 = 20;

/// How many subjects are remembered in memory.
const MOST_SUBJECTS: usize = 65_536;

/// Whose failures are counted. It holds no readable e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Subject(String);

/// An attempt must wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait(pub Duration);

/// Counts failures.
///
/// An attempt counts as failed until it is forgiven, so that attempts at one time are counted as those one
/// after the other. An attempt that must wait is not counted.
#[async_trait]
pub trait Failures: Send + Sync {
    /// Counts an attempt as failed, unless it must wait: with `most` failures within [`WINDOW`], or sooner
    /// after an earlier wait, the next attempt waits for [`FIRST_WAIT`], and each time twice as long.
    async fn count(&self, subject: &Subject, most: u32, now: OffsetDateTime) -> Result<(), Wait>;

    /// Takes back the failure that was counted last. Waits that were imposed before it still count.
    async fn forgive(&self, subject: &Subject, now: OffsetDateTime);

    /// Forgets all failures.
    async fn forget(&self, subject: &Subject);
}

/// Decides who must wait.
#[derive(Clone)]
pub struct Throttle(pub Arc<dyn Failures>);

/// An attempt that did not have to wait.
#[derive(Debug)]
#[must_use = "it counts as failed until it is ended"]
pub(crate) struct Attempt {
    email: Subject,
    address: Subject,
}

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It failed, and stays counted.
    Failed,
    /// It proved nothing, and is not counted.
    Undecided,
    /// It succeeded: earlier failures of the e-mail address are forgotten.
    Succeeded,
}

impl Subject {
    /// A login, by its e-mail address in any case.
    #[must_use]
    pub fn email(email: &str) -> Self {
        let hash = digest::digest(&digest::SHA256, email.trim().to_lowercase().as_bytes());
        let hex = hash.as_ref().iter().map(|byte| format!("{byte:02x}"));
        Self(format!("email:{}", hex.collect::<String>()))
    }

    fn address(address: IpAddr) -> Self {
        Self(format!("address:{address}"))
    }

    fn resets_from(address: IpAddr) -> Self {
        Self(format!("resets:{address}"))
    }

    /// The text by which it is known in other stores.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Throttle {
    /// Begins an attempt to prove who one is.
    ///
    /// # Errors
    /// How long to wait.
    pub(crate) async fn begin(
        &self,
        email: &str,
        address: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Attempt, Wait> {
        let attempt = Attempt { email: Subject::email(email), address: Subject::address(address) };
        self.0.count(&attempt.address, MOST_OF_ADDRESS, now).await?;
        if let Err(wait) = self.0.count(&attempt.email, MOST_OF_EMAIL, now).await {
            self.0.forgive(&attempt.address, now).await;
            return Err(wait);
        }
        Ok(attempt)
    }

    pub(crate) async fn end(&self, attempt: Attempt, ended: Ended, now: OffsetDateTime) {
        match ended {
            Ended::Failed => return,
            Ended::Undecided => self.0.forgive(&attempt.email, now).await,
            Ended::Succeeded => self.0.forget(&attempt.email).await,
        }
        // An owner of one account must not be able to forget what the address tried at others.
        self.0.forgive(&attempt.address, now).await;
    }

    /// Counts a request for a password reset from an address.
    pub(crate) async fn request_reset(&self, address: IpAddr, now: OffsetDateTime) -> Result<(), Wait> {
        self.0.count(&Subject::resets_from(address), MOST_OF_ADDRESS, now).await
    }

    /// A password was reset by mail: the owner may sign in at once.
    pub(crate) async fn reset(&self, email: &str) {
        self.0.forget(&Subject::email(email)).await;
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
pub struct FailuresInMemory(Mutex<HashMap<Subject, Counted>>);

#[derive(Debug)]
struct Counted {
    failures: VecDeque<OffsetDateTime>,
    /// The wait that was imposed last; zero when there was none.
    wait: Duration,
    until: OffsetDateTime,
    /// When the wait ended that the last failure made longer.
    ended_before: OffsetDateTime,
}

impl Counted {
    fn new(now: OffsetDateTime) -> Self {
        Self { failures: VecDeque::new(), wait: Duration::ZERO, until: now, ended_before: now }
    }

    /// Drops what no longer counts.
    fn refresh(&mut self, now: OffsetDateTime) {
        while self.failures.front().is_some_and(|failed| *failed + WINDOW <= now) {
            self.failures.pop_front();
        }
        if self.until + WINDOW <= now {
            self.wait = Duration::ZERO;
        }
    }

    fn count(&mut self, most: u32, now: OffsetDateTime) -> Result<(), Wait> {
        self.refresh(now);
        if now < self.until {
            return Err(Wait(self.until - now));
        }
        self.failures.push_back(now);
        self.ended_before = self.until;
        if self.is_full(most) || self.wait > Duration::ZERO {
            self.wait = self.wait.saturating_mul(2).clamp(FIRST_WAIT, LONGEST_WAIT);
            self.until = now + self.wait;
        }
        Ok(())
    }

    /// Takes back the last count, and with it what it did to the wait. What was imposed before it stays:
    /// otherwise a right password between two wrong codes would begin the waits anew.
    fn forgive(&mut self) {
        self.failures.pop_back();
        self.wait = if self.wait > FIRST_WAIT { self.wait / 2_i32 } else { Duration::ZERO };
        self.until = self.ended_before;
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
    fn with<T>(&self, work: impl FnOnce(&mut HashMap<Subject, Counted>) -> T) -> T {
        // A panic elsewhere cannot have left a count half changed.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Failures for FailuresInMemory {
    async fn count(&self, subject: &Subject, most: u32, now: OffsetDateTime) -> Result<(), Wait> {
        self.with(|all| {
            if all.len() >= MOST_SUBJECTS && !all.contains_key(subject) {
                make_room(all, now);
            }
            all.entry(subject.clone()).or_insert_with(|| Counted::new(now)).count(most, now)
        })
    }

    async fn forgive(&self, subject: &Subject, now: OffsetDateTime) {
        self.with(|all| {
            if let Some(counted) = all.get_mut(subject) {
                counted.forgive();
                if counted.is_over(now) {
                    all.remove(subject);
                }
            }
        });
    }

    async fn forget(&self, subject: &Subject) {
        self.with(|all| all.remove(subject));
    }
}

/// Drops what no longer counts; where that is too little, the half that has failed longest ago.
fn make_room(all: &mut HashMap<Subject, Counted>, now: OffsetDateTime) {
    all.retain(|_, counted| !counted.is_over(now));
    if all.len() > MOST_SUBJECTS / 2 {
        let mut last: Vec<OffsetDateTime> = all.values().map(Counted::last).collect();
        last.sort_unstable();
        let median = last.get(last.len() / 2).copied().unwrap_or(now);
        all.retain(|_, counted| counted.last() > median);
    }
}

#[cfg(test)]
mod tests;
