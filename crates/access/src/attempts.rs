//! Attempts of callers without a key, such as requests with invalid tokens, counted in a rolling window.

use async_trait::async_trait;
use time::{Duration, OffsetDateTime};

use crate::ports::AttemptLimiter;
use crate::quota::QuotaDecision;
use crate::rolling_window::RollingWindows;

/// One kind of attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptWindow {
    /// The name in stores that processes share. It never changes.
    pub name: &'static str,
    pub length: Duration,
    /// The most subjects that one process counts.
    pub most_subjects: usize,
}

impl AttemptWindow {
    /// Counts in the memory of this process.
    #[must_use]
    pub fn in_memory(self) -> RollingWindows<String> {
        RollingWindows::of(self.length, self.most_subjects)
    }
}

#[async_trait]
impl AttemptLimiter for RollingWindows<String> {
    async fn attempt(&self, subject: &str, most: u32, now: OffsetDateTime) -> QuotaDecision {
        self.count(subject.to_owned(), most, now)
    }
}
