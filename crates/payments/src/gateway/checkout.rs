//! A gateway's checkout: the page on which a payer makes one payment.

use std::fmt;

use kernel::{AccountId, EmailAddress, Money};
use time::OffsetDateTime;

use super::ids::{CheckoutId, IntentId};
use super::report::ChargeReport;

/// A checkout to open.
#[derive(Clone, PartialEq, Eq)]
pub struct NewCheckout {
    /// The intent to pay. Opening a checkout again with the same intent returns the same checkout.
    pub intent: IntentId,
    /// The account that is paid.
    pub account: AccountId,
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
#[derive(Clone, PartialEq, Eq)]
pub struct OpenedCheckout {
    /// The gateway's id of the checkout.
    pub id: CheckoutId,
    /// The address to send the payer to.
    pub url: String,
}

/// Without the address to return to, which holds the token of the payment page.
impl fmt::Debug for NewCheckout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("NewCheckout");
        shown.field("intent", &self.intent).field("amount", &self.amount);
        shown.field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// Without the address of the checkout, which whoever has it may use.
impl fmt::Debug for OpenedCheckout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedCheckout").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The state of a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckoutState {
    /// The payer may still pay.
    Open,
    /// The payer has ordered a payment for which a charge will be made later.
    Ordered,
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

#[cfg(test)]
mod tests {
    use kernel::{Currency, Id};
    use uuid::Uuid;

    use super::*;
    use crate::SandboxShown;

    #[test]
    fn debug_output_of_a_checkout_leaves_out_its_addresses() {
        let url = "https://books.example.com/pay/t0k3n/return".to_owned();
        let amount = Money::new(11_000, Currency::parse("AUD").unwrap());
        let new = NewCheckout {
            intent: Id::from_uuid(Uuid::nil()),
            account: Id::from_uuid(Uuid::nil()),
            amount,
            description: "Invoice INV-0001".to_owned(),
            company_name: "Acme".to_owned(),
            payer_email: None,
            return_url: url.clone(),
            expires_at: OffsetDateTime::UNIX_EPOCH,
        };
        let shown = SandboxShown {
            account: Id::from_uuid(Uuid::nil()),
            amount,
            description: "Invoice INV-0001".to_owned(),
            company_name: "Acme".to_owned(),
            return_url: url.clone(),
            is_open: true,
        };
        let opened = OpenedCheckout { id: CheckoutId("cs_1".to_owned()), url };
        let printed = format!("{new:?} {shown:?} {opened:?}");
        assert!(printed.contains("cs_1") && !printed.contains("t0k3n"), "{printed}");
    }
}
