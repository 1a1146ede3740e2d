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
/// A call answers within about 15 seconds or is [`GatewayError::Unreachable`]. No transaction is open
/// meanwhile. Every call that changes something carries an idempotency key (the intent's or the refund's
/// id), so that it may be made again after an answer was lost. Amounts are written in the gateway's units and
/// read back exactly. No error contains a secret.
#[async_trait]
pub trait PaymentGateway: Send + Sync {
    /// Which gateway it is.
    fn kind(&self) -> GatewayKind;

    /// The origin of its checkout pages (`https://checkout.example.com`), for the `form-action` of the pages
    /// that lead there; `None` when they are the service's own.
    fn checkout_origin(&self) -> Option<String>;

    /// Whether an amount can be paid here, as far as it is known without asking.
    ///
    /// # Errors
    /// [`AmountRefused`].
    fn takes(&self, amount: Money) -> Result<(), AmountRefused>;

    /// Opens a checkout, or returns the one that was opened for the same intent.
    ///
    /// # Errors
    /// A [`GatewayError`].
    async fn open_checkout(
        &self,
        access: &GatewayAccess,
        new: &NewCheckout,
    ) -> Result<OpenedCheckout, GatewayError>;

    /// A checkout as it stands now, with every charge that came of it.
    ///
    /// # Errors
    /// A [`GatewayError`].
    async fn fetch_checkout(
        &self,
        access: &GatewayAccess,
        id: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError>;

    /// Expires an open checkout. One that is complete or expired stays as it is, and that is no error: the
    /// caller fetches it afterwards.
    ///
    /// # Errors
    /// A [`GatewayError`].
    async fn expire_checkout(&self, access: &GatewayAccess, id: &CheckoutId) -> Result<(), GatewayError>;

    /// A charge as it stands now, with its refunds and disputes.
    ///
    /// # Errors
    /// A [`GatewayError`], [`GatewayError::NotFound`] among them.
    async fn fetch_charge(&self, access: &GatewayAccess, id: &ChargeId)
    -> Result<ChargeReport, GatewayError>;

    /// Refunds a part of a charge, once for each id of a refund.
    ///
    /// # Errors
    /// A [`GatewayError`]; [`GatewayError::Refused`] when the charge has less left than that.
    async fn refund(&self, access: &GatewayAccess, new: &NewRefund) -> Result<RefundReport, GatewayError>;

    /// The charges that were made, or of which a refund or a dispute changed, at `since` or later: one page.
    /// `page` is what the page before named as the next. A charge may be listed twice.
    ///
    /// # Errors
    /// A [`GatewayError`].
    async fn changed_since(
        &self,
        access: &GatewayAccess,
        since: OffsetDateTime,
        page: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError>;

    /// Asks whether the key works, and changes nothing.
    ///
    /// # Errors
    /// A [`GatewayError`], [`GatewayError::KeyRefused`] among them.
    async fn check_key(&self, access: &GatewayAccess) -> Result<(), GatewayError>;

    /// The name of the header that carries the signature of an event.
    fn signature_header(&self) -> &'static str;

    /// Verifies the signature of an event on its raw body, then reads which event it is and what it is about.
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
