//! Handles inbound messages soon after they are received.

use std::convert::Infallible;
use std::num::NonZeroU32;

use async_trait::async_trait;
use kernel::{Clock, StoreResult, error_chain};
use outbox::{JobKind, JobLimits, LEASE, LeaseRequest, LeasedBatch, Pace, Unrecorded};
use time::OffsetDateTime;

use super::receive::InboundService;
use crate::message::MessageId;

/// Handles inbound messages; [`outbox::run`] runs it. Each message is settled in the transaction that handles
/// it, so that no result is left to record.
#[derive(Clone)]
pub struct InboundWorker {
    /// The use cases.
    pub service: InboundService,
    /// How many messages are handled at once.
    pub max_concurrent: NonZeroU32,
}

#[async_trait]
impl JobKind for InboundWorker {
    const NAME: &'static str = "inbound";
    type Lane = ();
    type Leased = MessageId;
    type Result = Option<Infallible>;

    fn limits(&self) -> JobLimits {
        JobLimits::concurrent(self.max_concurrent.get())
    }

    fn clock(&self) -> &dyn Clock {
        &*self.service.clock
    }

    fn lane(_job: &MessageId) {}

    async fn lease_due(&self, request: LeaseRequest<'_, ()>) -> StoreResult<LeasedBatch<MessageId>> {
        let limit = request.rooms.first().map_or(request.limit, |((), room)| request.limit.min(*room));
        if limit == 0 {
            return Ok(LeasedBatch::default());
        }
        let jobs = self.service.inbox.lease(request.now, request.now.saturating_add(LEASE), limit).await?;
        let more = u32::try_from(jobs.len()).is_ok_and(|leased| leased >= limit);
        Ok(LeasedBatch { jobs, more })
    }

    async fn attempt(&self, id: MessageId) -> (Option<Self::Result>, Pace) {
        match self.service.handle(id).await {
            Ok(()) => (None, Pace::Succeeded),
            Err(error) => {
                let error = error_chain(&error);
                tracing::warn!(message = %id, error, "an inbound message could not be worked on; it is tried again");
                (None, Pace::Failed)
            }
        }
    }

    fn not_attempted(_job: MessageId, _now: OffsetDateTime) -> Self::Result {
        None
    }

    async fn record(&self, _results: &[Self::Result]) -> Result<(), Vec<Unrecorded<Self::Result>>> {
        Ok(())
    }

    fn lease_has_ended(_result: &Self::Result, _now: OffsetDateTime) -> bool {
        false
    }
}
