//! The mails that inform the owner of online payments and refunds.

use invoices::InvoiceId;
use invoices::figures::money_text;
use kernel::AccountId;
use mail::Notice;

use super::charge::Figures;
use super::reversal::{Reversal, ReversalReason};

/// The invoice that a notice is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// The account.
    pub account: AccountId,
    /// The invoice's number.
    pub number: String,
    /// The invoice.
    pub invoice: InvoiceId,
}

fn notice(about: &About, subject: String, rest: Vec<String>) -> Notice {
    let first = format!("{subject}.");
    Notice {
        subject,
        paragraphs: [first].into_iter().chain(rest).collect(),
        quote: None,
        link_text: "Open the invoice".to_owned(),
        path: format!("/dashboard/invoices/{}", about.invoice),
    }
}

/// The notice that money was captured.
pub(crate) fn captured(about: &About, figures: &Figures) -> Notice {
    let subject = format!("{} was paid online for invoice {}", money_text(figures.captured), about.number);
    let mut rest = Vec::new();
    if !figures.to_return.is_zero() {
        let amount = money_text(figures.to_return);
        rest.push(format!("{amount} of it is more than was due and is returned to the payer."));
    }
    if !figures.kept.is_zero() {
        let amount = money_text(figures.kept);
        rest.push(format!(
            "{amount} of it is more than was due. It is kept, as set in your payment settings."
        ));
    }
    notice(about, subject, rest)
}

/// The notice of a refund or dispute.
pub(crate) fn reversed(about: &About, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject = match reversal.reason {
        ReversalReason::Dispute => {
            format!("The payer's bank took back {amount} that was paid for invoice {}", about.number)
        }
        ReversalReason::Return | ReversalReason::Refund | ReversalReason::Elsewhere => {
            format!("{amount} was refunded to the payer of invoice {}", about.number)
        }
    };
    let stays = "The invoice keeps its status and its amounts; send another one if the money is still owed.";
    notice(about, subject, vec![stays.to_owned()])
}

/// The notice that a refund failed.
pub(crate) fn refund_failed(about: &About, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject = format!("A refund of {amount} for invoice {} failed at the gateway", about.number);
    notice(
        about,
        subject,
        vec!["It will be tried again. If it keeps failing, check the payment at the gateway.".to_owned()],
    )
}

/// The notice that a refund could not be made for two weeks.
pub(crate) fn refund_keeps_failing(about: &About, reversal: &Reversal) -> Notice {
    let amount = money_text(reversal.amount);
    let subject =
        format!("A refund of {amount} for invoice {} could not be made for two weeks", about.number);
    let rest = "It will be tried again. Check in your payment settings that the gateway is connected, and check \
                the payment at the gateway.";
    notice(about, subject, vec![rest.to_owned()])
}
