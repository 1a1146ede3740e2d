//! What the payment page of an invoice shows of online payments.

use invoices::{Invoice, InvoiceForPayer};
use kernel::{Money, StoreResult};

use super::charge::Charge;
use super::intent::{Intent, IntentState};
use super::online_payments::OnlinePayments;
use super::ports::PaymentsOfInvoice;
use super::reversal::ReversalReason;
use super::settings::PaymentSettings;
use crate::gateway::{AmountRefused, ChargeState, RefundState};

/// What can be paid online.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayOffer {
    /// The most: the amount due, less payments in progress and, where a part may be paid, less what the
    /// gateway's units do not have.
    pub most: Money,
    /// The least, if part payments are allowed.
    pub least: Option<Money>,
    /// The origin of the gateway's pages, if they are not the service's own.
    pub checkout_origin: Option<String>,
}

/// What the payment page of an invoice shows of online payments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnlineForPayer {
    /// What can be paid online, if anything.
    pub pay: Option<PayOffer>,
    /// The amounts in progress: debits that were ordered and have not succeeded yet.
    pub processing: Vec<Money>,
    /// The amounts that went back to the payer, each with its reason.
    pub reversals: Vec<(Money, ReversalReason)>,
}

impl OnlineForPayer {
    /// What is left of an amount due without the payments in progress, at least 0.
    #[must_use]
    pub fn left_of(&self, due: Money) -> Money {
        less(due, self.processing.iter().copied())
    }
}

impl OnlinePayments {
    /// What the payment page of an invoice shows of online payments. Nothing is read if the account never had
    /// a gateway and the sandbox is off.
    pub async fn for_payer(&self, shown: &InvoiceForPayer) -> StoreResult<OnlineForPayer> {
        if !shown.ever_had_gateway && self.kind_for(&[]).is_none() {
            return Ok(OnlineForPayer::default());
        }
        let found = self.reads.of_invoice(shown.invoice.account, shown.invoice.id).await?;
        Ok(OnlineForPayer {
            pay: self.offer(&shown.invoice, &found).filter(|_| shown.offers().payment),
            processing: in_progress(&found.charges, &found.pending).collect(),
            reversals: reversals(&found),
        })
    }

    /// Whether the payer of an invoice is offered a gateway for what is due of it.
    pub async fn is_offered(&self, invoice: &Invoice) -> StoreResult<bool> {
        if !self.are_offered(invoice.account).await? {
            return Ok(false);
        }
        let found = self.reads.of_invoice(invoice.account, invoice.id).await?;
        Ok(self.offer(invoice, &found).is_some())
    }

    fn offer(&self, invoice: &Invoice, found: &PaymentsOfInvoice) -> Option<PayOffer> {
        let adapter = self.adapter(self.kind_for(&found.gateways)?)?;
        let most = payable(invoice.amount_due(), &found.charges, &found.pending);
        let least = least(invoice.totals.total, most, &found.settings, |amount| adapter.takes(amount));
        let is_offered = most.minor() > 0 && is_payable(adapter.takes(most), least != most);
        is_offered.then(|| PayOffer {
            most: writable_around(most, |amount| adapter.takes(amount)).0,
            least: (least != most).then_some(least),
            checkout_origin: adapter.checkout_origin(),
        })
    }
}

fn reversals(found: &PaymentsOfInvoice) -> Vec<(Money, ReversalReason)> {
    let succeeded = found.reversals.iter().filter(|one| one.state == RefundState::Succeeded);
    succeeded.map(|one| (one.amount, one.reason)).collect()
}

/// The amount due, less payments in progress.
pub(crate) fn payable(due: Money, charges: &[Charge], intents: &[Intent]) -> Money {
    less(due, in_progress(charges, intents))
}

/// An amount less those of the same currency, at least 0.
fn less(due: Money, pending: impl Iterator<Item = Money>) -> Money {
    let pending = pending.filter(|amount| amount.currency() == due.currency());
    let pending = pending.fold(0_i64, |sum, amount| sum.saturating_add(amount.minor()));
    Money::new(due.minor().saturating_sub(pending).max(0), due.currency())
}

