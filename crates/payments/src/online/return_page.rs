//! The payer's return from the gateway.

use invoices::PayToken;
use kernel::{Money, StoreResult};

use super::intent::{Intent, IntentState};
use super::online_payments::OnlinePayments;
use super::reconcile::ReconcileError;
use crate::gateway::{ChargeState, IntentId};

/// The result of the payment that a payer returns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaymentOutcome {
    /// This amount was captured.
    Paid(Money),
    /// Not all of what was captured was due.
    PaidTooMuch {
        /// The captured amount.
        captured: Money,
        /// The part above the amount due.
        unapplied: Money,
        /// Whether all of that part goes back to the payer, and the company keeps none of it.
        is_returned: bool,
    },
    /// The payment is in progress.
    Processing(Money),
    /// The payment was declined.
    Declined,
    /// Nothing was paid.
    NotPaid,
}

impl OnlinePayments {
    /// The payment that was begun on the payment page with this token: the given one, or the latest. `None`
    /// when none was begun there.
    pub async fn begun(&self, token: &PayToken, intent: Option<IntentId>) -> StoreResult<Option<Intent>> {
        match intent {
            Some(id) => Ok(self.reads.intent(token.account(), id).await?.filter(|one| one.token == *token)),
            None => self.reads.latest_intent(token).await,
        }
    }

    /// The result of a payment. The stored state is used unless the gateway is to be asked and can be
    /// reached.
    pub async fn outcome(&self, intent: &Intent, asks_gateway: bool) -> StoreResult<PaymentOutcome> {
        if !asks_gateway {
            return self.stored_outcome(intent, intent.state == IntentState::Ended).await;
        }
        match self.reconcile(intent).await {
            Ok(intent) => self.stored_outcome(&intent, true).await,
            Err(ReconcileError::Store(error)) => Err(error),
            Err(error) => {
                tracing::warn!(intent = %intent.id, error = %error, "a payment could not be checked; it is checked again");
                self.stored_outcome(intent, false).await
            }
        }
    }

    async fn stored_outcome(&self, intent: &Intent, is_known: bool) -> StoreResult<PaymentOutcome> {
        let found = self.reads.of_invoice(intent.account, intent.invoice).await?;
        let mine: Vec<_> = found.charges.iter().filter(|charge| charge.intent == intent.id).collect();
        let of = |state| mine.iter().filter(move |charge| charge.state == state);
        let mut captured = of(ChargeState::Succeeded).peekable();
        if captured.peek().is_some() {
            let (mut all, mut unapplied, mut is_returned) = (0_i64, 0_i64, true);
            for charge in captured {
                let figures = charge.figures(&found.reversals);
                all = all.saturating_add(figures.captured.minor());
                unapplied = unapplied.saturating_add(figures.unapplied.minor());
                is_returned &= figures.kept.is_zero();
            }
            let currency = intent.amount.currency();
            let (captured, unapplied) = (Money::new(all, currency), Money::new(unapplied, currency));
            return Ok(match unapplied.is_zero() {
                true => PaymentOutcome::Paid(captured),
                false => PaymentOutcome::PaidTooMuch { captured, unapplied, is_returned },
            });
        }
        let is_pending = intent.state == IntentState::Pending || of(ChargeState::Pending).next().is_some();
        Ok(if is_pending || (!is_known && intent.checkout.is_some()) {
            PaymentOutcome::Processing(intent.amount)
        } else if of(ChargeState::Failed).next().is_some() {
            PaymentOutcome::Declined
        } else {
            PaymentOutcome::NotPaid
        })
    }
}
