//! The worker that delivers webhooks: its side of the job engine.
//!
//! 1. The event's transaction stores it with its deliveries ([`publish`](crate::publish())), due at once.
//! 2. A worker leases them in a batch: one statement counts each attempt and sets the next attempt to the
//!    time that would follow the latest possible failure. From then on a crash of this process loses no
//!    delivery, and no delivery has a sixth attempt.
//! 3. Each delivery enters the lane of its endpoint, which begins it at once unless the endpoint has too many
//!    attempts in progress. Lanes do not wait for each other. After a wait the endpoint is looked up again
//!    before the attempt: it may be disabled or have another address.
//! 4. The delivery is signed and posted outside any transaction. 2xx is a success; anything else is a
//!    failure.
//! 5. The result is recorded in a batch with others: the attempt in the log, and the delivery as succeeded,
//!    abandoned, or due again after the schedule's wait. If recording fails, it is retried.
//!
//! Workers in any number of processes share the deliveries. A worker that is killed between 2 and 5 loses the
//! attempts that it had leased, never a delivery; a receiver may then receive an event again, with the same
//! id.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::text::one_line;
use kernel::{Clock, HttpsUrl, SealingKeys, StoreResult, error_chain};
use outbox::{Checked, JobKind, JobLimits, LeaseRequest, LeasedBatch, Pace, Unrecorded};
use time::OffsetDateTime;

use crate::delivery::{DeliveryAttempt, DeliveryOutcome, DeliveryResult, LeasedDelivery};
use crate::delivery_schedule::DeliverySchedule;
use crate::endpoint::EndpointId;
use crate::ports::{DeliveryQueue, DeliverySignal, ReceiverResponse, SendError, WebhookSender};
use crate::secret::SigningSecret;
use crate::signature::sign;

/// How long a delivery waits if this process cannot open its secret.
const WAIT_WITHOUT_KEY: time::Duration = time::Duration::MINUTE;

/// A hanging request uses about 33 KiB, and receivers may be small machines too.
const LIMITS: JobLimits = JobLimits {
    batch: 512,
    leased: 2_048,
    under_way: 800,
    reserved: 100,
    under_way_per_lane: 32,
    first_window: 16,
    largest_window: 512,
    max_wait: DeliverySchedule::MAX_WAIT,
};

/// Delivers due webhooks. Any number of delivery workers, in any number of processes, share a queue.
#[derive(Clone)]
pub struct DeliveryWorker {
    /// The deliveries.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Signals that events were published.
    pub signal: Arc<dyn DeliverySignal>,
    /// Sends to the receivers.
    pub sender: Arc<dyn WebhookSender>,
    /// The keys that seal signing secrets.
    pub keys: Arc<SealingKeys>,
    /// Decides what is due, and dates attempts, UTC.
    pub clock: Arc<dyn Clock>,
    /// When attempts are made, and how long one may take.
    pub schedule: DeliverySchedule,
}

#[async_trait]
impl JobKind for DeliveryWorker {
    const NAME: &'static str = "webhooks";
    type Lane = EndpointId;
    type Leased = LeasedDelivery;
    type Result = DeliveryResult;

    fn limits(&self) -> JobLimits {
        LIMITS
    }

    fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    fn lane(job: &LeasedDelivery) -> EndpointId {
        job.endpoint
    }

    async fn lease_due(
        &self,
        request: LeaseRequest<'_, EndpointId>,
    ) -> StoreResult<LeasedBatch<LeasedDelivery>> {
        self.queue.lease_due(request, &self.schedule).await
    }

    async fn check_waited(&self, jobs: Vec<LeasedDelivery>) -> Vec<Checked<LeasedDelivery, DeliveryResult>> {
        let endpoints: BTreeSet<_> = jobs.iter().map(|job| (job.lease.account, job.endpoint)).collect();
        let endpoints: Vec<_> = endpoints.into_iter().collect();
        let enabled = self.queue.enabled_urls(&endpoints).await;
        let now = self.clock.now();
        let enabled: HashMap<_, _> = match enabled {
            Ok(enabled) => enabled.into_iter().collect(),
            Err(error) => {
                tracing::warn!(
                    error = error_chain(&error),
                    "could not look up the endpoints of webhook deliveries"
                );
                HashMap::new()
            }
        };
        let check = |job: LeasedDelivery| match enabled.get(&job.endpoint) {
            Some(url) => Checked::Attempt(LeasedDelivery { url: url.clone(), ..job }),
            // Disabled or deleted, which has stopped the delivery; or the look-up failed: due again.
            None => Checked::Skip(Self::not_attempted(job, now)),
        };
        jobs.into_iter().map(check).collect()
    }

    /// Makes the attempt of a lease.
    ///
    /// If this process cannot open the secret, no attempt is counted: the database has another master key,
    /// and another process, or this one after a restart, will deliver. Until then the delivery is due once a
    /// minute.
    async fn attempt(&self, job: LeasedDelivery) -> (Option<DeliveryResult>, Pace) {
        let began_at = self.clock.now();
        let (account, delivery) = (job.lease.account, job.lease.id);
        let Ok(secret) = job.secret.open(&self.keys, account, job.endpoint) else {
            tracing::error!(%account, %delivery, "the signing secret of a webhook endpoint cannot be opened: restart with the master key that the database has moved to");
            let due_at = began_at.saturating_add(WAIT_WITHOUT_KEY);
            return (Some(Self::not_attempted(job, due_at)), Pace::Failed);
        };
        let answered = self.send(&job, &secret).await;
        let pace = pace_of(&answered);
        let result = self.result(&job, began_at, answered);
        log_result(&result);
        (Some(result), pace)
    }

