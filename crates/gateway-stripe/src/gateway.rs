//! The port: each of its calls, implemented by Stripe's.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::try_join_all;
use kernel::{Clock, Ids, Money};
use payments::{
    AmountRefused, ChangedCharges, ChargeId, ChargeReport, ChargeState, CheckoutId, CheckoutReport,
    CheckoutState, EventRefused, EventSubject, GatewayAccess, GatewayError, GatewayEvent, GatewayKind,
    MethodKind, NewCheckout, NewRefund, OpenedCheckout, PaymentGateway, RefundReport,
};
use reqwest::Url;
use time::OffsetDateTime;
use tokio::time::sleep;

use crate::api::{Api, Parameters, is_id, pair, parameters};
use crate::changes::ListingPosition;
use crate::objects::{
    BalanceTransaction, CheckoutSession, Dispute, IgnoredRecord, Listed, Refund, StripeCharge, StripeEvent,
    StripeList, id_in, unreadable,
};
use crate::settings::{SettingsFault, StripeSettings};
use crate::{checkout, event, http, reading, units};

/// How many charges are read concurrently. Stripe accepts a hundred calls a second, and 25 in test mode.
const AT_A_TIME: usize = 5;

/// How long to wait before a call is repeated whose idempotency key another call is using.
const KEY_IN_USE: Duration = Duration::from_millis(250);

/// The payment gateway Stripe.
pub struct Stripe {
    api: Api,
    checkout_origin: String,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

impl Stripe {
    /// Creates the gateway without calling Stripe.
    pub fn new(
        settings: &StripeSettings,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn Ids>,
    ) -> Result<Self, SettingsFault> {
        let api = Api::new(settings)?;
        let checkout_origin = StripeSettings::checkout_origin(api.base());
        Ok(Self { api, checkout_origin, clock, ids })
    }

    /// Checks the origin of the checkout page: a payment page allows its form to lead to only one origin, and
    /// browsers block others.
    fn checked_url(&self, session: CheckoutSession) -> Result<OpenedCheckout, GatewayError> {
        let url = session.url.ok_or_else(|| unreadable("the session has no address"))?;
        let origin = Url::parse(&url).map(|url| url.origin().ascii_serialization()).unwrap_or_default();
        if origin != self.checkout_origin {
            let text =
                format!("the checkout page is not on {}; custom domains do not work", self.checkout_origin);
            return Err(GatewayError::Refused(text));
        }
        Ok(OpenedCheckout { id: CheckoutId(session.id), url })
    }

    /// Opens a session. While another call for the same intent is carried out, such as that of a second
    /// click, Stripe refuses this one; afterwards it repeats the other one's response.
    async fn open(
        &self,
        access: &GatewayAccess,
        key: &str,
        form: &Parameters,
    ) -> Result<CheckoutSession, GatewayError> {
        loop {
            match self.api.post(access, &["checkout", "sessions"], key, form).await {
                Err(GatewayError::NotYet(_in_use)) => sleep(KEY_IN_USE).await,
                opened => return opened,
            }
        }
    }

    async fn session(
        &self,
        access: &GatewayAccess,
        id: &CheckoutId,
    ) -> Result<CheckoutSession, GatewayError> {
        let query = parameters(&[("expand[]", "payment_intent")]);
        self.api.get(access, &["checkout", "sessions", known(&id.0)?], &query).await
    }

