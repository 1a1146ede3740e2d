//! Refunds: requested once by the owner or the operator, and retried at the gateway until they succeed.

use std::collections::BTreeSet;

use idempotency::{
    Claim, Fingerprint, IdempotencyKey, IdempotentOperation, IdempotentOutcome, StoredResponse, Ticket,
};
use invoices::{Invoice, PaymentId};
use kernel::{AccountId, AuditDetails, Id, Money, StoreError, StoreResult, retry_contended};
use mail::OwnerNotice;
use serde_json::json;

use super::charge::Charge;
use super::gateway_job::GatewayTask;
use super::notices;
use super::offer::writable_around;
use super::online_payments::OnlinePayments;
use super::reconcile::ReconcileError;
use super::reversal::{Reversal, ReversalId, ReversalReason};
use crate::gateway::{
    AmountRefused, ChargeReport, GatewayError, NewRefund, PaymentGateway, RefundKey, RefundReport,
    RefundState, ReversalReport,
};

/// A request for a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundRequest {
    /// The payment to refund from.
    pub payment: PaymentId,
    /// The amount, in major units, as it was written.
    pub amount: String,
}

/// The present state of a refund.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefundView {
    /// The refund's id.
    pub id: ReversalId,
    /// The payment.
    pub payment: PaymentId,
    /// The amount.
    pub amount: Money,
    /// Whether the gateway has paid it out.
    pub state: RefundState,
}

/// Why a refund was not made.
#[derive(Debug, thiserror::Error)]
pub enum RefundError {
    /// The account has no online payment with this id.
    #[error("the account has no such payment that was made online; only those can be refunded here")]
    NotOnline,
    /// The amount is not valid in the payment's currency.
    #[error("the amount {0}")]
    Amount(String),
    /// The rest of the payment is below the amount.
    #[error("the amount is above what is left of the payment, {0} {cur}", cur = .0.currency())]
    AboveLeft(Money),
    /// The payment was made in the sandbox, and this process has none.
    #[error("the payment was made in the sandbox, which is off; no money was paid that could be refunded")]
    SandboxOff,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<AmountRefused> for RefundError {
    fn from(refused: AmountRefused) -> Self {
        Self::Amount(match refused {
            AmountRefused::NotWritable(amount) => {
                format!("cannot be refunded to its last decimal in {}", amount.currency())
            }
            other => other.to_string(),
        })
    }
}

impl OnlinePayments {
    /// Requests the refund of a part of a payment, once for each idempotency key, and queues it. `present`
    /// makes the stored response.
    ///
    /// # Errors
    /// A [`RefundError`]; then nothing was changed, and the key can be used again.
    pub async fn refund_once(
        &self,
        account: AccountId,
        request: &RefundRequest,
        key: IdempotencyKey,
        present: &(dyn Fn(&RefundView) -> StoredResponse + Send + Sync),
    ) -> Result<IdempotentOutcome, RefundError> {
        let charge = self.reads.charge_of(account, request.payment).await?.ok_or(RefundError::NotOnline)?;
        let amount = Money::entered(&request.amount, charge.amount.currency());
        let amount = amount.map_err(|fault| RefundError::Amount(fault.to_string()))?;
        if amount.minor() <= 0 {
            return Err(RefundError::Amount("must be above 0".to_owned()));
        }
        let gateway = self.reads.gateway(account, charge.gateway_account).await?;
        let is_off = gateway.as_ref().is_some_and(|gateway| self.is_off(gateway));
        if let Some(adapter) = gateway.and_then(|gateway| self.adapter(gateway.kind)) {
            adapter.refunds(amount)?;
        }
        let content = format!("{}\n{amount}", request.payment);
        let fingerprint = Fingerprint::of(content.as_bytes());
        let ticket = Ticket { operation: IdempotentOperation::REFUND_PAYMENT, key, fingerprint };
        retry_contended(|| self.try_to_request((&charge, is_off), amount, &ticket, present)).await
    }

