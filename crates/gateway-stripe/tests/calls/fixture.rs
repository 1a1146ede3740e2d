//! The setup of the tests: a stand-in, the adapter that calls it, and the arguments of the calls.

use std::sync::Arc;

use gateway_stripe::{Stripe, StripeSettings};
use kernel::{Clock, Currency, EmailAddress, Id, Ids, Money};
use payments::{
    ChargeId, ChargeReport, CheckoutId, CheckoutReport, GatewayAccess, GatewaySecret, NewCheckout, NewRefund,
    PaymentGateway,
};
use testkit::{CountingIds, FixedClock};
use time::Duration;

use crate::stand_in::{KEY, StandIn, WEBHOOK_SECRET};

pub(crate) struct Fixture {
    pub(crate) stand_in: StandIn,
    pub(crate) stripe: Stripe,
    pub(crate) access: GatewayAccess,
    pub(crate) clock: FixedClock,
    pub(crate) ids: Arc<CountingIds>,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        let clock = FixedClock::default();
        let ids = Arc::new(CountingIds::default());
        let stand_in = StandIn::start(Arc::new(clock.clone())).await;
        let stripe = stripe_at(&stand_in.url(), &clock);
        Self { access: access(&*ids, KEY), stand_in, stripe, clock, ids }
    }

    pub(crate) fn checkout(&self, amount: Money) -> NewCheckout {
        NewCheckout {
            intent: Id::new(&*self.ids, self.clock.now()),
            account: self.access.account,
            amount,
            description: "Invoice INV-0007".to_owned(),
            company_name: "Ada & Söhne".to_owned(),
            payer_email: Some(EmailAddress::parse("payer+7@example.com").unwrap()),
            return_url: "https://pay.example.com/i/token/return?intent=7&a=b".to_owned(),
            expires_at: self.clock.now() + Duration::hours(23),
        }
    }

    /// Opens a checkout of 110.00 AUD.
    pub(crate) async fn open(&self) -> (NewCheckout, CheckoutId) {
        let new = self.checkout(money("110.00 AUD"));
        let opened = self.stripe.open_checkout(&self.access, &new).await.unwrap();
        (new, opened.id)
    }

    /// A charge of 110.00 AUD by card.
    pub(crate) async fn paid(&self) -> ChargeId {
        let (_, id) = self.open().await;
        ChargeId(self.stand_in.world(|world| world.pay(&id.0, "card")))
    }

    pub(crate) async fn fetched(&self, id: &CheckoutId) -> CheckoutReport {
        self.stripe.fetch_checkout(&self.access, id).await.unwrap()
    }

    pub(crate) async fn charge(&self, id: &ChargeId) -> ChargeReport {
        self.stripe.fetch_charge(&self.access, id).await.unwrap()
    }

    pub(crate) fn new_refund(&self, charge: &ChargeId, amount: &str) -> NewRefund {
        let key = Id::new(&*self.ids, self.clock.now());
        NewRefund { key, charge: charge.clone(), amount: money(amount) }
    }

    /// Asserts that every request and every response was valid.
    pub(crate) fn assert_no_faults(&self) {
        assert_eq!(self.stand_in.faults(), Vec::<String>::new());
    }
}

pub(crate) fn stripe_at(url: &str, clock: &FixedClock) -> Stripe {
    let settings = StripeSettings { base_url: url.to_owned(), ..StripeSettings::default() };
    Stripe::new(&settings, Arc::new(clock.clone()), Arc::new(CountingIds::default())).unwrap()
}

pub(crate) fn access(ids: &dyn Ids, key: &str) -> GatewayAccess {
    let secret = |text| GatewaySecret::parse(text).unwrap();
    GatewayAccess {
        account: Id::new(ids, FixedClock::START),
        gateway_account: Id::new(ids, FixedClock::START),
        key: secret(key),
        webhook_secrets: vec![secret(WEBHOOK_SECRET)],
    }
}

/// A plain client for requests that the adapter does not send.
pub(crate) fn client() -> reqwest::Client {
    // Another test may already have installed the provider.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Parses `110.00 AUD`.
pub(crate) fn money(text: &str) -> Money {
    let (amount, code) = text.split_once(' ').unwrap();
    Money::parse(amount, Currency::parse(code).unwrap()).unwrap()
}
