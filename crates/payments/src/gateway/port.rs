//! The port that a gateway's adapter implements.

use async_trait::async_trait;
use kernel::Money;
use time::OffsetDateTime;

use super::access::GatewayAccess;
use super::checkout::{CheckoutReport, NewCheckout, OpenedCheckout};
use super::error::{AmountRefused, GatewayError};
use super::event::{EventRefused, GatewayEvent};
use super::ids::{ChargeId, CheckoutId};
use super::kind::GatewayKind;
use super::refund::{NewRefund, RefundReport};
use super::report::{ChangedCharges, ChargeReport};

/// A company through which payers pay online.
///
/// A call returns within about 15 seconds or fails with [`GatewayError::Unreachable`]. No transaction is open
/// during a call. Every call that changes something carries an idempotency key (the intent's or the refund's
/// id), so that it may be repeated after a response was lost. Amounts are converted to the gateway's units
/// and back exactly. No error contains a secret.
#[async_trait]
pub trait PaymentGateway: Send + Sync {
    /// Which gateway this is. A further gateway is a further variant of [`GatewayKind`], in this crate.
    fn kind(&self) -> GatewayKind;

    /// The origin of the gateway's checkout pages (`https://checkout.example.com`), for the `form-action` of
    /// the pages that lead there; `None` for the service's own pages.
    fn checkout_origin(&self) -> Option<String>;

    /// Whether an amount can be paid here, as far as is known without a call.
    fn takes(&self, amount: Money) -> Result<(), AmountRefused>;

    /// Whether an amount can be refunded here, as far as is known without a call.
    fn refunds(&self, amount: Money) -> Result<(), AmountRefused>;

    /// Opens a checkout, or returns the one that was opened for the same intent.
    async fn open_checkout(
        &self,
        access: &GatewayAccess,
        new: &NewCheckout,
    ) -> Result<OpenedCheckout, GatewayError>;

    /// The present state of a checkout, with every charge made in it.
    async fn fetch_checkout(
        &self,
        access: &GatewayAccess,
        id: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError>;

    /// Expires an open checkout. A complete or expired checkout stays as it is, which is not an error: the
    /// caller fetches the checkout afterwards.
    async fn expire_checkout(&self, access: &GatewayAccess, id: &CheckoutId) -> Result<(), GatewayError>;

    /// The present state of a charge, with its refunds and disputes.
    ///
    /// # Errors
    /// A [`GatewayError`], possibly [`GatewayError::NotFound`].
    async fn fetch_charge(&self, access: &GatewayAccess, id: &ChargeId)
    -> Result<ChargeReport, GatewayError>;

    /// Refunds a part of a charge, once for each refund id.
    ///
    /// # Errors
    /// A [`GatewayError`]; [`GatewayError::Refused`] when the rest of the charge is below the amount.
    async fn refund(&self, access: &GatewayAccess, new: &NewRefund) -> Result<RefundReport, GatewayError>;

    /// One page of the charges that were made, or whose refunds or disputes changed, at `since` or later.
    /// `page` is the previous page's `next_page`. A charge may be listed twice.
    async fn changed_since(
        &self,
        access: &GatewayAccess,
        since: OffsetDateTime,
        page: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError>;

    /// Checks whether the key works, without changing anything.
    ///
    /// # Errors
    /// A [`GatewayError`], possibly [`GatewayError::KeyRefused`].
    async fn check_key(&self, access: &GatewayAccess) -> Result<(), GatewayError>;

    /// What every secret that events are signed with begins with; empty where that is not known.
    fn webhook_secret_prefix(&self) -> &'static str {
        ""
    }

    /// The name of the header with the signature of an event.
    fn signature_header(&self) -> &'static str;

    /// The events that the owner chooses at the gateway to be sent; none where nothing is chosen.
    fn event_types(&self) -> &'static [&'static str] {
        &[]
    }

    /// Verifies an event's signature over its raw body, then parses the event's id and subject.
    ///
    /// # Errors
    /// [`EventRefused`]; then nothing is stored.
    fn verify_event(
        &self,
        access: &GatewayAccess,
        signature: &str,
        body: &[u8],
        now: OffsetDateTime,
    ) -> Result<GatewayEvent, EventRefused>;
}
