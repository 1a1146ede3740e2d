//! The online charges of an invoice as rows.

use invoices::InvoiceId;
use invoices::figures::{amount_text, money_text};
use kernel::{Money, PublicUrls};
use payments::{Charge, ChargeState, RefundState, Reversal, ReversalReason};

use crate::texts::Texts;

/// An online charge for an invoice, and its outcome.
#[derive(Debug, Clone)]
pub(super) struct ChargeItem {
    pub(super) reference: String,
    pub(super) state: &'static str,
    pub(super) amount: String,
    /// A sentence for each part that was not applied or went back.
    pub(super) notes: Vec<String>,
    /// The URL of the refund page.
    pub(super) refund: Option<String>,
}

impl ChargeItem {
    pub(super) fn new(
        invoice: InvoiceId,
        charge: &Charge,
        reversals: &[Reversal],
        urls: &PublicUrls,
        t: &Texts,
    ) -> Self {
        let (d, figures) = (&t.invoicing, charge.figures(reversals));
        let note = |amount: Money, words: fn(&str) -> String| {
            (!amount.is_zero()).then(|| words(&money_text(amount)))
        };
        let refunded = |text: &str| format!("Refunded {text}");
        let reversed = (!figures.reversed.is_zero()).then(|| refunded(&amount_text(figures.reversed)));
        let notes = [
            note(figures.returned, d.charge_returned),
            note(figures.to_return, d.charge_to_return),
            note(figures.kept, d.charge_kept),
            reversed,
        ];
        let waiting = reversals.iter().filter(|one| one.charge == charge.id);
        let waiting = waiting.filter_map(|one| match (one.reason, one.state) {
            (ReversalReason::Refund, RefundState::Pending) => {
                Some((d.charge_refunding)(&money_text(one.amount)))
            }
            (ReversalReason::Refund, RefundState::Failed) => {
                let is_made = charge.covers_refund(one, reversals);
                let words = if is_made { d.charge_refund_failed } else { d.charge_refund_not_covered };
                Some(words(&money_text(one.amount)))
            }
            _ => None,
        });
        let is_refundable = !charge.refundable(reversals).is_zero();
        Self {
            reference: charge.gateway_id.0.clone(),
            state: match charge.state {
                ChargeState::Pending => d.charge_pending,
                ChargeState::Failed => d.charge_failed,
                ChargeState::Succeeded => d.charge_succeeded,
            },
            amount: money_text(charge.amount),
            notes: notes.into_iter().flatten().chain(waiting).collect(),
            refund: charge
                .payment
                .filter(|_| is_refundable)
                .map(|payment| urls.page(format_args!("/dashboard/invoices/{invoice}/refund/{payment}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Currency, Id};
    use payments::{ChargeId, ChargeReport, MethodKind};
    use testkit::{CountingIds, FixedClock};

    use super::*;
    use crate::texts::ENGLISH;

    #[test]
    fn refund_that_is_not_made_yet_is_named() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let aud = |minor| Money::new(minor, Currency::parse("AUD").unwrap());
        let report = ChargeReport {
            id: ChargeId("ch_1".to_owned()),
            intent: None,
            account: None,
            state: ChargeState::Succeeded,
            amount: aud(10_000),
            method: MethodKind::Card,
            captured_at: now,
            reversals: Vec::new(),
        };
        let of = (Id::new(&ids, now), Id::new(&ids, now), Id::new(&ids, now));
        let mut charge = Charge::first_seen(Id::new(&ids, now), Id::new(&ids, now), of, &report);
        assert!(charge.observe(&report));
        charge.applied = aud(10_000);
        let reversal = |reason, minor, state| Reversal {
            id: Id::new(&ids, now),
            account: charge.account,
            charge: charge.id,
            reason,
            amount: aud(minor),
            state,
            gateway_refund_key: Id::new(&ids, now),
            gateway_id: None,
            created_at: now,
            succeeded_at: None,
        };
        let notes = |reversals: &[Reversal]| {
            let urls = PublicUrls::new("https://books.example.com");
            ChargeItem::new(charge.invoice, &charge, reversals, &urls, &ENGLISH).notes
        };
        let refund = |state| reversal(ReversalReason::Refund, 2_000, state);
        assert_eq!(notes(&[refund(RefundState::Pending)]), ["A refund of AUD 20.00 is on its way"]);
        let failed = refund(RefundState::Failed);
        assert_eq!(notes(std::slice::from_ref(&failed)), ["A refund of AUD 20.00 failed and is tried again"]);
        assert_eq!(notes(&[refund(RefundState::Succeeded)]), ["Refunded 20.00"]);
        let dispute = reversal(ReversalReason::Dispute, 9_000, RefundState::Succeeded);
        let not_made = "A refund of AUD 20.00 was not made: less than that is left of the payment";
        assert_eq!(notes(&[failed, dispute]), ["Refunded 90.00", not_made]);
    }
}