    async fn try_to_request(
        &self,
        (of, is_off): (&Charge, bool),
        amount: Money,
        ticket: &Ticket,
        present: &(dyn Fn(&RefundView) -> StoredResponse + Send + Sync),
    ) -> Result<IdempotentOutcome, RefundError> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        if let Claim::Taken(outcome) = tx.stored_responses().claim(ticket).await? {
            return Ok(outcome);
        }
        if is_off {
            return Err(RefundError::SandboxOff);
        }
        let invoice = tx.invoices().lock(of.invoice).await?.ok_or(RefundError::NotOnline)?;
        let charges = tx.online().charges(of.invoice).await?;
        let charge = charges.into_iter().find(|one| one.id == of.id).ok_or(RefundError::NotOnline)?;
        let payment = charge.payment.ok_or(RefundError::NotOnline)?;
        let left = charge.refundable(&tx.online().reversals(charge.id).await?);
        if amount.minor() > left.minor() {
            return Err(RefundError::AboveLeft(left));
        }
        let id = Id::new(&*self.invoicing.ids, now);
        let reversal = charge.reversal(id, ReversalReason::Refund, amount, now);
        tx.online().put_reversal(&reversal).await?;
        let task = GatewayTask::Refund { refund: id.uuid() };
        let job = task.into_job(charge.account, Some(charge.invoice), &*self.invoicing.ids, now);
        tx.jobs().queue(job).await?;
        let response = present(&RefundView { id, payment, amount, state: reversal.state });
        tx.stored_responses().store(ticket, &response).await?;
        tx.complete_audit(audited_refund(&invoice, payment, amount));
        tx.commit().await?;
        Ok(IdempotentOutcome::Fresh(response))
    }

    /// Makes one attempt at a queued refund. Amounts refunded elsewhere meanwhile are not refunded again.
    ///
    /// # Errors
    /// A [`ReconcileError`]; then the refund is retried.
    pub async fn carry_out_refund(&self, account: AccountId, id: ReversalId) -> Result<(), ReconcileError> {
        let Some((charge, reversal)) = self.reads.reversal(account, id).await? else {
            return Ok(());
        };
        let done = self.attempt_refund(&charge, reversal).await;
        if matches!(done, Err(ReconcileError::Gateway(GatewayError::KeyRefused(_)))) {
            self.note_key_refused(&charge, id).await?;
        }
        done
    }

    async fn attempt_refund(&self, charge: &Charge, reversal: Reversal) -> Result<(), ReconcileError> {
        let (account, id) = (charge.account, reversal.id);
        if reversal.state == RefundState::Succeeded || !reversal.reason.is_ours() {
            return Ok(());
        }
        // The owner may have made the refund at the gateway.
        let found = self.refresh_charge(charge).await?;
        let report = found.as_ref().map(|(report, _)| report);
        let Some(reversal) = self.remaining_refund(charge, id, report).await? else {
            return Ok(());
        };
        let gateway = self.reads.gateway(account, charge.gateway_account).await?;
        let gateway = gateway.ok_or(ReconcileError::NoGateway)?;
        let adapter = self.adapter(gateway.kind).ok_or(ReconcileError::NoGateway)?;
        let reversal = self.writable_part(charge, reversal, &**adapter).await?;
        let begun_at = self.begun_at(charge).await?;
        let access = match found {
            Some((_, access)) => access,
            None => gateway.access(&self.keys, begun_at)?,
        };
        let new = NewRefund {
            key: reversal.gateway_refund_key,
            charge: charge.gateway_id.clone(),
            amount: reversal.amount,
        };
        let mut made = adapter.refund(&access, &new).await;
        let is_refused = matches!(made, Err(GatewayError::KeyRefused(_)));
        if is_refused && gateway.has_newer_key(begun_at, self.now()) {
            // The owner revoked the earlier key at the gateway.
            let newer = gateway.access(&self.keys, self.now())?;
            made = adapter.refund(&newer, &new).await;
        }
        let made = match made {
            Ok(report) => report,
            Err(error) if error.may_pass() => return Err(error.into()),
            // The owner is told, and can reconnect the gateway account that has the charge.
            Err(error) => {
                // The money may have been refunded at the gateway itself.
                self.follow_up_charge(account, gateway.id, &charge.gateway_id).await?;
                tracing::warn!(refund = %id, error = %error, "the gateway refuses a refund");
                RefundReport { id: String::new(), state: RefundState::Failed }
            }
        };
        let fault = match retry_contended(|| self.try_to_note_refund(charge, (id, new.key), &made)).await? {
            RefundState::Succeeded => return Ok(()),
            RefundState::Pending => "the refund is on its way",
            RefundState::Failed => "the refund failed; it is asked for anew",
        };
        Err(GatewayError::Unreachable(fault.to_owned()).into())
    }

