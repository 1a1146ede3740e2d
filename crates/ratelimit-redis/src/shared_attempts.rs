//! The port for attempts without a key over Redis.

use std::sync::Arc;

use access::{AttemptLimiter, AttemptWindow, QuotaDecision};
use async_trait::async_trait;
use time::OffsetDateTime;

use crate::redis_link::RedisLink;
use crate::shared_windows::SharedWindows;
use crate::subject::subject_name;

/// Attempts of one kind, which all processes with the same Redis count together.
pub struct SharedAttempts {
    kind: &'static str,
    windows: SharedWindows<String>,
}

impl SharedAttempts {
    pub(crate) fn new(link: Arc<RedisLink>, window: AttemptWindow) -> Self {
        let windows = SharedWindows::new(link, window.length.unsigned_abs(), window.in_memory());
        Self { kind: window.name, windows }
    }
}

#[async_trait]
impl AttemptLimiter for SharedAttempts {
    async fn attempt(&self, subject: &str, most: u32, now: OffsetDateTime) -> QuotaDecision {
        let name = subject_name(self.kind, subject);
        self.windows.count(subject.to_owned(), &name, most, now).await
    }
}
