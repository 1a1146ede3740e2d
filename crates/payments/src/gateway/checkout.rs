//! A gateway's checkout: the page on which a payer makes one payment.

use kernel::{EmailAddress, Money};
use time::OffsetDateTime;

use super::ids::{CheckoutId, IntentId};
use super::report::ChargeReport;

/// A checkout to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckout {
    /// The intent to pay. Opening a checkout again with the same intent returns the same checkout.
    pub intent: IntentId,
    /// The amount to pay.
    pub amount: Money,
    /// The text beside the amount: `Invoice INV-0001`.
    pub description: String,
    /// The company that is paid.
    pub company_name: String,
    /// The payer's e-mail address, if the invoice has one.
    pub payer_email: Option<EmailAddress>,
    /// The address to which the gateway returns the payer after paying or giving up.
    pub return_url: String,
    /// The latest instant at which the checkout closes by itself.
    pub expires_at: OffsetDateTime,
}

/// A checkout that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedCheckout {
    /// The gateway's id of the checkout.
    pub id: CheckoutId,
    /// The address to send the payer to.
    pub url: String,
}

/// The state of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutState {
    /// The payer may still pay.
    Open,
    /// The payer has paid, or has ordered a debit that is pending: the checkout makes no other charge.
    Complete,
    /// The checkout can no longer be paid.
    Expired,
}

/// A checkout as the gateway reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutReport {
    /// Whether it is open, complete or expired at the gateway.
    pub state: CheckoutState,
    /// Every charge made in the checkout, including failed ones.
    pub charges: Vec<ChargeReport>,
}
