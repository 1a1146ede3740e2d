//! A gateway that opens checkouts, accepts every event, lists given charges and makes refunds when a test
//! lets it; the tests call nothing else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use kernel::Money;
use payments::{
    AmountRefused, ChangedCharges, ChargeId, ChargeReport, CheckoutId, CheckoutReport, CheckoutState,
    EventRefused, EventSubject, GatewayAccess, GatewayAccountId, GatewayError, GatewayEvent, GatewayKind,
    NewCheckout, NewRefund, OpenedCheckout, PaymentGateway, RefundReport, RefundState,
};
use time::OffsetDateTime;
use tokio::sync::Notify;

/// An amount in minor units that the gateway's own units do not have.
pub(crate) const NOT_WRITABLE: i64 = 13;

#[derive(Default)]
pub(crate) struct StubGateway {
    /// The charges of connections.
    pub(crate) charges: Vec<(GatewayAccountId, ChargeReport)>,
    /// The state of every checkout, without charges; without it the gateway has no checkout.
    pub(crate) checkouts: Option<CheckoutState>,
    /// A charge, and the key that alone reaches it and refunds it at once.
    pub(crate) reached_by: Option<(&'static str, ChargeReport)>,
    /// A charge that every key reaches.
    pub(crate) shown_to_all: Option<ChargeReport>,
    /// Whether the gateway cannot be reached to open a checkout.
    pub(crate) opens_none: AtomicBool,
    /// The instants since which changes were asked for.
    pub(crate) listed_since: Mutex<Vec<OffsetDateTime>>,
    /// What makes refunds succeed; without it the gateway has no charge to refund.
    pub(crate) refunding: Option<Arc<Refunding>>,
}

/// Refunds that are made, and whose responses wait for the test.
#[derive(Default)]
pub(crate) struct Refunding {
    pub(crate) made: Notify,
    pub(crate) respond: Notify,
    /// Whether the gateway only accepts them.
    pub(crate) pends: AtomicBool,
}

#[async_trait::async_trait]
impl PaymentGateway for StubGateway {
    fn kind(&self) -> GatewayKind {
        GatewayKind::Stripe
    }

    fn checkout_origin(&self) -> Option<String> {
        None
    }

    fn takes(&self, _: Money) -> Result<(), AmountRefused> {
        Ok(())
    }

    fn refunds(&self, amount: Money) -> Result<(), AmountRefused> {
        if amount.minor() == NOT_WRITABLE { Err(AmountRefused::NotWritable(amount)) } else { Ok(()) }
    }

    async fn open_checkout(
        &self,
        access: &GatewayAccess,
        new: &NewCheckout,
    ) -> Result<OpenedCheckout, GatewayError> {
        if self.opens_none.load(Ordering::Relaxed) {
            return Err(GatewayError::Unreachable("down".to_owned()));
        }
        let url = format!("https://pay.example/{}", access.key.reveal());
        Ok(OpenedCheckout { id: CheckoutId(new.intent.to_string()), url })
    }

    async fn fetch_checkout(
        &self,
        _: &GatewayAccess,
        _: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError> {
        let state = self.checkouts.ok_or(GatewayError::NotFound)?;
        Ok(CheckoutReport { state, charges: Vec::new() })
    }

    async fn expire_checkout(&self, _: &GatewayAccess, _: &CheckoutId) -> Result<(), GatewayError> {
        Err(GatewayError::NotFound)
    }

    async fn fetch_charge(&self, access: &GatewayAccess, _: &ChargeId) -> Result<ChargeReport, GatewayError> {
        if let Some(charge) = &self.shown_to_all {
            return Ok(charge.clone());
        }
        let reached = self.reached_by.as_ref().filter(|(key, _)| access.key.reveal() == *key);
        reached.map(|(_, charge)| charge.clone()).ok_or(GatewayError::NotFound)
    }

    async fn refund(&self, access: &GatewayAccess, new: &NewRefund) -> Result<RefundReport, GatewayError> {
        if self.reached_by.is_some() {
            self.fetch_charge(access, &new.charge).await?;
            return Ok(RefundReport { id: format!("re_{}", new.key), state: RefundState::Succeeded });
        }
        let refunding = self.refunding.as_ref().ok_or(GatewayError::NotFound)?;
        refunding.made.notify_one();
        refunding.respond.notified().await;
        let pends = refunding.pends.load(Ordering::Relaxed);
        let state = if pends { RefundState::Pending } else { RefundState::Succeeded };
        Ok(RefundReport { id: format!("re_{}", new.key), state })
    }

    async fn changed_since(
        &self,
        access: &GatewayAccess,
        since: OffsetDateTime,
        _: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError> {
        self.listed_since.lock().unwrap().push(since);
        let own = self.charges.iter().filter(|(gateway, _)| *gateway == access.gateway_account);
        Ok(ChangedCharges { charges: own.map(|(_, charge)| charge.clone()).collect(), next_page: None })
    }

    async fn check_key(&self, _: &GatewayAccess) -> Result<(), GatewayError> {
        Ok(())
    }

    fn signature_header(&self) -> &'static str {
        "X-Signature"
    }

    fn verify_event(
        &self,
        _: &GatewayAccess,
        _: &str,
        body: &[u8],
        _: OffsetDateTime,
    ) -> Result<GatewayEvent, EventRefused> {
        let id = String::from_utf8(body.to_vec()).map_err(|_not_text| EventRefused::NotAnEvent)?;
        Ok(GatewayEvent { id, subject: EventSubject::Charge(ChargeId("ch_1".to_owned())) })
    }
}
