//! Carries out the calls to gateways that transactions have queued.

use async_trait::async_trait;
use kernel::StoreResult;
use outbox::{Failure, JobContext, JobHandler, Leased, NotDone, RetrySchedule};
use time::Duration;

use super::gateway_job::GatewayTask;
use super::online_payments::OnlinePayments;
use super::reconcile::ReconcileError;
use super::reversal::ReversalId;
use crate::gateway::{ChargeId, CheckoutId, GatewayAccountId, IntentId};

/// Carries out queued gateway tasks.
#[derive(Clone)]
pub struct GatewayWorker {
    /// The queued tasks, and how many are carried out at once.
    pub jobs: JobContext,
    /// The use cases.
    pub payments: OnlinePayments,
}

#[async_trait]
impl JobHandler for GatewayWorker {
    const SCHEDULE: RetrySchedule = RetrySchedule {
        waits: &[Duration::seconds(10), Duration::minutes(1), Duration::minutes(10), Duration::hours(1)],
        later_wait: Duration::hours(4),
        give_up_after: Duration::days(14),
        too_late: "the gateway did not do it within 14 days",
    };
    type Payload = GatewayTask;

    fn jobs(&self) -> &JobContext {
        &self.jobs
    }

    async fn handle(&self, job: &Leased<GatewayTask>) -> Result<(), NotDone> {
        let (account, payments) = (job.lease.account, &self.payments);
        let done = match &job.payload {
            GatewayTask::Expire { intent } => payments.expire(account, IntentId::from_uuid(*intent)).await,
            GatewayTask::Refund { refund } => {
                let id = ReversalId::from_uuid(*refund);
                return payments.carry_out_refund(account, id).await.map_err(not_done);
            }
            GatewayTask::Checkout { gateway_account, checkout } => {
                let (id, checkout) =
                    (GatewayAccountId::from_uuid(*gateway_account), CheckoutId(checkout.clone()));
                payments.follow_up_checkout(account, id, &checkout).await
            }
            GatewayTask::Charge { gateway_account, charge } => {
                let (id, charge) = (GatewayAccountId::from_uuid(*gateway_account), ChargeId(charge.clone()));
                payments.follow_up_charge(account, id, &charge).await
            }
        };
        done.map_err(|error| match error {
            ReconcileError::Gateway(error) if !error.may_pass() => {
                Failure::Permanent(error.to_string()).into()
            }
            error => not_done(error),
        })
    }

    /// Queues a new job for a refund: the payer must get it, so its attempts have no end.
    async fn given_up(&self, job: &Leased<GatewayTask>, _reason: &str) -> StoreResult<()> {
        match &job.payload {
            GatewayTask::Refund { refund } => {
                let (account, refund) = (job.lease.account, ReversalId::from_uuid(*refund));
                self.payments.queue_refund_anew(account, refund).await
            }
            GatewayTask::Expire { .. } | GatewayTask::Checkout { .. } | GatewayTask::Charge { .. } => Ok(()),
        }
    }
}

fn not_done(error: ReconcileError) -> NotDone {
    match error {
        ReconcileError::Store(error) => NotDone::Store(error),
        error => Failure::Temporary(error.to_string()).into(),
    }
}