    /// The reversal, reduced to the amount left to refund; `None` when there is none.
    async fn remaining_refund(
        &self,
        charge: &Charge,
        id: ReversalId,
        report: Option<&ChargeReport>,
    ) -> Result<Option<Reversal>, ReconcileError> {
        let known = self.reads.of_invoice(charge.account, charge.invoice).await?.reversals;
        let is_on_its_way = |one: &ReversalReport| Reversal::is_one_on_its_way(&known, one);
        if report.is_some_and(|report| report.reversals.iter().any(is_on_its_way)) {
            let text = "a refund that was made at the gateway is on its way";
            return Err(GatewayError::Unreachable(text.to_owned()).into());
        }
        let now = known.into_iter().find(|one| one.id == id);
        let Some(reversal) = now.filter(|one| one.state != RefundState::Succeeded) else {
            return Ok(None);
        };
        // The gateway makes it, whatever became of the charge since.
        if reversal.is_on_its_way() {
            return Ok(Some(reversal));
        }
        if reversal.reason != ReversalReason::Return {
            return self.refund_if_covered(charge, reversal).await;
        }
        let known = self.reads.of_invoice(charge.account, charge.invoice).await?.reversals;
        let left = charge.left_for(&reversal, &known);
        if left.is_zero() {
            return Ok(None);
        }
        if left.minor() >= reversal.amount.minor() {
            return Ok(Some(reversal));
        }
        // An earlier attempt may have succeeded although its response was lost. Its reversal is stored before
        // the amount is reduced.
        self.follow_up_charge(charge.account, charge.gateway_account, &charge.gateway_id).await?;
        retry_contended(|| self.try_to_reduce_return(charge, reversal.id)).await
    }

    /// Subtracts what was refunded at the gateway itself from a return.
    async fn try_to_reduce_return(
        &self,
        of: &Charge,
        id: ReversalId,
    ) -> Result<Option<Reversal>, ReconcileError> {
        let mut tx = self.store.begin(of.account).await?;
        tx.invoices().lock(of.invoice).await?;
        let known = tx.online().reversals(of.id).await?;
        let waiting = known.iter().find(|one| one.id == id && one.state != RefundState::Succeeded);
        let Some(reversal) = waiting else {
            return Ok(None);
        };
        let left = of.left_for(reversal, &known);
        if reversal.is_on_its_way() || left.minor() >= reversal.amount.minor() {
            return Ok(Some(reversal.clone()));
        }
        if left.is_zero() {
            return Ok(None);
        }
        let reduced = Reversal { amount: left, ..reversal.clone() };
        tx.online().put_reversal(&reduced).await?;
        tx.commit().await?;
        Ok(Some(reduced))
    }

    /// The part of a return that the gateway can express in its units. The rest becomes a return of its own:
    /// it is refused, and the owner is told of that amount alone.
    async fn writable_part(
        &self,
        of: &Charge,
        reversal: Reversal,
        gateway: &dyn PaymentGateway,
    ) -> Result<Reversal, ReconcileError> {
        let (part, _) = writable_around(reversal.amount, |amount| gateway.refunds(amount));
        let is_whole = part.is_zero() || part == reversal.amount;
        if is_whole || reversal.reason != ReversalReason::Return || reversal.is_on_its_way() {
            return Ok(reversal);
        }
        retry_contended(|| self.try_to_split_return(of, &reversal, part)).await
    }

