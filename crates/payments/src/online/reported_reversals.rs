//! Refunds and disputes as the gateway reports them: what they change in the stored ones.

use std::collections::BTreeSet;

use invoices::Invoice;
use kernel::{Id, StoreResult};
use mail::OwnerNotice;
use time::OffsetDateTime;

use super::charge::Charge;
use super::notices;
use super::online_payments::OnlinePayments;
use super::ports::{OnlineTx, Payee};
use super::refunded_elsewhere::{distribute, stood_for};
use super::reversal::Reversal;
use super::settle::SettleError;
use crate::gateway::{ChargeReport, ChargeState, RefundState, ReversalKind, ReversalReport};

impl OnlinePayments {
    /// Applies refunds and disputes as the gateway reports them.
    pub(super) async fn apply_reported_reversals(
        &self,
        tx: &mut dyn OnlineTx,
        charge: &Charge,
        report: &ChargeReport,
        payee: &Payee,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> Result<(), SettleError> {
        if report.reversals.is_empty() || charge.state != ChargeState::Succeeded {
            return Ok(());
        }
        let mut known = tx.online().reversals(charge.id).await?;
        let (before, mut came_back, mut tasks) = (known.clone(), false, BTreeSet::new());
        // Failures of own refunds come first: what was refunded at the gateway instead fulfils them.
        for reported in report.reversals.iter().filter(|one| one.state == RefundState::Failed) {
            let failed = Reversal::reported(&known, reported);
            for one in failed.map(|failed| stood_for(&known, failed)).unwrap_or_default() {
                let requested = self.request_again(tx, &one, payee, invoice, now).await?;
                // The task of a refund that had not succeeded tries again.
                tasks.extend((one.state == RefundState::Succeeded).then_some(one.id));
                known.retain(|other| other.id != one.id);
                known.push(requested);
            }
        }
        // A request that is reported itself is not fulfilled by a refund that was made at the gateway.
        let mut reports: Vec<_> = report.reversals.iter().collect();
        reports.sort_by_key(|one| Reversal::reported(&known, one).is_none());
        for reported in reports {
            let changed = match Reversal::reported(&known, reported).cloned() {
                Some(one) if one.state == RefundState::Succeeded && one.reason.is_ours() => continue,
                Some(one) => one.updated(reported, now).into_iter().collect(),
                None => self.first_reported(charge, &known, reported, now),
            };
            for new in changed {
                let was = known.iter().find(|one| one.id == new.id).map(|one| one.state);
                tx.online().put_reversal(&new).await?;
                if let Some(notice) = notices::of_reversal(invoice, &new, was) {
                    self.notify_owner(tx, payee, OwnerNotice::Refunds, notice, invoice, now).await?;
                }
                // The failed refund or the dispute that was won had counted as returned money.
                came_back |= new.state == RefundState::Failed && was == Some(RefundState::Succeeded);
                known.retain(|one| one.id != new.id);
                known.push(new);
            }
        }
        if came_back {
            tasks.extend(self.put_returns(tx, charge, &known, now).await?);
        }
        tasks.extend(charge.newly_covered(&before, &known));
        self.queue_refunds(tx, charge, tasks, now).await?;
        Ok(())
    }

    /// What to store of a reversal that is reported for the first time.
    fn first_reported(
        &self,
        charge: &Charge,
        known: &[Reversal],
        reported: &ReversalReport,
        now: OffsetDateTime,
    ) -> Vec<Reversal> {
        let ids = &*self.invoicing.ids;
        let made = Reversal::made_elsewhere(Id::new(ids, now), charge.account, charge.id, reported, now);
        match (reported.kind, reported.state) {
            // The money has not gone yet; the gateway reports when it has.
            (ReversalKind::Refund, RefundState::Pending) => Vec::new(),
            (ReversalKind::Refund, RefundState::Succeeded) => distribute(known, made, Id::new(ids, now)),
            (ReversalKind::Refund, RefundState::Failed) | (ReversalKind::Dispute, _) => vec![made],
        }
    }

    /// Requests a refund again that failed at the gateway, such as one to a closed bank account, and notifies
    /// the owner. Returns the refund as its task requests it now.
    pub(super) async fn request_again(
        &self,
        tx: &mut dyn OnlineTx,
        failed: &Reversal,
        payee: &Payee,
        invoice: &Invoice,
        now: OffsetDateTime,
    ) -> StoreResult<Reversal> {
        // A gateway repeats its response to a repeated key.
        let gateway_refund_key = Id::new(&*self.invoicing.ids, now);
        let requested = Reversal { gateway_refund_key, gateway_id: None, ..failed.clone() };
        let requested = requested.in_state(RefundState::Failed, now);
        tx.online().put_reversal(&requested).await?;
        // When the account's key is refused, that of the refund stays, and the owner was told of that only.
        let was_told = failed.state == RefundState::Failed && failed.has_another_key();
        if !was_told {
            let notice = notices::refund_failed(invoice, &requested);
            self.notify_owner(tx, payee, OwnerNotice::Refunds, notice, invoice, now).await?;
        }
        Ok(requested)
    }
}