    async fn checkout_report(
        &self,
        access: &GatewayAccess,
        id: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError> {
        let session = self.session(access, id).await?;
        let mut state = checkout::state(&session)?;
        let mut charges = Vec::new();
        if let Some(payment) = id_in(session.payment_intent.as_ref()) {
            let mut query = vec![("payment_intent", payment)];
            query.extend(LISTED.map(|what| ("expand[]", what)));
            let listed: Vec<StripeCharge> = self.api.list(access, &["charges"], &query).await?;
            charges = self.reports(access, &listed).await?;
        }
        let is_uncharged = charges.iter().all(|charge| charge.state == ChargeState::Failed);
        if state == CheckoutState::Complete && is_uncharged && checkout::may_be_charged(&session) {
            state = CheckoutState::Ordered;
        }
        Ok(CheckoutReport { state, charges })
    }

    /// The report of a charge; `None` for one that does not exist or is not this service's. Of the latter,
    /// whose amount may be in a currency that is unknown here, nothing more is read.
    async fn charge_report(
        &self,
        access: &GatewayAccess,
        id: &str,
    ) -> Result<Option<ChargeReport>, GatewayError> {
        let query = parameters(&[("expand[]", "refunds"), ("expand[]", "payment_intent")]);
        match self.api.get::<StripeCharge>(access, &["charges", known(id)?], &query).await {
            Ok(charge) if reading::is_of(access.account, &charge) => {
                self.complete(access, &charge).await.map(Some)
            }
            Ok(_) | Err(GatewayError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn reports(
        &self,
        access: &GatewayAccess,
        charges: &[StripeCharge],
    ) -> Result<Vec<ChargeReport>, GatewayError> {
        let mut reports = Vec::new();
        for some in charges.chunks(AT_A_TIME) {
            reports.extend(try_join_all(some.iter().map(|charge| self.complete(access, charge))).await?);
        }
        Ok(reports)
    }

    /// Completes a charge with data that its own response lacks: refunds beyond the tenth, disputes, and the
    /// capture time of a debit.
    async fn complete(
        &self,
        access: &GatewayAccess,
        charge: &StripeCharge,
    ) -> Result<ChargeReport, GatewayError> {
        let of_charge = [("charge", charge.id.as_str())];
        let refunds: Vec<Refund> = match &charge.refunds {
            Some(refunds) if !refunds.has_more => refunds.data.clone(),
            _ => self.api.list(access, &["refunds"], &of_charge).await?,
        };
        let disputes: Vec<Dispute> = match charge.disputed {
            true => self.api.list(access, &["disputes"], &of_charge).await?,
            false => Vec::new(),
        };
        let captured_at = self.captured_at(access, charge).await?;
        reading::report(charge, &refunds, &disputes, captured_at)
    }

    /// A card payment is captured when it is charged. A debit or a transfer is charged when it is ordered,
    /// and captured when the money arrives, as the transaction on the owner's balance shows.
    async fn captured_at(
        &self,
        access: &GatewayAccess,
        charge: &StripeCharge,
    ) -> Result<OffsetDateTime, GatewayError> {
        let made = charge.created;
        let at_once = reading::paid_by(charge) == MethodKind::Card;
        let transaction = id_in(charge.balance_transaction.as_ref()).filter(|_| !at_once);
        if let Some(id) = transaction.filter(|_| reading::state(charge) == Ok(ChargeState::Succeeded)) {
            let path = ["balance_transactions", known(id)?];
            let transaction: BalanceTransaction = self.api.get(access, &path, &[]).await?;
            return reading::instant(transaction.created.max(made));
        }
        reading::instant(made)
    }

    async fn expire(&self, access: &GatewayAccess, id: &CheckoutId) -> Result<(), GatewayError> {
        let path = ["checkout", "sessions", known(&id.0)?, "expire"];
        // Expiring twice does no harm, but a constant key would: Stripe repeats its first response to a key,
        // including the one that a session cannot be expired while a payment is in progress.
        let key = format!("expire-{}", self.ids.uuid_at(self.clock.now()));
        match self.api.post::<CheckoutSession>(access, &path, &key, &Parameters::new()).await {
            Err(GatewayError::Refused(text)) => {
                let session = self.session(access, id).await?;
                match checkout::state(&session)? {
                    CheckoutState::Open => Err(GatewayError::Refused(text)),
                    CheckoutState::Ordered | CheckoutState::Complete | CheckoutState::Expired => Ok(()),
                }
            }
            done => done.map(drop),
        }
    }

    async fn refund_once(
        &self,
        access: &GatewayAccess,
        new: &NewRefund,
    ) -> Result<RefundReport, GatewayError> {
        let units = units::to_units(new.amount)?.to_string();
        let charge = known(&new.charge.0)?;
        let id = new.key.to_string();
        // Stripe may have forgotten the key of a refund from more than a day ago.
        let made: Vec<Refund> = self.api.list(access, &["refunds"], &[("charge", charge)]).await?;
        let is_it = |refund: &&Refund| {
            refund.metadata.as_ref().and_then(|metadata| metadata.get(reading::REFUND_ID)) == Some(&id)
        };
        if let Some(refund) = made.iter().find(is_it) {
            return Ok(reading::refund_report(refund));
        }
        let named = format!("metadata[{}]", reading::REFUND_ID);
        let form = parameters(&[("charge", charge), ("amount", &units), (&named, &id)]);
        let refund: Refund = self.api.post(access, &["refunds"], &id, &form).await?;
        Ok(reading::refund_report(&refund))
    }

    async fn changes(
        &self,
        access: &GatewayAccess,
        since: OffsetDateTime,
        page: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError> {
        let place = ListingPosition::parse(page)?;
        let mut query = place.query(since);
        let mut charges = Vec::new();
        let next = if matches!(place, ListingPosition::Charges(_)) {
            query.extend(LISTED.map(|what| pair("expand[]", what)));
            let listed: StripeList<StripeCharge> = self.api.get(access, &["charges"], &query).await?;
            let next = place.next(listed.has_more, listed.data.last().map(Listed::id));
            let is_own = |charge: &StripeCharge| reading::is_of(access.account, charge);
            let own: Vec<StripeCharge> = listed.data.into_iter().filter(is_own).collect();
            charges.extend(self.reports(access, &own).await?);
            next
        } else {
            let listed: StripeList<StripeEvent> = self.api.get(access, &["events"], &query).await?;
            let about: BTreeSet<String> = listed.data.iter().filter_map(charge_of).collect();
            for some in about.into_iter().collect::<Vec<_>>().chunks(AT_A_TIME) {
                let found = try_join_all(some.iter().map(|id| self.charge_report(access, id))).await?;
                charges.extend(found.into_iter().flatten());
            }
            place.next(listed.has_more, listed.data.last().map(|event| event.id.as_str()))
        };
        Ok(ChangedCharges { charges, next_page: next.map(|place| place.text()) })
    }

    /// Checks that the key may read everything needed. Missing permissions for changes are found only when a
    /// change is made.
    async fn read_everything(&self, access: &GatewayAccess) -> Result<(), GatewayError> {
        let one = parameters(&[("limit", "1")]);
        for path in [
            &["checkout", "sessions"][..],
            &["payment_intents"],
            &["charges"],
            &["refunds"],
            &["disputes"],
            &["events"],
            &["balance_transactions"],
        ] {
            self.api.get::<IgnoredRecord>(access, path, &one).await?;
        }
        Ok(())
    }
}

/// The `expand[]` paths of a list of charges.
const LISTED: [&str; 2] = ["data.refunds", "data.payment_intent"];

/// Returns an id if it has the form of Stripe's ids.
fn known(id: &str) -> Result<&str, GatewayError> {
    if is_id(id) { Ok(id) } else { Err(GatewayError::NotFound) }
}

fn charge_of(listed: &StripeEvent) -> Option<String> {
    match event::subject(&listed.data.object) {
        EventSubject::Charge(ChargeId(id)) => Some(id),
        EventSubject::Checkout(_) | EventSubject::Other => None,
    }
}

/// Limits the time of a port call, however many calls to Stripe it makes.
async fn in_time<T>(call: impl Future<Output = Result<T, GatewayError>> + Send) -> Result<T, GatewayError> {
    let late = |_| Err(GatewayError::Unreachable("no answer from Stripe in time".to_owned()));
    tokio::time::timeout(http::TIMEOUT, call).await.unwrap_or_else(late)
}

#[async_trait]
impl PaymentGateway for Stripe {
    fn kind(&self) -> GatewayKind {
        GatewayKind::Stripe
    }

    fn checkout_origin(&self) -> Option<String> {
        Some(self.checkout_origin.clone())
    }

    fn takes(&self, amount: Money) -> Result<(), AmountRefused> {
        units::payable(amount).map(drop)
    }

    fn refunds(&self, amount: Money) -> Result<(), AmountRefused> {
        units::to_units(amount).map(drop)
    }

    async fn open_checkout(
        &self,
        access: &GatewayAccess,
        new: &NewCheckout,
    ) -> Result<OpenedCheckout, GatewayError> {
        let form = checkout::form(new)?;
        let key = new.intent.to_string();
        let session = in_time(self.open(access, &key, &form)).await?;
        self.checked_url(session)
    }

    async fn fetch_checkout(
        &self,
        access: &GatewayAccess,
        id: &CheckoutId,
    ) -> Result<CheckoutReport, GatewayError> {
        in_time(self.checkout_report(access, id)).await
    }

    async fn expire_checkout(&self, access: &GatewayAccess, id: &CheckoutId) -> Result<(), GatewayError> {
        in_time(self.expire(access, id)).await
    }

    async fn fetch_charge(
        &self,
        access: &GatewayAccess,
        id: &ChargeId,
    ) -> Result<ChargeReport, GatewayError> {
        in_time(self.charge_report(access, &id.0)).await?.ok_or(GatewayError::NotFound)
    }

    async fn refund(&self, access: &GatewayAccess, new: &NewRefund) -> Result<RefundReport, GatewayError> {
        in_time(self.refund_once(access, new)).await
    }

    async fn changed_since(
        &self,
        access: &GatewayAccess,
        since: OffsetDateTime,
        page: Option<&str>,
    ) -> Result<ChangedCharges, GatewayError> {
        in_time(self.changes(access, since, page)).await
    }

    async fn check_key(&self, access: &GatewayAccess) -> Result<(), GatewayError> {
        in_time(self.read_everything(access)).await
    }

    fn webhook_secret_prefix(&self) -> &'static str {
        "whsec_"
    }

    fn signature_header(&self) -> &'static str {
        "Stripe-Signature"
    }

    fn event_types(&self) -> &'static [&'static str] {
        event::EVENT_TYPES
    }

    fn verify_event(
        &self,
        access: &GatewayAccess,
        signature: &str,
        body: &[u8],
        now: OffsetDateTime,
    ) -> Result<GatewayEvent, EventRefused> {
        event::verified(access, signature, body, now)
    }
}
