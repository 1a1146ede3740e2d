//! The sandbox as the payment gateway of the service.

use async_trait::async_trait;
use kernel::Money;
use kernel::clock::unix_micros;
use payments::{
    AmountRefused, ChangedCharges, ChargeId, ChargeReport, CheckoutId, CheckoutReport, EventRefused,
    EventSubject, GatewayAccess, GatewayError, GatewayEvent, GatewayKind, NewCheckout, NewRefund,
    OpenedCheckout, PaymentGateway, RefundReport, RefundState, TimedSignature,
};
use time::OffsetDateTime;

use crate::checkout::id;
use crate::payload::{SandboxEvent, StoredCheckout, StoredRefund};
use crate::sandbox::{Sandbox, text, unreachable_store};

#[async_trait]
impl PaymentGateway for Sandbox {
    fn kind(&self) -> GatewayKind {
        GatewayKind::Sandbox
    }

    fn checkout_origin(&self) -> Option<String> {
        None
    }

    /// The minimum is one unit of the currency.
    fn takes(&self, amount: Money) -> Result<(), AmountRefused> {
        let unit = 10_i64.saturating_pow(amount.currency().decimals());
        if amount.minor() < unit {
            return Err(AmountRefused::BelowMinimum(Money::new(unit, amount.currency())));
        }
        Ok(())
    }

    fn refunds(&self, _: Money) -> Result<(), AmountRefused> {
        Ok(())
    }

    async fn open_checkout(
        &self,
        access: &GatewayAccess,
        new: &NewCheckout,
    ) -> Result<OpenedCheckout, GatewayError> {
        self.takes(new.amount)?;
        let id = id(access.account, new.intent);
        let checkout = StoredCheckout {
            id: id.clone(),
            account: access.account.uuid(),
            gateway_account: access.gateway_account.uuid(),
            intent: new.intent.uuid(),
            amount: new.amount.minor(),
            currency: new.amount.currency().code().to_owned(),
            description: new.description.clone(),
            company_name: new.company_name.clone(),
            return_url: new.return_url.clone(),
            expires_at: unix_micros(new.expires_at),
            is_expired: false,
            charges: Vec::new(),
        };
        // An existing checkout is left unchanged.
        let written =
            self.records.write(access.account, &id, None, &text(&checkout)?, self.clock.now()).await;
        written.map_err(|error| unreachable_store(&error))?;
        let url = self.urls.sandbox_checkout(&id);
        Ok(OpenedCheckout { id: CheckoutId(id), url })
    }

    async fn fetch_checkout(
        &self,
        access: &GatewayAccess,
        id: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError> {
        let found = self.find_stored(access.account, &id.0).await?;
        let (_, checkout) = found.ok_or(GatewayError::NotFound)?;
        checkout.report(self.clock.now())
    }

    async fn expire_checkout(&self, access: &GatewayAccess, id: &CheckoutId) -> Result<(), GatewayError> {
        let now = self.clock.now();
        let expired = self.change(access.account, &id.0, |checkout| {
            checkout.is_expired |= checkout.is_open(now);
            Ok(())
        });
        expired.await.map(drop)
    }

    async fn fetch_charge(
        &self,
        access: &GatewayAccess,
        id: &ChargeId,
    ) -> Result<ChargeReport, GatewayError> {
        let (account, checkout) = Self::checkout_of(id).ok_or(GatewayError::NotFound)?;
        if account != access.account {
            return Err(GatewayError::NotFound);
        }
        let (_, checkout) = self.find_stored(account, checkout).await?.ok_or(GatewayError::NotFound)?;
        let charge = checkout.charges.iter().find(|charge| charge.id == id.0);
        checkout.charge_report(charge.ok_or(GatewayError::NotFound)?, self.clock.now())
    }

    async fn refund(&self, access: &GatewayAccess, new: &NewRefund) -> Result<RefundReport, GatewayError> {
        let (account, checkout) = Self::checkout_of(&new.charge).ok_or(GatewayError::NotFound)?;
        if account != access.account {
            return Err(GatewayError::NotFound);
        }
        let made = self.change(account, checkout, |checkout| {
            let whole = checkout.amount;
            let charge = checkout.charges.iter_mut().find(|charge| charge.id == new.charge.0);
            let charge = charge.ok_or(GatewayError::NotFound)?;
            if charge.refunds.iter().any(|refund| refund.id == new.key.uuid()) {
                return Ok(());
            }
            let gone = charge.refunds.iter().fold(0_i64, |sum, refund| sum.saturating_add(refund.amount));
            if gone.saturating_add(new.amount.minor()) > whole {
                return Err(GatewayError::Refused("the charge has less left than that".to_owned()));
            }
            charge.refunds.push(StoredRefund { id: new.key.uuid(), amount: new.amount.minor() });
            Ok(())
        });
        made.await?;
        Ok(RefundReport { id: format!("re_{}", new.key.uuid().simple()), state: RefundState::Succeeded })
    }

    async fn changed_since(
        &self,
        access: &GatewayAccess,
        since: OffsetDateTime,
        _page: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError> {
        let now = self.clock.now();
        // A debit succeeds a day after its checkout was last written.
        let texts = self.records.written_since(access.account, since - crate::checkout::DEBITS_TAKE).await;
        let mut charges = Vec::new();
        for text in texts.map_err(|error| unreachable_store(&error))? {
            charges.extend(StoredCheckout::read(&text)?.report(now)?.charges);
        }
        Ok(ChangedCharges { charges, next_page: None })
    }

    async fn check_key(&self, _access: &GatewayAccess) -> Result<(), GatewayError> {
        Ok(())
    }

    fn signature_header(&self) -> &'static str {
        "Sandbox-Signature"
    }

    fn verify_event(
        &self,
        access: &GatewayAccess,
        signature: &str,
        body: &[u8],
        now: OffsetDateTime,
    ) -> Result<GatewayEvent, EventRefused> {
        TimedSignature::verify(signature, body, &access.webhook_secrets, now)?;
        let event: SandboxEvent = serde_json::from_slice(body).map_err(|_fault| EventRefused::NotAnEvent)?;
        let subject = match event.about.as_str() {
            "checkout" => EventSubject::Checkout(CheckoutId(event.subject)),
            "charge" => EventSubject::Charge(ChargeId(event.subject)),
            _ => EventSubject::Other,
        };
        Ok(GatewayEvent { id: event.id, subject })
    }
}
