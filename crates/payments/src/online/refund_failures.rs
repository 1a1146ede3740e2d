//! Refunds that fail: the owner is told, and they are tried again; those of more than is left of the payment
//! only once the payer's bank has given money back.

use kernel::{AccountId, StoreResult, retry_contended};
use mail::OwnerNotice;

use super::charge::Charge;
use super::gateway_job::GatewayTask;
use super::notices;
use super::online_payments::OnlinePayments;
use super::reconcile::ReconcileError;
use super::reversal::{Reversal, ReversalId};
use crate::gateway::RefundState;

impl OnlinePayments {
    /// Notes that the gateway refuses the key to a refund, for example because it may not write refunds, and
    /// tells the owner, once. The key for the gateway stays: this attempt made nothing, but an earlier one
    /// whose response was lost may have succeeded.
    pub(super) async fn note_key_refused(&self, of: &Charge, id: ReversalId) -> StoreResult<()> {
        retry_contended(|| self.try_to_note_key_refused(of, id)).await
    }

    async fn try_to_note_key_refused(&self, of: &Charge, id: ReversalId) -> StoreResult<()> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        let invoice = tx.invoices().lock(of.invoice).await?;
        let known = tx.online().reversals(of.id).await?;
        let payee = tx.online().payee().await?;
        // The gateway has accepted a refund with an id.
        let is_new = |one: &Reversal| one.state == RefundState::Pending && one.gateway_id.is_none();
        let reversal = known.into_iter().find(|one| one.id == id && is_new(one));
        let (Some(invoice), Some(payee), Some(reversal)) = (invoice, payee, reversal) else {
            return Ok(());
        };
        let noted = reversal.in_state(RefundState::Failed, now);
        tx.online().put_reversal(&noted).await?;
        let notice = notices::key_refused(&invoice, &noted);
        self.notify_owner(&mut *tx, &payee, OwnerNotice::Refunds, notice, &invoice, now).await?;
        tx.commit().await
    }

    /// Queues a refund again that failed until its job ended, and tells the owner. The key for the gateway
    /// stays: an attempt whose response was lost may have succeeded. Of a refund that waits for a sandbox
    /// that is off, the owner is not told: no money moves there.
    ///
    /// # Errors
    /// A [`kernel::StoreError`]; then nothing was changed.
    pub(crate) async fn queue_refund_anew(&self, account: AccountId, id: ReversalId) -> StoreResult<()> {
        let Some((charge, _)) = self.reads.reversal(account, id).await? else {
            return Ok(());
        };
        let gateway = self.reads.gateway(account, charge.gateway_account).await?;
        let is_off = gateway.is_some_and(|gateway| self.is_off(&gateway));
        if !is_off {
            tracing::error!(refund = %id, %account, "a refund has failed for 14 days; it is queued anew");
        }
        retry_contended(|| self.try_to_queue_anew(&charge, id, !is_off)).await
    }

    async fn try_to_queue_anew(&self, of: &Charge, id: ReversalId, tell_owner: bool) -> StoreResult<()> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        let invoice = tx.invoices().lock(of.invoice).await?;
        let known = tx.online().reversals(of.id).await?;
        let reversal = known.iter().find(|one| one.id == id && one.state != RefundState::Succeeded);
        let payee = tx.online().payee().await?;
        let (Some(invoice), Some(payee), Some(reversal)) = (invoice, payee, reversal) else {
            return Ok(());
        };
        let task = GatewayTask::Refund { refund: id.uuid() };
        tx.jobs().queue(task.into_job(of.account, Some(of.invoice), &*self.invoicing.ids, now)).await?;
        if tell_owner {
            let notice = notices::refund_keeps_failing(&invoice, reversal);
            self.notify_owner(&mut *tx, &payee, OwnerNotice::Refunds, notice, &invoice, now).await?;
        }
        tx.commit().await
    }

    /// The refund, unless more than is left of the payment was requested: the payer's bank took money back
    /// meanwhile. Then the owner is told, and it waits until the bank gives the money back.
    pub(super) async fn refund_if_covered(
        &self,
        of: &Charge,
        refund: Reversal,
    ) -> Result<Option<Reversal>, ReconcileError> {
        let known = self.reads.of_invoice(of.account, of.invoice).await?.reversals;
        if of.covers_refund(&refund, &known) {
            return Ok(Some(refund));
        }
        // An earlier attempt may have succeeded although its response was lost.
        self.refresh_charge(of).await?;
        retry_contended(|| self.try_to_end_refund(of, refund.id)).await
    }

    async fn try_to_end_refund(
        &self,
        of: &Charge,
        id: ReversalId,
    ) -> Result<Option<Reversal>, ReconcileError> {
        let now = self.now();
        let mut tx = self.store.begin(of.account).await?;
        let invoice = tx.invoices().lock(of.invoice).await?;
        let known = tx.online().reversals(of.id).await?;
        let payee = tx.online().payee().await?;
        let refund = known.iter().find(|one| one.id == id && one.state != RefundState::Succeeded);
        let (Some(invoice), Some(payee), Some(refund)) = (invoice, payee, refund) else {
            return Ok(None);
        };
        if of.covers_refund(refund, &known) {
            return Ok(Some(refund.clone()));
        }
        let ended = refund.clone().in_state(RefundState::Failed, now);
        tx.online().put_reversal(&ended).await?;
        let notice = notices::refund_not_covered(&invoice, &ended);
        self.notify_owner(&mut *tx, &payee, OwnerNotice::Refunds, notice, &invoice, now).await?;
        tx.commit().await?;
        Ok(None)
    }
}
