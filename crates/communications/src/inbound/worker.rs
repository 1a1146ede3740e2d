//! Handles inbound messages soon after they are received.

use std::num::NonZeroU32;

use async_trait::async_trait;
use kernel::{Clock, StoreResult, error_chain, retry_contended};
use outbox::{
    JobKind, JobLimits, LEASE, LeaseRequest, LeasedBatch, Pace, Unrecorded, wait_after_store_failure,
};
use time::OffsetDateTime;

use super::inbox::InboxLease;
use super::receive::InboundService;

/// Handles inbound messages; [`outbox::run`] runs it. Each message is settled in the transaction that handles
/// it, so that only the results of failed attempts are left to record.
#[derive(Clone)]
pub struct InboundWorker {
    /// The use cases.
    pub service: InboundService,
    /// How many messages are handled at once.
    pub max_concurrent: NonZeroU32,
}

/// A message that was not handled, and when it is due again.
#[derive(Debug)]
pub struct NotHandled {
    lease: InboxLease,
    due_at: OffsetDateTime,
}

#[async_trait]
impl JobKind for InboundWorker {
    const NAME: &'static str = "inbound";
    type Lane = ();
    type Leased = InboxLease;
    type Result = NotHandled;

    fn limits(&self) -> JobLimits {
        JobLimits::concurrent(self.max_concurrent.get())
    }

    fn clock(&self) -> &dyn Clock {
        &*self.service.clock
    }

    fn lane(_job: &InboxLease) {}

    async fn lease_due(&self, request: LeaseRequest<'_, ()>) -> StoreResult<LeasedBatch<InboxLease>> {
        let limit = request.rooms.first().map_or(request.limit, |((), room)| request.limit.min(*room));
        if limit == 0 {
            return Ok(LeasedBatch::default());
        }
        let jobs = self.service.inbox.lease(request.now, request.now.saturating_add(LEASE), limit).await?;
        let more = u32::try_from(jobs.len()).is_ok_and(|leased| leased >= limit);
        Ok(LeasedBatch { jobs, more })
    }

    async fn attempt(&self, lease: InboxLease) -> (Option<NotHandled>, Pace) {
        match self.service.handle(lease.id).await {
            Ok(()) => (None, Pace::Succeeded),
            Err(error) => {
                let error = error_chain(&error);
                tracing::warn!(message = %lease.id, error, "an inbound message could not be worked on; it is tried again");
                // Its attempts are counted: those that follow soon must not use them up.
                let wait = if lease.attempt <= 2 { wait_after_store_failure(lease.attempt) } else { LEASE };
                let due_at = self.service.clock.now().saturating_add(wait);
                (Some(NotHandled { lease, due_at }), Pace::Failed)
            }
        }
    }

    fn not_attempted(lease: InboxLease, now: OffsetDateTime) -> NotHandled {
        NotHandled { lease, due_at: now }
    }

    async fn record(&self, results: &[NotHandled]) -> Result<(), Vec<Unrecorded<NotHandled>>> {
        let mut failed = Vec::new();
        for NotHandled { lease, due_at } in results {
            let recorded = retry_contended(|| self.service.inbox.postpone(*lease, *due_at)).await;
            if let Err(error) = recorded {
                let result = NotHandled { lease: *lease, due_at: *due_at };
                failed.push(Unrecorded { results: vec![result], error });
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    fn lease_has_ended(result: &NotHandled, now: OffsetDateTime) -> bool {
        result.lease.ends_at <= now
    }
}
