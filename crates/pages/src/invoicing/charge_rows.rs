//! Rows of what was charged online for an invoice.

use invoices::InvoiceId;
use invoices::figures::money_text;
use kernel::{Money, PublicUrls};
use payments::{Charge, ChargeState, Reversal};

use crate::texts::Texts;

/// What was charged online for an invoice, and what became of it.
#[derive(Debug, Clone)]
pub(super) struct ChargeRow {
    pub(super) reference: String,
    pub(super) state: &'static str,
    pub(super) amount: String,
    /// What of it was not applied or went back, a sentence each.
    pub(super) notes: Vec<String>,
    /// Where a part of it is refunded.
    pub(super) refund: Option<String>,
}

impl ChargeRow {
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
        let reversed = (!figures.reversed.is_zero()).then(|| refunded(&figures.reversed.to_string()));
        let notes = [
            note(figures.returned, d.charge_returned),
            note(figures.to_return, d.charge_to_return),
            note(figures.kept, d.charge_kept),
            reversed,
        ];
        let is_refundable = !charge.refundable(reversals).is_zero();
        Self {
            reference: charge.gateway_id.0.clone(),
            state: match charge.state {
                ChargeState::Pending => d.charge_pending,
                ChargeState::Failed => d.charge_failed,
                ChargeState::Succeeded => d.charge_succeeded,
            },
            amount: money_text(charge.amount),
            notes: notes.into_iter().flatten().collect(),
            refund: charge
                .payment
                .filter(|_| is_refundable)
                .map(|payment| urls.page(format_args!("/dashboard/invoices/{invoice}/refund/{payment}"))),
        }
    }
}
