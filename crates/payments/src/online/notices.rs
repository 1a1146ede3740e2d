//! The mails that inform the owner of online payments and refunds.

use invoices::Invoice;
use invoices::figures::money_text;
use mail::Notice;

use super::charge::Figures;
use super::reversal::{Reversal, ReversalReason};
use crate::gateway::RefundState;

fn notice(invoice: &Invoice, subject: String, rest: Vec<String>) -> Notice {
    let first = format!("{subject}.");
    Notice {
        subject,
        paragraphs: [first].into_iter().chain(rest).collect(),
        quote: None,
        link_text: "Open the invoice".to_owned(),
        path: format!("/dashboard/invoices/{}", invoice.id),
    }
}

/// The notice that money was captured.
pub(crate) fn captured(invoice: &Invoice, figures: &Figures) -> Notice {
    let subject = format!("{} was paid online for invoice {}", money_text(figures.captured), invoice.number);
    let mut rest = Vec::new();
    if !figures.to_return.is_zero() {
        let amount = money_text(figures.to_return);
        rest.push(format!("{amount} of it was not due and is returned to the payer."));
    }
    if !figures.kept.is_zero() {
        let amount = money_text(figures.kept);
        rest.push(format!("{amount} of it was not due. It is kept, as set in your payment settings."));
    }
    notice(invoice, subject, rest)
}

/// The notice that a reversal changed from an earlier state, if the owner is told.
pub(crate) fn of_reversal(
    invoice: &Invoice,
    reversal: &Reversal,
    was: Option<RefundState>,
) -> Option<Notice> {
    let took_back = was == Some(RefundState::Succeeded);
    match reversal.state {
        RefundState::Succeeded if !took_back => Some(reversed(invoice, reversal)),
        RefundState::Failed if took_back && reversal.reason == ReversalReason::Dispute => {
            Some(dispute_won(invoice, reversal))
        }
        _ => None,
    }
}

/// The notice of a refund or dispute.
pub(crate) fn reversed(invoice: &Invoice, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let of_invoice = format!("{amount} was refunded to the payer of invoice {}", invoice.number);
    let stays = "The invoice keeps its status and its amounts";
    let (subject, rest) = match reversal.reason {
        ReversalReason::Dispute => (
            format!("The payer's bank took back {amount} that was paid for invoice {}", invoice.number),
            format!(
                "{stays}. If the payment was right, contest the dispute at the gateway while its deadline lasts."
            ),
        ),
        ReversalReason::Refund | ReversalReason::Elsewhere => {
            (of_invoice, format!("{stays}; send another one if the money is still owed."))
        }
        ReversalReason::Return => (
            format!("{amount} that was not due was returned to the payer of invoice {}", invoice.number),
            format!("{stays}."),
        ),
    };
    notice(invoice, subject, vec![rest])
}

/// The notice that a dispute was decided in the owner's favour.
fn dispute_won(invoice: &Invoice, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject = format!("The payer's bank gave back {amount} that was paid for invoice {}", invoice.number);
    notice(invoice, subject, vec!["The dispute was decided in your favour.".to_owned()])
}

/// The notice that a refund failed.
pub(crate) fn refund_failed(invoice: &Invoice, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject = format!("A refund of {amount} for invoice {} failed at the gateway", invoice.number);
    notice(
        invoice,
        subject,
        vec!["It will be tried again. If it keeps failing, check the payment at the gateway.".to_owned()],
    )
}

/// The notice that the gateway refuses the key to a refund.
pub(crate) fn key_refused(invoice: &Invoice, reversal: &Reversal) -> Notice {
    let rest = "The gateway does not let the key in your payment settings do it: see there whether the key is right, \
                and at the gateway whether it may read charges and write refunds. It will be tried again. If you want \
                to make it yourself, look at the payment at the gateway first: an earlier attempt may have succeeded.";
    let amount = money_text(reversal.amount);
    let subject = format!("A refund of {amount} for invoice {} failed at the gateway", invoice.number);
    notice(invoice, subject, vec![rest.to_owned()])
}

/// The notice that a refund of more than is left of the payment is not made.
pub(crate) fn refund_not_covered(invoice: &Invoice, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject = format!("A refund of {amount} for invoice {} was not made", invoice.number);
    let rest = "Less than that is left of the payment, because the payer's bank took money back. The refund will be \
                made if the bank gives enough of it back.";
    notice(invoice, subject, vec![rest.to_owned()])
}

/// The notice that a refund could not be made for two weeks.
pub(crate) fn refund_keeps_failing(invoice: &Invoice, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject =
        format!("A refund of {amount} for invoice {} could not be made for two weeks", invoice.number);
    let rest = "It will be tried again. Check in your payment settings that the gateway is connected, and check \
                the payment at the gateway.";
    notice(invoice, subject, vec![rest.to_owned()])
}
