//! The port for attempts without a key over Redis, with the process's own windows as a fallback.

use std::fmt;
use std::sync::Arc;

use access::{AttemptLimiter, AttemptWindow, QuotaDecision, RollingWindows};
use async_trait::async_trait;
use time::OffsetDateTime;

use crate::redis_link::{LiveConnection, RedisLink};
use crate::subject::subject_name;

/// Attempts of one kind, which all processes with the same Redis count together. As with
/// [`SharedWindows`](crate::SharedWindows), the process's own windows decide while Redis is down, and may
/// also refuse for the length of a window after that.
pub struct SharedAttempts {
    link: Arc<RedisLink>,
    window: AttemptWindow,
    own: RollingWindows<String>,
}

impl SharedAttempts {
    pub(crate) fn new(link: Arc<RedisLink>, window: AttemptWindow) -> Self {
        Self { link, window, own: window.in_memory() }
    }

    async fn attempt_shared(
        &self,
        live: LiveConnection,
        subject: &str,
        most: u32,
        now: OffsetDateTime,
    ) -> Option<QuotaDecision> {
        let length = self.window.length.unsigned_abs();
        let own = subject.to_owned();
        if self.link.was_down(&live, length)
            && let Some(refusal) = self.own.refusal(&own, most, now)
        {
            return Some(refusal);
        }
        let name = subject_name(self.window.name, subject);
        let shared = self.link.take(live, &name, most, length).await?.decision(most, now);
        if shared.allowed {
            // Redis has decided; the process counts for the time when Redis is down.
            let _ = self.own.count(own, most, now);
        }
        Some(shared)
    }
}

#[async_trait]
impl AttemptLimiter for SharedAttempts {
    async fn attempt(&self, subject: &str, most: u32, now: OffsetDateTime) -> QuotaDecision {
        if let Some(live) = self.link.live()
            && let Some(decision) = self.attempt_shared(live, subject, most, now).await
        {
            return decision;
        }
        self.own.count(subject.to_owned(), most, now)
    }
}

impl fmt::Debug for SharedAttempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedAttempts").field("window", &self.window).finish_non_exhaustive()
    }
}
