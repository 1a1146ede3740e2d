//! The online charges of an invoice as rows.

use invoices::InvoiceId;
use invoices::figures::money_text;
use kernel::{Money, PublicUrls};
use payments::{Charge, ChargeState, Reversal};

use crate::texts::Texts;

/// An online charge for an invoice, and its outcome.
#[derive(Debug, Clone)]
pub(super) struct ChargeRow {
    pub(super) reference: String,
    pub(super) state: &'static str,
    pub(super) amount: String,
    /// A sentence for each part that was not applied or went back.
    pub(super) notes: Vec<String>,
    /// The URL of the refund page.
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
