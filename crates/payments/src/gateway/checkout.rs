//! A gateway's checkout: the page on which a payer pays once.

use kernel::{EmailAddress, Money};
use time::OffsetDateTime;

use super::ids::{CheckoutId, IntentId};
use super::report::ChargeReport;

/// A checkout to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckout {
    /// What it is opened for. Opening it again with the same intent gives the same checkout.
    pub intent: IntentId,
    /// What is to be paid.
    pub amount: Money,
    /// What the payer reads beside the amount: `Invoice INV-0001`.
    pub description: String,
    /// The company that is paid.
    pub company_name: String,
    /// Where the payer is mailed, when the invoice says it.
    pub payer_email: Option<EmailAddress>,
    /// Where the gateway sends the payer after the payment, and when the payer gives up.
    pub return_url: String,
    /// When the checkout closes by itself, at the latest.
    pub expires_at: OffsetDateTime,
}

/// A checkout that was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedCheckout {
    /// The gateway's id of it.
    pub id: CheckoutId,
    /// Where the payer is sent.
    pub url: String,
}

/// Where a checkout stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutState {
    /// The payer may still pay.
    Open,
    /// The payer has paid, or has ordered a debit that is pending: no other charge can come of it.
    Complete,
    /// Nobody can pay there any more.
    Expired,
}

/// A checkout as the gateway reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutReport {
    /// Where it stands.
    pub state: CheckoutState,
    /// Every charge that came of it, the failed ones too.
    pub charges: Vec<ChargeReport>,
}
