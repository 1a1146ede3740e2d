//! The port for failed sign-ins over Redis, with the process's own count as a fallback.

use std::sync::Arc;

use async_trait::async_trait;
use redis::Script;
use sessions::throttle::{FIRST_WAIT, MAX_ATTEMPT, MAX_WAIT, WINDOW};
use sessions::{Failures, FailuresInMemory, OverLimit, ThrottledSubject, Wait};
use time::{Duration, OffsetDateTime};

use crate::redis_link::RedisLink;
use crate::subject::subject_name;

const SCRIPT: &str = include_str!("failures.lua");

/// Failed sign-ins, which all processes with the same Redis count together, on the Redis server's clock.
///
/// The process also keeps its own count: it decides while Redis is down, and may also refuse until everything
/// that was counted meanwhile has left the window.
pub struct SharedFailures {
    link: Arc<RedisLink>,
    script: Script,
    own: FailuresInMemory,
}

/// The operation of the script.
#[derive(Debug, Clone, Copy)]
enum FailuresOperation {
    Count,
    Fail,
    Forgive,
    Forget,
}

impl SharedFailures {
    pub(crate) fn new(link: Arc<RedisLink>) -> Self {
        Self { link, script: Script::new(SCRIPT), own: FailuresInMemory::default() }
    }

    /// Calls the script. Returns the wait, how many attempts are open, and whether Redis was down within the
    /// window; `None` when it is down now.
    async fn ask(
        &self,
        operation: FailuresOperation,
        subject: &ThrottledSubject,
        most: u32,
    ) -> Option<((i64, u32), bool)> {
        let live = self.link.live()?;
        let was_down = self.link.was_down(&live, WINDOW.unsigned_abs());
        let name = subject_name("failures", subject.as_str());
        let mut call = self.script.key(&name);
        call.key(format!("{name}:wait"));
        call.key(format!("{name}:open"));
        call.arg(match operation {
            FailuresOperation::Count => "count",
            FailuresOperation::Fail => "fail",
            FailuresOperation::Forgive => "forgive",
            FailuresOperation::Forget => "forget",
        });
        call.arg(most);
        for duration in [WINDOW, FIRST_WAIT, MAX_WAIT, MAX_ATTEMPT] {
            call.arg(u64::try_from(duration.unsigned_abs().as_micros()).unwrap_or(u64::MAX));
        }
        Some((self.link.invoke(live, &call).await?, was_down))
    }
}

#[async_trait]
impl Failures for SharedFailures {
    async fn count(
        &self,
        subject: &ThrottledSubject,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<(), OverLimit> {
        let own = self.own.count(subject, most, now).await;
        match self.ask(FailuresOperation::Count, subject, most).await {
            Some(((wait, open), _)) if wait > 0 => {
                if own.is_ok() {
                    self.own.forgive(subject, now).await;
                }
                Err(OverLimit { wait: Wait(Duration::microseconds(wait)), has_open: open > 0 })
            }
            Some((_, true)) if own.is_err() => {
                self.ask(FailuresOperation::Forgive, subject, most).await;
                own
            }
            Some(_) => Ok(()),
            None => own,
        }
    }

    async fn fail(&self, subject: &ThrottledSubject) {
        self.own.fail(subject).await;
        self.ask(FailuresOperation::Fail, subject, 0).await;
    }

    async fn forgive(&self, subject: &ThrottledSubject, now: OffsetDateTime) {
        self.own.forgive(subject, now).await;
        self.ask(FailuresOperation::Forgive, subject, 0).await;
    }

    async fn forget(&self, subject: &ThrottledSubject) {
        self.own.forget(subject).await;
        self.ask(FailuresOperation::Forget, subject, 0).await;
    }
}
