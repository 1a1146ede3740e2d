//! The payment intent: one amount of one invoice that a payer began to pay.

use idempotency::Fingerprint;
use invoices::{InvoiceId, PayToken};
use kernel::{AccountId, Money};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::{Duration, OffsetDateTime};

use crate::gateway::{CheckoutId, GatewayAccountId, IntentId, OpenedCheckout};

/// The state of an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum IntentState {
    /// The gateway's checkout is being opened, or could not be opened.
    Opening,
    /// The payer may pay at the gateway.
    Open,
    /// The expiry of the checkout is queued.
    Expiring,
    /// The payer has paid by a method that has not completed yet.
    Pending,
    /// No further charge can be made for it.
    Ended,
}

/// One amount of one invoice that a payer began to pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The intent's id.
    pub id: IntentId,
    /// The account that is paid.
    pub account: AccountId,
    /// The invoice that is paid.
    pub invoice: InvoiceId,
    /// The gateway account that it is paid through.
    pub gateway_account: GatewayAccountId,
    /// The amount to pay.
    pub amount: Money,
    /// Whether it can still be paid.
    pub state: IntentState,
    /// The fingerprint of the request that opens its checkout. A gateway rejects a different request for the
    /// same intent, so an intent whose invoice or company has changed is not retried.
    pub opened_with: Option<Fingerprint>,
    /// The gateway's checkout, once it is opened.
    pub checkout: Option<OpenedCheckout>,
    /// The token of the payment page that it was begun on. That page shows its result, even after the link
    /// was replaced.
    pub token: PayToken,
    /// When it was begun, UTC.
    pub created_at: OffsetDateTime,
    /// When its checkout closes by itself, UTC.
    pub expires_at: OffsetDateTime,
}

impl Intent {
    /// How long a payer has for a checkout. Stripe allows at most 24 hours.
    pub const LASTS: Duration = Duration::hours(23);

    /// How long a bank takes for a debit, at most.
    const MAX_DEBIT: Duration = Duration::days(30);

    /// The shortest remaining time of a checkout when it is opened. Stripe requires at least 30 minutes.
    const MIN_REMAINING: Duration = Duration::HOUR;

    /// Whether another click on "Pay" with this amount leads to this intent's checkout, or opens it with the
    /// same request.
    #[must_use]
    pub fn is_for(
        &self,
        amount: Money,
        gateway_account: GatewayAccountId,
        opened_with: Fingerprint,
        now: OffsetDateTime,
    ) -> bool {
        let is_same_request = match self.state {
            IntentState::Opening => {
                self.opened_with == Some(opened_with)
                    && now.saturating_add(Self::MIN_REMAINING) < self.expires_at
            }
            _ => true,
        };
        self.amount == amount
            && self.gateway_account == gateway_account
            && self.can_be_paid()
            && is_same_request
            && now < self.expires_at
    }

    /// Whether no payment can come of it any more: its checkout is closed, and a debit that was ordered there
    /// would have been carried out or returned.
    #[must_use]
    pub fn is_over(&self, now: OffsetDateTime) -> bool {
        let waits = if self.state == IntentState::Pending { Self::MAX_DEBIT } else { Duration::ZERO };
        self.expires_at.saturating_add(waits) <= now
    }

    /// Whether a payer can still start paying it.
    #[must_use]
    pub const fn can_be_paid(&self) -> bool {
        matches!(self.state, IntentState::Opening | IntentState::Open)
    }

    /// The gateway's id of the checkout, once the checkout is opened.
    #[must_use]
    pub fn checkout_id(&self) -> Option<&CheckoutId> {
        self.checkout.as_ref().map(|checkout| &checkout.id)
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::online::samples::{self, aud};

    const AT_EXPIRY: OffsetDateTime = FixedClock::START.saturating_add(Intent::LASTS);
    const REQUEST: Fingerprint = Fingerprint::from_bytes([1; 32]);

    fn intent(state: IntentState) -> Intent {
        Intent { opened_with: Some(REQUEST), ..samples::intent(&CountingIds::default(), state, 11_000) }
    }

    /// A click at an instant, with what the intent was begun with.
    fn is_for_the_same(intent: &Intent, now: OffsetDateTime) -> bool {
        intent.is_for(intent.amount, intent.gateway_account, REQUEST, now)
    }

    #[test]
    fn click_with_another_amount_or_gateway_account_leads_to_no_checkout_of_before() {
        let (open, now) = (intent(IntentState::Open), FixedClock::START);
        let other_account = Id::new(&CountingIds::default(), now + Duration::HOUR);
        assert!(is_for_the_same(&open, now));
        assert!(!open.is_for(aud(10_999), open.gateway_account, REQUEST, now));
        assert!(!open.is_for(open.amount, other_account, REQUEST, now));
    }

    #[test]
    fn open_checkout_is_used_until_it_expires_though_the_request_would_differ_now() {
        let (open, changed) = (intent(IntentState::Open), Fingerprint::from_bytes([2; 32]));
        let just_before = AT_EXPIRY - Duration::NANOSECOND;
        assert!(open.is_for(open.amount, open.gateway_account, changed, just_before));
        assert!(!is_for_the_same(&open, AT_EXPIRY));
    }

    #[test]
    fn checkout_that_was_not_opened_is_retried_only_with_the_same_request_and_an_hour_left() {
        let (opening, changed) = (intent(IntentState::Opening), Fingerprint::from_bytes([2; 32]));
        let last = AT_EXPIRY - Intent::MIN_REMAINING;
        assert!(is_for_the_same(&opening, last - Duration::NANOSECOND));
        assert!(!is_for_the_same(&opening, last));
        assert!(!opening.is_for(opening.amount, opening.gateway_account, changed, FixedClock::START));
        let unknown = Intent { opened_with: None, ..opening };
        assert!(!is_for_the_same(&unknown, FixedClock::START));
    }

    #[test]
    fn intent_that_expires_is_paid_or_has_ended_is_not_paid_again() {
        for state in [IntentState::Expiring, IntentState::Pending, IntentState::Ended] {
            assert!(!is_for_the_same(&intent(state), FixedClock::START), "{state:?}");
        }
    }

    #[test]
    fn ordered_debit_keeps_an_intent_from_being_over_for_thirty_days() {
        let (open, pending) = (intent(IntentState::Open), intent(IntentState::Pending));
        assert!(!open.is_over(AT_EXPIRY - Duration::NANOSECOND) && open.is_over(AT_EXPIRY));
        let returned_by = AT_EXPIRY + Duration::days(30);
        assert!(!pending.is_over(returned_by - Duration::NANOSECOND) && pending.is_over(returned_by));
    }
}