    async fn try_to_split_return(
        &self,
        of: &Charge,
        whole: &Reversal,
        part: Money,
    ) -> Result<Reversal, ReconcileError> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        tx.invoices().lock(of.invoice).await?;
        if !tx.online().reversals(of.id).await?.contains(whole) {
            let text = "the return was changed while it was attempted";
            return Err(GatewayError::Unreachable(text.to_owned()).into());
        }
        let id = Id::new(&*self.invoicing.ids, now);
        let rest = Money::new(whole.amount.minor().saturating_sub(part.minor()), part.currency());
        let rest = of.reversal(id, ReversalReason::Return, rest, whole.created_at);
        let part = Reversal { amount: part, ..whole.clone() };
        tx.online().put_reversal(&part).await?;
        tx.online().put_reversal(&rest).await?;
        self.queue_refunds(&mut *tx, of, BTreeSet::from([id]), now).await?;
        tx.commit().await?;
        Ok(part)
    }

    /// Returns the state of the refund, which may have been reported meanwhile.
    async fn try_to_note_refund(
        &self,
        of: &Charge,
        (id, key): (ReversalId, RefundKey),
        made: &RefundReport,
    ) -> Result<RefundState, ReconcileError> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        let invoice = tx.invoices().lock(of.invoice).await?;
        let known = tx.online().reversals(of.id).await?;
        let payee = tx.online().payee().await?;
        let reversal = known.iter().find(|one| one.id == id);
        let (Some(invoice), Some(payee), Some(reversal)) = (invoice, payee, reversal) else {
            return Ok(made.state);
        };
        if reversal.state == RefundState::Succeeded {
            return Ok(reversal.state);
        }
        // The bank may have sent it back before its response came: then it is requested under another key.
        if reversal.gateway_refund_key != key {
            return Ok(RefundState::Failed);
        }
        let noted = Reversal { gateway_id: Some(made.id.clone()), ..reversal.clone() };
        let noted = noted.in_state(made.state, now);
        match made.state {
            RefundState::Failed => {
                let requested = self.request_again(&mut *tx, reversal, &payee, &invoice, now).await?;
                let others = known.iter().filter(|one| one.id != id).cloned();
                let after: Vec<_> = others.chain([requested]).collect();
                self.queue_refunds(&mut *tx, of, of.newly_covered(&known, &after), now).await?;
            }
            RefundState::Pending => tx.online().put_reversal(&noted).await?,
            RefundState::Succeeded => {
                tx.online().put_reversal(&noted).await?;
                let notice = notices::reversed(&invoice, &noted);
                self.notify_owner(&mut *tx, &payee, OwnerNotice::Refunds, notice, &invoice, now).await?;
            }
        }
        tx.commit().await?;
        Ok(made.state)
    }

    /// The present state of a refund.
    pub async fn refund_view(&self, account: AccountId, id: ReversalId) -> StoreResult<Option<RefundView>> {
        let found = self.reads.reversal(account, id).await?;
        Ok(found.and_then(|(charge, one)| {
            Some(RefundView { id: one.id, payment: charge.payment?, amount: one.amount, state: one.state })
        }))
    }
}

/// The details of the audit entry, with the fields of the entry of a recorded payment.
fn audited_refund(invoice: &Invoice, payment: PaymentId, amount: Money) -> AuditDetails {
    let after = json!({
        "invoice": invoice.id.to_string(),
        "invoice_number": invoice.number.as_str(),
        "amount": amount.to_string(),
        "currency": amount.currency().code(),
        "payment": payment.to_string(),
    });
    AuditDetails { before: None, after: Some(after) }
}