/// The amounts of payments in progress: those of pending charges, and of pending intents that have no such
/// charge yet.
fn in_progress<'a>(charges: &'a [Charge], intents: &'a [Intent]) -> impl Iterator<Item = Money> + 'a {
    let is_charged = |intent: &Intent| {
        charges.iter().any(|charge| charge.intent == intent.id && charge.state != ChargeState::Failed)
    };
    let ordered = move |intent: &&Intent| intent.state == IntentState::Pending && !is_charged(intent);
    let pending = charges.iter().filter(|charge| charge.state == ChargeState::Pending);
    let ordered = intents.iter().filter(ordered).map(|intent| intent.amount);
    pending.map(|charge| charge.amount).chain(ordered)
}

/// Whether an amount can be paid online, given whether a gateway takes it: all of it, or where parts are
/// allowed, a part.
const fn is_payable(taken: Result<(), AmountRefused>, in_parts: bool) -> bool {
    match taken {
        Ok(()) => true,
        Err(AmountRefused::NotWritable(_) | AmountRefused::AboveMaximum) => in_parts,
        Err(
            AmountRefused::BelowMinimum(_)
            | AmountRefused::BelowUnknownMinimum
            | AmountRefused::CurrencyNotTaken(_),
        ) => false,
    }
}

/// The least amount that may be paid: the owner's minimum share of the total, or the gateway's own minimum if
/// that is more. It is `most` if a part would leave a rest that the gateway does not take.
pub(crate) fn least(
    total: Money,
    most: Money,
    settings: &PaymentSettings,
    takes: impl Fn(Money) -> Result<(), AmountRefused>,
) -> Money {
    let share = least_share(total, most, settings);
    let least = match takes(share) {
        Err(AmountRefused::BelowMinimum(minimum)) => minimum.minor().min(most.minor()),
        _ => share.minor(),
    };
    let (_, least) = writable_around(Money::new(least, most.currency()), &takes);
    let rest = most.minor().saturating_sub(least.minor());
    match takes(Money::new(rest, most.currency())) {
        Err(AmountRefused::BelowMinimum(_)) => most,
        _ if rest < 0 => most,
        _ => least,
    }
}

/// The nearest amounts that a gateway can express in its units, not above and not below the given one. They
/// are multiples of a power of ten.
pub(crate) fn writable_around(
    amount: Money,
    takes: impl Fn(Money) -> Result<(), AmountRefused>,
) -> (Money, Money) {
    for step in [1, 10, 100, 1_000] {
        let over = amount.minor().rem_euclid(step);
        let below = Money::new(amount.minor().saturating_sub(over), amount.currency());
        if !matches!(takes(below), Err(AmountRefused::NotWritable(_))) {
            let above = if over == 0 { below.minor() } else { below.minor().saturating_add(step) };
            return (below, Money::new(above, amount.currency()));
        }
    }
    (amount, amount)
}

/// The owner's minimum share of the total, rounded up to a minor unit and at most `most`.
fn least_share(total: Money, most: Money, settings: &PaymentSettings) -> Money {
    let share = i128::from(total.minor()) * i128::from(settings.minimum_percent);
    let share = share.div_euclid(100) + i128::from(share.rem_euclid(100) != 0);
    let share = i64::try_from(share).unwrap_or(i64::MAX).max(1);
    Money::new(share.min(most.minor()), most.currency())
}

#[cfg(test)]
mod tests {
    use kernel::Currency;
    use testkit::CountingIds;

    use super::*;
    use crate::online::samples::{aud, charge, intent};
    use crate::online::settings::UnappliedMoney;

