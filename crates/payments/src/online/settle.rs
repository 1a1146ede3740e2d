//! Settling a charge: the only way in which money captured by a gateway becomes a payment.

use std::collections::BTreeSet;

use invoices::{Invoice, Payment, RecordPaymentError, RecordedBy};
use kernel::{AccountId, Id, Money, SingleLine, StoreError, StoreResult, retry_contended};
use time::OffsetDateTime;

use super::charge::Charge;
use super::gateway_job::GatewayTask;
use super::intent::{Intent, IntentState};
use super::notices;
use super::online_payments::OnlinePayments;
use super::ports::{OnlineTx, Payee, Payer, SettlementContext};
use super::receipt_email;
use super::reversal::{Reversal, ReversalId, ReversalReason};
use super::settings::UnappliedMoney;
use crate::gateway::{ChargeReport, ChargeState, GatewayAccountId, IntentId, RefundState};
use mail::OwnerNotice;

/// The result of settling a charge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// The charge is stored, in this state.
    Stored(Charge),
    /// The charge does not belong to a payment that this service began.
    NotOurs,
}

/// Why a charge was not settled. Nothing was changed; settling is retried later.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// The invoice refuses the amount that it reported as due.
    #[error("the payment is refused: {0}")]
    Refused(#[from] invoices::PaymentRefused),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Says so when money was paid for this account and the payment is not in the database: a backup was restored
/// that is older. The operator must record it.
fn warn_of_lost(report: &ChargeReport, account: AccountId) {
    if report.account == Some(account) && report.state == ChargeState::Succeeded {
        let (charge, amount) = (&report.id.0, report.amount);
        tracing::warn!(%account, charge, %amount, "a charge is not recorded: its payment is not in the database");
    }
}

impl From<RecordPaymentError> for SettleError {
    fn from(error: RecordPaymentError) -> Self {
        match error {
            RecordPaymentError::Refused(refused) => Self::Refused(refused),
            RecordPaymentError::Store(error) => Self::Store(error),
            // Not the caller's fault: amount and time are set here.
            other => Self::Store(StoreError::Failed(Box::new(other))),
        }
    }
}

impl OnlinePayments {
    /// Settles a charge as fetched from the gateway, in one transaction: locks the invoice, stores the
    /// charge, records what is due of it as a payment, and queues the return of the rest. Any number of
    /// reports of a charge, in any order and concurrently, lead to the same state.
    ///
    /// # Errors
    /// A [`SettleError`]; then nothing was changed.
    pub async fn settle(
        &self,
        gateway: (AccountId, GatewayAccountId),
        report: &ChargeReport,
    ) -> Result<Settled, SettleError> {
        retry_contended(|| self.try_to_settle(gateway, report)).await
    }

    async fn try_to_settle(
        &self,
        (account, gateway): (AccountId, GatewayAccountId),
        report: &ChargeReport,
    ) -> Result<Settled, SettleError> {
        let Some(id) = report.intent else {
            return Ok(Settled::NotOurs);
        };
        let now = self.now();
        let mut tx = self.store.begin(account).await?;
        let Some(found) = tx.online().intent(id).await?.filter(|one| one.gateway_account == gateway) else {
            warn_of_lost(report, account);
            return Ok(Settled::NotOurs);
        };
        // The records of an invoice change only under the invoice's lock.
        let invoice = tx.invoices().lock(found.invoice).await?;
        let Some(mut invoice) = invoice else {
            return Ok(Settled::NotOurs);
        };
        let Some(context) = tx.online().settlement_context(&invoice).await? else {
            return Ok(Settled::NotOurs);
        };
        let SettlementContext { payee, settings, charges, payer } = context;
        let is_reported = |one: &Charge| one.gateway_account == gateway && one.gateway_id == report.id;
        let waits = |one: &Charge| one.intent == found.id && one.state == ChargeState::Pending;
        let waits_for_another = charges.iter().any(|one| waits(one) && !is_reported(one));
        let known = charges.into_iter().find(is_reported);
        let is_new = known.is_none();
        let mut charge = known.unwrap_or_else(|| {
            let of = (gateway, found.id, found.invoice);
            Charge::first_seen(Id::new(&*self.invoicing.ids, now), account, of, report)
        });
        let before = charge.clone();
        let is_captured = charge.observe(report);
        if is_captured {
            charge.keeps_unapplied = settings.unapplied == UnappliedMoney::Keep;
            self.apply(&mut *tx, &mut charge, (&mut invoice, payer), &found, now).await?;
        }
        if is_new {
            tx.online().add_charge(&charge).await?;
        } else if charge != before {
            tx.online().update_charge(&charge).await?;
        }
        if before.state == ChargeState::Pending && charge.state == ChargeState::Failed && !waits_for_another {
            end_failed(&mut *tx, found.id).await?;
        }
        if is_captured {
            self.after_capture(&mut *tx, &charge, &payee, &invoice, now).await?;
        }
        self.apply_reported_reversals(&mut *tx, &charge, report, &payee, &invoice, now).await?;
        tx.commit().await?;
        Ok(Settled::Stored(charge))
    }

    /// Records the part of the captured money that is due as a payment.
    async fn apply(
        &self,
        tx: &mut dyn OnlineTx,
        charge: &mut Charge,
        (invoice, payer): (&mut Invoice, Option<Payer>),
        of: &Intent,
        now: OffsetDateTime,
    ) -> Result<(), SettleError> {
        charge.applied = applicable(invoice, charge.amount);
        if !charge.applied.is_zero() {
            let payment = Payment {
                id: Id::new(&*self.invoicing.ids, now),
                amount: charge.applied,
                method: charge.method.payment_method(),
                reference: SingleLine::parse(&charge.gateway_id.0).ok(),
                // The gateway's clock may be ahead of ours.
                received_at: charge.captured_at.min(now),
                recorded_by: RecordedBy::PaymentPage,
            };
            self.invoicing.store_payment(tx.invoicing(), invoice, &payment, now).await?;
            charge.payment = Some(payment.id);
            if let Some(payer) = payer {
                let at = (&*self.invoicing.ids, now);
                receipt_email::queue(tx, payer, invoice, &payment, at).await?;
            }
        }
        // A paid invoice has no amount left for other checkouts.
        if !invoice.status.is_payable() {
            self.expire_others(tx, of, now).await?;
        }
        Ok(())
    }

    async fn expire_others(
        &self,
        tx: &mut dyn OnlineTx,
        of: &Intent,
        now: OffsetDateTime,
    ) -> Result<(), SettleError> {
        let open = tx.online().open_intents(of.invoice).await?;
        for other in open.into_iter().filter(|one| one.id != of.id && one.can_be_paid()) {
            let expiring = Intent { state: IntentState::Expiring, ..other };
            tx.online().put_intent(&expiring).await?;
            let task = GatewayTask::Expire { intent: expiring.id.uuid() };
            let job = task.into_job(of.account, Some(of.invoice), &*self.invoicing.ids, now);
            tx.jobs().queue(job).await?;
        }
        Ok(())
    }

    /// Queues the return of the unapplied part, and notifies the owner.
    async fn after_capture(
        &self,
        tx: &mut dyn OnlineTx,
        charge: &Charge,
        payee: &Payee,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> Result<(), SettleError> {
        let figures = charge.figures(&[]);
        let returns = self.put_returns(tx, charge, &[], now).await?;
        self.queue_refunds(tx, charge, returns, now).await?;
        let notice = notices::captured(invoice, &figures);
        self.notify_owner(tx, payee, OwnerNotice::OnlinePayments, notice, invoice, now).await?;
        Ok(())
    }

    /// Stores the return of the part of a charge that must still be returned, given its known reversals.
    /// Gives the returns to make.
    pub(super) async fn put_returns(
        &self,
        tx: &mut dyn OnlineTx,
        charge: &Charge,
        known: &[Reversal],
        now: OffsetDateTime,
    ) -> StoreResult<BTreeSet<ReversalId>> {
        let left = charge.figures(known).to_return;
        if left.is_zero() {
            return Ok(BTreeSet::new());
        }
        let is_waiting =
            |one: &&Reversal| one.reason == ReversalReason::Return && one.state != RefundState::Succeeded;
        // The task of a waiting return may have ended while nothing was left to return.
        let mut tasks: BTreeSet<_> = known.iter().filter(is_waiting).map(|one| one.id).collect();
        let waiting = known.iter().filter(is_waiting);
        let waiting = waiting.fold(0_i64, |sum, one| sum.saturating_add(one.amount.minor()));
        let more = left.minor().saturating_sub(waiting);
        if more > 0 {
            let id = Id::new(&*self.invoicing.ids, now);
            let amount = Money::new(more, left.currency());
            let reversal = charge.reversal(id, ReversalReason::Return, amount, now);
            tx.online().put_reversal(&reversal).await?;
            tasks.insert(id);
        }
        Ok(tasks)
    }

    /// Queues a task for each refund.
    pub(super) async fn queue_refunds(
        &self,
        tx: &mut dyn OnlineTx,
        of: &Charge,
        refunds: BTreeSet<ReversalId>,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        for id in refunds {
            let task = GatewayTask::Refund { refund: id.uuid() };
            tx.jobs().queue(task.into_job(of.account, Some(of.invoice), &*self.invoicing.ids, now)).await?;
        }
        Ok(())
    }

    /// Mails a notice to the owner, unless the owner has switched this kind of notice off.
    pub(crate) async fn notify_owner(
        &self,
        tx: &mut dyn OnlineTx,
        payee: &Payee,
        kind: OwnerNotice,
        notice: mail::Notice,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> StoreResult<()> {
        if payee.owner.wants(kind) {
            let id = Id::new(&*self.invoicing.ids, now);
            let mail = notice.into_mail(id, &payee.owner, invoice.id.uuid(), now);
            tx.jobs().queue(mail.into_job()).await?;
        }
        Ok(())
    }
}

/// The part of captured money that is applied: what is due, in the invoice's currency.
fn applicable(invoice: &Invoice, captured: Money) -> Money {
    let none = Money::zero(captured.currency());
    if captured.currency() != invoice.currency || !invoice.status.is_payable() {
        return none;
    }
    let least = captured.minor().min(invoice.amount_due().minor()).max(0);
    Money::new(least, captured.currency())
}

/// Ends the intent of a debit that failed. The gateway takes no second payment at its checkout, and the
/// payer may begin again.
async fn end_failed(tx: &mut dyn OnlineTx, of: IntentId) -> StoreResult<()> {
    // Read under the lock of the invoice.
    let intent = tx.online().intent(of).await?.filter(|one| one.state == IntentState::Pending);
    if let Some(intent) = intent {
        tx.online().put_intent(&Intent { state: IntentState::Ended, ..intent }).await?;
    }
    Ok(())
}
