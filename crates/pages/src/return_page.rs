//! The page that a payer returns to from the gateway.

use askama::Template;
use invoices::Letterhead;
use invoices::figures::money_text;
use kernel::PublicUrls;
use payments::PaymentOutcome;

use crate::brand::Brand;
use crate::page::Page;
use crate::payer_layout::PayerLayout;
use crate::texts::{ENGLISH, Texts};

/// The page that a payer returns to, with the outcome of the payment.
#[derive(Debug, Clone, Template)]
#[template(path = "return.html")]
pub struct ReturnPage {
    t: &'static Texts,
    layout: PayerLayout,
    is_alert: bool,
    says: &'static str,
    note: Option<String>,
    link: (String, &'static str),
}

impl ReturnPage {
    /// `page` is the URL of the invoice's payment page, `can_pay` whether the invoice can be paid there.
    #[must_use]
    pub fn new(
        letterhead: &Letterhead,
        outcome: PaymentOutcome,
        page: String,
        can_pay: bool,
        urls: &PublicUrls,
    ) -> Self {
        let t = &ENGLISH;
        let p = &t.payer;
        let (says, note, is_over) = match outcome {
            PaymentOutcome::Paid(amount) => (p.thank_you, Some((p.you_paid)(&money_text(amount))), true),
            PaymentOutcome::PaidTooMuch { captured, unapplied, is_returned } => {
                let words = if is_returned { p.paid_and_returned } else { p.paid_too_much };
                let note = words(&money_text(captured), &money_text(unapplied));
                (p.thank_you, Some(note), true)
            }
            PaymentOutcome::Processing(amount) => {
                (p.processing, Some((p.processing_note)(&money_text(amount))), true)
            }
            PaymentOutcome::Declined => (p.declined, None, false),
            PaymentOutcome::NotPaid => (p.not_paid, None, false),
        };
        Self {
            t,
            layout: PayerLayout::new(letterhead, p.return_title.to_owned(), urls, t),
            is_alert: !is_over,
            says,
            note,
            link: (page, if !is_over && can_pay { p.try_again } else { p.back }),
        }
    }
}

impl Page for ReturnPage {
    fn brand(&self) -> Option<&Brand> {
        self.layout.brand.as_ref()
    }
}
