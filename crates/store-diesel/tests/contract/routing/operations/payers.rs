//! Forms of payers, and online payments.

use std::sync::Arc;

use idempotency::{Fingerprint, FormToken, IdempotencyKey, Submission};
use invoices::{NewPromise, PromisedBy};
use kernel::{SystemIds, TimeZone};
use payments::{
    ChargeState, CheckoutRequest, GatewayKind, OnlinePayments, PaymentSettings, RefundRequest, RefundView,
    Settled, TermsChange,
};
use time::Duration;

use super::{Operations, Rows};
use crate::fixtures::{NOW, fresh, stored_response};
use crate::online_payments::online_payments;
use crate::routing::logs::Sent;
use crate::stub_gateway::StubGateway;

impl<F: Fn(&str, Rows, &Sent)> Operations<'_, F> {
    pub(super) async fn payers(&mut self) {
        let (requests, raised, rows) = (self.requests, &self.prepared.invoice, Rows::OfAccount);
        let (store, account) = (&requests.store, raised.account);
        let slug = self.prepared.slug.as_str();
        let by_slug = store.payer_reads.account_by_slug(slug);
        self.during("GET /to/{slug}", Rows::EverywhereRead, by_slug).await.unwrap().unwrap();
        let by_number = store.payer_reads.mailable_by_number(account, &raised.number);
        self.during("an invoice by its number", rows, by_number).await.unwrap();
        let replaced = store.payer_reads.replaced_pay_token(&raised.pay_token);
        self.during("a link that was replaced", rows, replaced).await.unwrap();
        let token = FormToken::new(&SystemIds::default(), NOW, account);
        let form = Submission { account, token, fingerprint: Fingerprint::of(b"content") };
        let forms = &store.submissions;
        self.during("claiming a form", rows, forms.begin(&form, NOW)).await.unwrap();
        self.during("releasing a form", rows, forms.release(&form)).await.unwrap();
        forms.begin(&form, NOW).await.unwrap();
        self.during("finishing a form", rows, forms.finish(&form, "/pay/token")).await.unwrap();
        let promise = NewPromise {
            date: NOW.date() + Duration::DAY,
            made_by: PromisedBy::Owner,
            time_zone: TimeZone::utc(),
            most_days: 30,
        };
        let invoicing = requests.invoicing();
        let promise = invoicing.promise_to_pay(account, raised.id, &promise);
        self.during("promising to pay", rows, promise).await.unwrap();
        let days = store.promise_limits.promise_days(account);
        self.during("the latest date of a promise", Rows::EverywhereRead, days).await.unwrap();
    }

    pub(super) async fn payments_online(&mut self) {
        let (store, paying) = (&self.requests.store, &self.prepared.paying);
        let payments =
            OnlinePayments { gateways: vec![Arc::new(StubGateway::default())], ..online_payments(store) };
        let (account, raised, gateway) = (paying.scope.id, &paying.invoice, paying.gateway.id);
        let rows = Rows::OfAccountByCoordinator;
        let settings = PaymentSettings { minimum_percent: 5, ..PaymentSettings::default() };
        let change = payments.change_terms(account, TermsChange::Online(settings), None);
        self.during("changing how payments are taken", Rows::OfAccountAndLock, change).await.unwrap();
        let days = payments.change_terms(account, TermsChange::PromiseDays(30), None);
        self.during("setting the latest date of a promise", Rows::EverywhereChanged, days).await.unwrap();
        let (invoice, token) = (raised.id, raised.pay_token.clone());
        let request = CheckoutRequest { invoice, token, amount: Some("7.00".to_owned()), most: None };
        let check_out = payments.check_out(account, &request);
        self.during("opening a checkout", rows, check_out).await.unwrap();
        let event = format!("evt_{}", fresh());
        let take = payments.take_event(GatewayKind::Stripe, gateway, "", event.as_bytes());
        self.during("taking an event of a gateway", rows, take).await.unwrap();
        let captured = paying.charge(&format!("ch_{}", fresh()), 100, ChargeState::Succeeded);
        let settle = payments.settle((account, gateway), &captured);
        let settled = self.during("settling a charge", rows, settle).await.unwrap();
        let Settled::Stored(charge) = settled else { panic!("it is ours") };
        let request = RefundRequest { payment: charge.payment.unwrap(), amount: "0.50".to_owned() };
        let key = IdempotencyKey::parse(&format!("r{}", fresh())).unwrap();
        let present = |view: &RefundView| stored_response(&view.id.to_string());
        let refund = payments.refund_once(account, &request, key, &present);
        self.during("asking for a refund", rows, refund).await.unwrap();
        let sandbox = &store.sandbox_records;
        let write = sandbox.write(account, "cs_1", None, "{}", NOW);
        self.during("keeping a checkout of the sandbox", Rows::OfAccount, write).await.unwrap();
        let read = sandbox.read(account, "cs_1");
        self.during("a checkout of the sandbox", Rows::OfAccount, read).await.unwrap();
        let reads = &store.online_reads;
        self.during("how payments are taken", Rows::OfAccount, reads.settings(account)).await.unwrap();
        self.during("charges", Rows::OfAccount, reads.charges(account, 25)).await.unwrap();
        self.during("gateways", Rows::EverywhereRead, reads.gateways(account)).await.unwrap();
        let disconnect = payments.disconnect(account, gateway);
        self.during("disconnecting a gateway", Rows::EverywhereChanged, disconnect).await.unwrap();
    }
}
