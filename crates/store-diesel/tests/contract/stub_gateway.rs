//! A gateway that opens checkouts, accepts every event and lists given charges; the tests call nothing else.

use kernel::Money;
use payments::{
    AmountRefused, ChangedCharges, ChargeId, ChargeReport, CheckoutId, CheckoutReport, EventRefused,
    EventSubject, GatewayAccess, GatewayAccountId, GatewayError, GatewayEvent, GatewayKind, NewCheckout,
    NewRefund, OpenedCheckout, PaymentGateway, RefundReport,
};
use time::OffsetDateTime;

/// An amount in minor units that the gateway's own units do not have.
pub(crate) const NOT_WRITABLE: i64 = 13;

#[derive(Default)]
pub(crate) struct StubGateway {
    /// The charges of connections.
    pub(crate) charges: Vec<(GatewayAccountId, ChargeReport)>,
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
        _: &GatewayAccess,
        new: &NewCheckout,
    ) -> Result<OpenedCheckout, GatewayError> {
        Ok(OpenedCheckout { id: CheckoutId(new.intent.to_string()), url: "https://pay.example".to_owned() })
    }

    async fn fetch_checkout(
        &self,
        _: &GatewayAccess,
        _: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError> {
        Err(GatewayError::NotFound)
    }

    async fn expire_checkout(&self, _: &GatewayAccess, _: &CheckoutId) -> Result<(), GatewayError> {
        Err(GatewayError::NotFound)
    }

    async fn fetch_charge(&self, _: &GatewayAccess, _: &ChargeId) -> Result<ChargeReport, GatewayError> {
        Err(GatewayError::NotFound)
    }

    async fn refund(&self, _: &GatewayAccess, _: &NewRefund) -> Result<RefundReport, GatewayError> {
        Err(GatewayError::NotFound)
    }

    async fn changed_since(
        &self,
        access: &GatewayAccess,
        _: OffsetDateTime,
        _: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError> {
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
