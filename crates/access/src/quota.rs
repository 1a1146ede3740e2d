//! Quotas: how many requests a key may make in a rolling minute (contract, "Limits").

use time::{Duration, OffsetDateTime};

pub const WINDOW: Duration = Duration::MINUTE;

/// Reads and writes have separate quotas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// GET and HEAD.
    Reads,
    /// POST, PUT, PATCH and DELETE.
    Writes,
}

/// How many requests a key may make in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    /// GET and HEAD requests a minute.
    pub reads: u32,
    /// POST, PUT, PATCH and DELETE requests a minute.
    pub writes: u32,
}

impl Quotas {
    #[must_use]
    pub const fn of(self, bucket: Bucket) -> u32 {
        match bucket {
            Bucket::Reads => self.reads,
            Bucket::Writes => self.writes,
        }
    }
}

impl Default for Quotas {
    fn default() -> Self {
        Self { reads: 120, writes: 30 }
    }
}

/// The limiter's decision on one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaDecision {
    /// Whether the request is allowed.
    pub allowed: bool,
    pub limit: u32,
    /// How many more requests the window allows now.
    pub remaining: u32,
    /// When the oldest counted request leaves the window, which allows one more request.
    pub resets_at: OffsetDateTime,
}

impl QuotaDecision {
    /// `X-RateLimit-Reset`: [`QuotaDecision::resets_at`] as a Unix timestamp in whole seconds, rounded up.
    #[must_use]
    pub fn reset_timestamp(&self) -> i64 {
        let seconds = self.resets_at.unix_timestamp();
        if self.resets_at.nanosecond() > 0 { seconds.saturating_add(1) } else { seconds }
    }

    /// `Retry-After`: the whole seconds until [`QuotaDecision::resets_at`], rounded up, at least 1.
    #[must_use]
    pub fn retry_after(&self, now: OffsetDateTime) -> i64 {
        let wait = self.resets_at - now;
        let seconds = wait.whole_seconds();
        let part = i64::from(wait.subsec_nanoseconds() > 0);
        seconds.saturating_add(part).max(1)
    }
}
