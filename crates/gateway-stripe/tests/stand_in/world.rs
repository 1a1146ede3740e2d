//! The state of Stripe: sessions, charges, refunds and disputes, and the events about them.

mod requests;

use std::collections::HashMap;
use std::sync::Arc;

use kernel::Clock;
use serde_json::{Value, json};

use super::KEY;
use super::ledger::Ledger;

/// The first response to an idempotency key, with its request.
struct Kept {
    request: String,
    response: (u16, Value),
    at: i64,
}

pub(crate) struct World {
    clock: Arc<dyn Clock>,
    count: usize,
    sessions: Ledger,
    /// The data for the payment intent that a session will create.
    planned: HashMap<String, Value>,
    intents: Ledger,
    charges: Ledger,
    refunds: Ledger,
    disputes: Ledger,
    transactions: Ledger,
    events: Ledger,
    undelivered: Vec<Value>,
    kept: HashMap<String, Kept>,
    denied: Option<&'static str>,
    /// The key that calls are made with.
    key: &'static str,
}

impl World {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        let ledger = Ledger::default;
        Self {
            clock,
            count: 0,
            sessions: ledger(),
            planned: HashMap::new(),
            intents: ledger(),
            charges: ledger(),
            refunds: ledger(),
            disputes: ledger(),
            transactions: ledger(),
            events: ledger(),
            undelivered: Vec::new(),
            kept: HashMap::new(),
            denied: None,
            key: KEY,
        }
    }

    /// The payer pays, and the money is captured.
    pub(crate) fn pay(&mut self, session: &str, method: &str) -> String {
        let charge = self.charge(session, method, "succeeded");
        self.complete(session, "paid");
        self.tell("charge.succeeded", &self.charges.get(&charge).unwrap().clone());
        self.tell("checkout.session.completed", &self.sessions.get(session).unwrap().clone());
        charge
    }

    /// The payer's card is declined; the session stays open.
    pub(crate) fn decline(&mut self, session: &str) -> String {
        let charge = self.charge(session, "card", "failed");
        self.tell("charge.failed", &self.charges.get(&charge).unwrap().clone());
        charge
    }

    /// The payer orders a debit, which is pending until the bank decides.
    pub(crate) fn order_debit(&mut self, session: &str, method: &str) -> String {
        let charge = self.charge(session, method, "pending");
        self.complete(session, "unpaid");
        self.tell("charge.pending", &self.charges.get(&charge).unwrap().clone());
        self.tell("checkout.session.completed", &self.sessions.get(session).unwrap().clone());
        charge
    }

    /// The payer orders a debit from a bank account that is to be verified first: there is no charge yet.
    pub(crate) fn order_unverified_debit(&mut self, session: &str) {
        self.payment_intent(session);
        self.complete(session, "unpaid");
        self.intent_becomes(session, "requires_action");
        self.tell("checkout.session.completed", &self.sessions.get(session).unwrap().clone());
    }

    /// Changes the status of the payment intent of a session.
    pub(crate) fn intent_becomes(&mut self, session: &str, status: &str) {
        let intent = self.sessions.get(session).unwrap()["payment_intent"].as_str().unwrap().to_owned();
        self.intents.set(&intent, "status", status);
    }

    /// The bank carries out a debit now.
    pub(crate) fn debit_succeeds(&mut self, charge: &str) {
        let transaction = self.transaction();
        self.charges.set(charge, "status", "succeeded");
        self.charges.set(charge, "balance_transaction", transaction);
        self.tell("charge.succeeded", &self.charges.get(charge).unwrap().clone());
        if let Some(session) = self.session_of(charge) {
            self.sessions.set(&session, "payment_status", "paid");
            self.intent_becomes(&session, "succeeded");
            let session = self.sessions.get(&session).unwrap().clone();
            self.tell("checkout.session.async_payment_succeeded", &session);
        }
    }

    /// The bank returns a debit before carrying it out.
    pub(crate) fn debit_fails(&mut self, charge: &str) {
        self.charges.set(charge, "status", "failed");
        self.tell("charge.failed", &self.charges.get(charge).unwrap().clone());
        if let Some(session) = self.session_of(charge) {
            self.intent_becomes(&session, "requires_payment_method");
            let session = self.sessions.get(&session).unwrap().clone();
            self.tell("checkout.session.async_payment_failed", &session);
        }
    }

    /// The owner makes a refund on Stripe's dashboard.
    pub(crate) fn refund_elsewhere(&mut self, charge: &str, amount: i64) -> String {
        let (_, refund) = self.refund(charge, amount, json!({}));
        refund["id"].as_str().unwrap().to_owned()
    }

    /// Changes the status of a refund.
    pub(crate) fn refund_becomes(&mut self, refund: &str, status: &str) {
        self.refunds.set(refund, "status", status);
        let kind = if status == "failed" { "refund.failed" } else { "refund.updated" };
        self.tell(kind, &self.refunds.get(refund).unwrap().clone());
    }

    /// The payer's bank disputes a charge.
    pub(crate) fn dispute(&mut self, charge: &str, amount: i64, currency: &str, status: &str) -> String {
        let id = self.id("du");
        self.charges.set(charge, "disputed", true);
        let dispute = self.disputes.add(json!({
            "id": id, "object": "dispute", "charge": charge, "amount": amount, "currency": currency,
            "status": status, "created": self.now(), "livemode": false, "metadata": {},
        }));
        self.tell("charge.dispute.created", &dispute);
        id
    }

    /// Changes the status of a dispute.
    pub(crate) fn dispute_becomes(&mut self, dispute: &str, status: &str) {
        self.disputes.set(dispute, "status", status);
        let kind = if ["won", "lost"].contains(&status) { "closed" } else { "updated" };
        self.tell(&format!("charge.dispute.{kind}"), &self.disputes.get(dispute).unwrap().clone());
    }

    /// A charge that the owner made without this service, possibly in a currency that no invoice has.
    pub(crate) fn charge_elsewhere(&mut self, currency: &str) -> String {
        self.charge_with(currency, &json!({}))
    }

    /// A charge of a payment that began long ago, with this metadata.
    pub(crate) fn charge_with(&mut self, currency: &str, metadata: &Value) -> String {
        let id = self.id("ch");
        let charge = self.charges.add(charge_record(
            &id,
            "card",
            "succeeded",
            self.now(),
            &json!({
                "id": null, "amount": 777, "currency": currency, "metadata": metadata,
            }),
        ));
        self.tell("charge.succeeded", &charge);
        id
    }

    /// The owner makes another key at Stripe's dashboard, and revokes the one before.
    pub(crate) fn roll_key(&mut self, key: &'static str) {
        self.key = key;
    }

    /// The key is of another company from now on, which has none of the sessions.
    pub(crate) fn forget_sessions(&mut self) {
        self.sessions = Ledger::default();
    }

    /// Removes the permission for an operation from the key.
    pub(crate) fn deny(&mut self, operation: &'static str) {
        self.denied = Some(operation);
    }

    pub(crate) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.undelivered)
    }

    pub(crate) fn session(&self, id: &str) -> Value {
        self.sessions.get(id).unwrap().clone()
    }

    /// Whether a payer can still pay in the session.
    pub(crate) fn is_open(&self, session: &str) -> bool {
        self.sessions.get(session).is_some_and(|session| session["status"] == "open")
    }

    pub(crate) fn charges(&self) -> &[Value] {
        self.charges.all()
    }

    pub(crate) fn refunds(&self) -> &[Value] {
        self.refunds.all()
    }

    pub(crate) fn disputes(&self) -> &[Value] {
        self.disputes.all()
    }

    pub(crate) fn number_of_refunds(&self, charge: &str) -> usize {
        self.refunds.of("charge", charge).count()
    }

    fn charge(&mut self, session: &str, method: &str, status: &str) -> String {
        let plan = self.payment_intent(session);
        let status_of_intent = match status {
            "succeeded" => "succeeded",
            "pending" => "processing",
            _ => "requires_payment_method",
        };
        self.intent_becomes(session, status_of_intent);
        let id = self.id(if method == "card" { "ch" } else { "py" });
        let mut record = charge_record(&id, method, status, self.now(), &plan);
        if status == "succeeded" {
            record["balance_transaction"] = json!(self.transaction());
        }
        self.charges.add(record);
        id
    }

    /// The payment intent of an open session, made with the first attempt to pay, and its data.
    fn payment_intent(&mut self, session: &str) -> Value {
        assert_eq!(self.sessions.get(session).unwrap()["status"], "open", "nobody can pay there");
        let mut plan = self.planned[session].clone();
        let intent = match self.sessions.get(session).unwrap()["payment_intent"].as_str() {
            Some(intent) => intent.to_owned(),
            None => {
                let id = self.id("pi");
                self.sessions.set(session, "payment_intent", id.clone());
                id
            }
        };
        plan["id"] = json!(intent);
        if self.intents.get(&intent).is_none() {
            self.intents.add(json!({
                "id": intent, "object": "payment_intent", "amount": plan["amount"], "created": self.now(),
                "currency": plan["currency"], "metadata": plan["metadata"], "status": "processing",
            }));
        }
        plan
    }

    fn complete(&mut self, session: &str, payment_status: &str) {
        self.sessions.set(session, "status", "complete");
        self.sessions.set(session, "payment_status", payment_status);
        self.sessions.set(session, "url", Value::Null);
    }

    fn transaction(&mut self) -> String {
        let id = self.id("txn");
        self.transactions.add(json!({ "id": id, "object": "balance_transaction", "created": self.now() }));
        id
    }

    fn session_of(&self, charge: &str) -> Option<String> {
        let intent = self.charges.get(charge)?["payment_intent"].as_str()?;
        Some(self.sessions.of("payment_intent", intent).next()?["id"].as_str()?.to_owned())
    }

    fn tell(&mut self, r#type: &str, object: &Value) {
        let event = json!({
            "id": self.id("evt"), "object": "event", "type": r#type, "created": self.now(), "livemode": false,
            "api_version": "2020-08-27", "data": { "object": object }, "pending_webhooks": 1,
        });
        self.undelivered.push(self.events.add(event));
    }

    fn id(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}_{:06}", self.count)
    }

    fn now(&self) -> i64 {
        self.clock.now().unix_timestamp()
    }
}

fn charge_record(id: &str, method: &str, status: &str, now: i64, plan: &Value) -> Value {
    let failed = status == "failed";
    json!({
        "id": id, "object": "charge", "status": status, "amount": plan["amount"], "created": now,
        "amount_captured": if failed { json!(0) } else { plan["amount"].clone() }, "amount_refunded": 0,
        "balance_transaction": null, "captured": !failed, "currency": plan["currency"], "disputed": false,
        "livemode": false, "metadata": plan["metadata"], "paid": status == "succeeded", "refunded": false,
        "payment_intent": plan["id"], "payment_method_details": { "type": method, method: {} },
    })
}