    fn not_attempted(job: LeasedDelivery, due_at: OffsetDateTime) -> DeliveryResult {
        DeliveryResult { lease: job.lease, attempt: None, outcome: DeliveryOutcome::NotAttempted(due_at) }
    }

    async fn record(&self, results: &[DeliveryResult]) -> Result<(), Vec<Unrecorded<DeliveryResult>>> {
        self.queue.record(results).await
    }

    fn accounts_fail_alone(&self) -> bool {
        self.queue.accounts_fail_alone()
    }

    fn lease_has_ended(result: &DeliveryResult, now: OffsetDateTime) -> bool {
        result.lease.until <= now
    }

    async fn due_at_once(&self) {
        self.signal.published().await;
    }
}

impl DeliveryWorker {
    async fn send(
        &self,
        job: &LeasedDelivery,
        secret: &SigningSecret,
    ) -> Result<ReceiverResponse, SendError> {
        let url = HttpsUrl::parse(&job.url)
            .map_err(|fault| SendError::Failed(format!("the endpoint's address {fault}")))?;
        let signature = sign(secret, job.body.as_bytes());
        let limit = Duration::try_from(self.schedule.attempt_limit()).unwrap_or(Duration::ZERO);
        self.sender.send(&url, &job.body, &signature, limit).await
    }

    fn result(
        &self,
        job: &LeasedDelivery,
        began_at: OffsetDateTime,
        answered: Result<ReceiverResponse, SendError>,
    ) -> DeliveryResult {
        let (ended_at, number) = (self.clock.now(), job.lease.attempt);
        let outcome = match &answered {
            Ok(response) if is_success(response) => DeliveryOutcome::Succeeded(ended_at),
            _ => match self.schedule.next_attempt(number, ended_at) {
                Some(next) => DeliveryOutcome::Retry(next),
                None => DeliveryOutcome::Abandoned(ended_at),
            },
        };
        let (response, error) = match answered {
            Ok(response) => (Some(response), None),
            Err(error) => {
                let text = one_line(&error.to_string(), DeliveryAttempt::MAX_ERROR);
                (error.into_begun(), Some(text))
            }
        };
        let attempt = DeliveryAttempt {
            number,
            at: began_at,
            duration: Some(whole_milliseconds(ended_at - began_at)),
            response_status: response.as_ref().map(|response| response.status),
            response_body: response.map(|response| body_text(&response.body)),
            error,
        };
        DeliveryResult { lease: job.lease, attempt: Some(attempt), outcome }
    }
}

fn log_result(result: &DeliveryResult) {
    let (delivery, attempt) = (result.lease.id, result.lease.attempt);
    let (account, event) = (result.lease.account, result.lease.event);
    let logged = result.attempt.as_ref();
    let status = logged.and_then(|attempt| attempt.response_status);
    let reason = logged.and_then(|attempt| attempt.error.as_deref());
    match result.outcome {
        DeliveryOutcome::Succeeded(_) => {
            tracing::debug!(%delivery, %event, attempt, status, "webhook delivered");
        }
        DeliveryOutcome::Retry(next) => {
            tracing::info!(%account, %delivery, %event, attempt, status, reason, %next, "webhook not delivered yet");
        }
        DeliveryOutcome::Abandoned(_) => {
            tracing::warn!(%account, %delivery, %event, attempt, status, reason, "webhook abandoned; `countinghouse webhook replay` delivers it once more");
        }
        DeliveryOutcome::NotAttempted(_) => {}
    }
}

/// Any 2xx response is a success, and nothing else is. The time limit covers the response too, so one that is
/// not complete is a failed connection or a timeout (contract, "Success, retries and ordering", 1).
fn is_success(response: &ReceiverResponse) -> bool {
    (200..300).contains(&response.status)
}

/// A duration in the range that is stored. Negative durations, after the clock was set back, become zero.
fn whole_milliseconds(duration: time::Duration) -> time::Duration {
    let millis = duration.whole_milliseconds().clamp(0, i128::from(i32::MAX));
    time::Duration::milliseconds(i64::try_from(millis).unwrap_or(0))
}

fn pace_of(answered: &Result<ReceiverResponse, SendError>) -> Pace {
    match answered {
        Ok(response) if is_success(response) => Pace::Succeeded,
        Err(SendError::TimedOut(_) | SendError::Stalled(..)) => Pace::TimedOut,
        Ok(_) | Err(SendError::BrokeOff(_) | SendError::Failed(_)) => Pace::Failed,
    }
}

/// A response's body as text that every database accepts: valid UTF-8, no NUL, at most
/// [`DeliveryAttempt::MAX_BODY`] bytes.
fn body_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    let end = text.floor_char_boundary(DeliveryAttempt::MAX_BODY);
    text.get(..end).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_text_is_cut_between_characters_and_has_no_nul() {
        let text = body_text(&[b"a".as_slice(), "ä".repeat(2_000).as_bytes()].concat());
        assert_eq!(text.len(), 2_047);
        assert!(text.ends_with('ä'));
        assert_eq!(body_text(b"a\0b\xff"), "a\u{fffd}b\u{fffd}");
        let longer_when_replaced = body_text(&[0xff; 2_048]);
        assert!(longer_when_replaced.len() <= DeliveryAttempt::MAX_BODY);
    }
}