    #[test]
    fn payments_in_progress_are_not_paid_again_and_each_counts_once() {
        let ids = CountingIds::default();
        let [ordered, charged, open] =
            [(IntentState::Pending, 30), (IntentState::Pending, 20), (IntentState::Open, 50)]
                .map(|(state, minor)| intent(&ids, state, minor));
        let debit = Charge { intent: charged.id, ..charge(&ids, 20) };
        let failed = Charge { intent: ordered.id, state: ChargeState::Failed, ..charge(&ids, 30) };
        let captured = Charge { state: ChargeState::Succeeded, ..charge(&ids, 7) };
        let (charges, intents) = ([debit, failed, captured], [ordered, charged, open]);
        assert_eq!(payable(aud(110), &charges, &intents), aud(60));
        assert_eq!(payable(aud(50), &charges, &intents), aud(0));
        assert_eq!(payable(aud(40), &charges, &intents), aud(0), "never below nothing");
        let yen = Money::new(110, Currency::parse("JPY").unwrap());
        assert_eq!(payable(yen, &charges, &intents), yen, "what is paid in another currency");
    }

    #[test]
    fn amount_that_the_gateway_does_not_take_is_payable_where_a_part_of_it_may_be_paid() {
        let dinar = Currency::parse("BHD").unwrap();
        for (taken, whole, in_parts) in [
            (Ok(()), true, true),
            (Err(AmountRefused::NotWritable(Money::new(12_345, dinar))), false, true),
            (Err(AmountRefused::AboveMaximum), false, true),
            (Err(AmountRefused::BelowMinimum(Money::new(500, dinar))), false, false),
            (Err(AmountRefused::BelowUnknownMinimum), false, false),
            (Err(AmountRefused::CurrencyNotTaken(dinar)), false, false),
        ] {
            assert_eq!((is_payable(taken, false), is_payable(taken, true)), (whole, in_parts), "{taken:?}");
        }
    }

    #[test]
    fn the_least_amount_is_rounded_up_and_never_above_what_is_due() {
        let least = |total, most, minimum_percent| {
            let settings = PaymentSettings { minimum_percent, unapplied: UnappliedMoney::Return };
            super::least(aud(total), aud(most), &settings, |_| Ok(())).minor()
        };
        assert_eq!(least(10_000, 10_000, 100), 10_000);
        assert_eq!(least(10_001, 10_001, 25), 2_501);
        assert_eq!(least(10_000, 1_200, 25), 1_200);
        assert_eq!(least(1, 1, 1), 1);
        assert_eq!(least(99_999_999_999_999_900, 99_999_999_999_999_900, 50), 49_999_999_999_999_950);
    }

    #[test]
    fn the_least_amount_is_one_that_the_gateway_takes_and_leaves_such_a_rest() {
        let takes = |amount: Money| match amount.minor() {
            ..100 => Err(AmountRefused::BelowMinimum(aud(100))),
            _ => Ok(()),
        };
        let settings = PaymentSettings { minimum_percent: 1, unapplied: UnappliedMoney::Return };
        for (due, expected) in [(5_000, 100), (50_000, 500), (200, 100), (150, 150), (60, 60)] {
            assert_eq!(least(aud(due), aud(due), &settings, takes), aud(expected), "{due}");
        }
    }

    #[test]
    fn limits_of_part_payments_are_amounts_that_the_gateway_can_express() {
        let bhd = |minor| Money::new(minor, Currency::parse("BHD").unwrap());
        let takes = |step| {
            move |amount: Money| match amount.minor() {
                minor if minor % step != 0 => Err(AmountRefused::NotWritable(amount)),
                ..=0 => Err(AmountRefused::BelowUnknownMinimum),
                _ => Ok(()),
            }
        };
        let settings = PaymentSettings { minimum_percent: 1, unapplied: UnappliedMoney::Return };
        for (due, step, expected, most) in [
            (12_345, 10, 130, 12_340),
            (12_340, 10, 130, 12_340),
            (12_345, 1, 124, 12_345),
            (12_345, 100, 200, 12_300),
            (5, 10, 5, 0),
        ] {
            assert_eq!(least(bhd(due), bhd(due), &settings, takes(step)), bhd(expected), "{due} {step}");
            assert_eq!(writable_around(bhd(due), takes(step)).0, bhd(most), "{due} {step}");
        }
    }
}
