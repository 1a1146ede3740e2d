//! The payment intent: one amount of one invoice that a payer set out to pay.

use idempotency::Fingerprint;
use invoices::{InvoiceId, PayToken};
use kernel::names::{self, UnknownName};
use kernel::{AccountId, Money};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::{Duration, OffsetDateTime};

use crate::gateway::{CheckoutId, GatewayAccountId, IntentId, OpenedCheckout};

/// Where an intent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum IntentState {
    /// The gateway's checkout is being opened, or could not be.
    Opening,
    /// The payer may pay at the gateway.
    Open,
    /// The checkout is to be expired.
    Expiring,
    /// The payer has paid by something that is not through yet.
    Pending,
    /// No further charge can come of it.
    Ended,
}

impl IntentState {
    /// The name in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a name.
    ///
    /// # Errors
    /// [`UnknownName`], which lists the names.
    pub fn parse(text: &str) -> Result<Self, UnknownName> {
        names::parse(text)
    }
}

/// One amount of one invoice that a payer set out to pay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The intent's id.
    pub id: IntentId,
    /// The account that is paid.
    pub account: AccountId,
    /// The invoice that is paid.
    pub invoice: InvoiceId,
    /// Where it is paid.
    pub gateway_account: GatewayAccountId,
    /// What is to be paid.
    pub amount: Money,
    /// Where it stands.
    pub state: IntentState,
    /// The fingerprint of what its checkout is opened with. A gateway takes another request under the same
    /// intent for a mistake, so one whose invoice or company changed meanwhile is not tried again.
    pub opened_with: Option<Fingerprint>,
    /// The gateway's checkout, once it is opened.
    pub checkout: Option<OpenedCheckout>,
    /// The token of the payment page that it was begun on. That page shows what came of it, even when the
    /// link was replaced.
    pub token: PayToken,
    /// When it was begun, UTC.
    pub created_at: OffsetDateTime,
    /// When its checkout closes by itself, UTC.
    pub expires_at: OffsetDateTime,
}

impl Intent {
    /// How long a payer has for a checkout. Stripe takes at most 24 hours.
    pub const LASTS: Duration = Duration::hours(23);

    /// How long a checkout lasts at the least when it is opened. Stripe takes no less than 30 minutes.
    const LASTS_AT_LEAST: Duration = Duration::HOUR;

    /// Whether another click on "Pay" with this amount leads to its checkout, or opens it with the same
    /// request.
    #[must_use]
    pub fn is_for(
        &self,
        amount: Money,
        gateway_account: GatewayAccountId,
        opened_with: Fingerprint,
        now: OffsetDateTime,
    ) -> bool {
        let is_same_request = match self.state {
            IntentState::Opening => {
                self.opened_with == Some(opened_with)
                    && now.saturating_add(Self::LASTS_AT_LEAST) < self.expires_at
            }
            _ => true,
        };
        self.amount == amount
            && self.gateway_account == gateway_account
            && self.can_be_paid()
            && is_same_request
            && now < self.expires_at
    }

    /// Whether a payer may still begin to pay there.
    #[must_use]
    pub const fn can_be_paid(&self) -> bool {
        matches!(self.state, IntentState::Opening | IntentState::Open)
    }

    /// The gateway's id of the checkout, once it is opened.
    #[must_use]
    pub fn checkout_id(&self) -> Option<&CheckoutId> {
        self.checkout.as_ref().map(|checkout| &checkout.id)
    }
}
