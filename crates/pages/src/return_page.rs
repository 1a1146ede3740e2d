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

/// Where a payer goes who has returned from the gateway.
#[derive(Debug, Clone)]
pub enum AfterReturn {
    /// To the invoice's payment page, where it can be paid or not.
    Invoice { url: String, can_pay: bool },
    /// To the account's page: the link by which the payer came was replaced.
    Account { url: String },
}

impl ReturnPage {
    /// `then` is where the payer goes from here.
    #[must_use]
    pub fn new(
        letterhead: &Letterhead,
        outcome: PaymentOutcome,
        then: AfterReturn,
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
            link: match then {
                AfterReturn::Invoice { url, can_pay } if can_pay && !is_over => (url, p.try_again),
                AfterReturn::Invoice { url, .. } => (url, p.back),
                AfterReturn::Account { url } => (url, p.replaced_link),
            },
        }
    }
}

impl Page for ReturnPage {
    fn brand(&self) -> Option<&Brand> {
        self.layout.brand.as_ref()
    }
}
