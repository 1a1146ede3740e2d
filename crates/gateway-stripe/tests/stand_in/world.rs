//! The state of Stripe: sessions, charges, refunds and disputes, and the events about them.

use std::collections::HashMap;
use std::sync::Arc;

use kernel::Clock;
use serde_json::{Map, Value, json};

use super::KEY;
use super::ledger::Ledger;
use super::server::Request;

/// The limits of a session's lifetime, and how long an idempotency key is kept, in seconds.
const SHORTEST_SESSION: i64 = 30 * 60;
const MAX_SESSION_SECONDS: i64 = 24 * 60 * 60;
const KEY_KEPT: i64 = 24 * 60 * 60;
/// How many refunds a charge lists.
const REFUNDS_SHOWN: usize = 10;

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

    /// The bank carries out a debit now.
    pub(crate) fn debit_succeeds(&mut self, charge: &str) {
        let transaction = self.transaction();
        self.charges.set(charge, "status", "succeeded");
        self.charges.set(charge, "balance_transaction", transaction);
        self.tell("charge.succeeded", &self.charges.get(charge).unwrap().clone());
        if let Some(session) = self.session_of(charge) {
            self.sessions.set(&session, "payment_status", "paid");
            let session = self.sessions.get(&session).unwrap().clone();
            self.tell("checkout.session.async_payment_succeeded", &session);
        }
    }

    /// The bank returns a debit before carrying it out.
    pub(crate) fn debit_fails(&mut self, charge: &str) {
        self.charges.set(charge, "status", "failed");
        self.tell("charge.failed", &self.charges.get(charge).unwrap().clone());
        if let Some(session) = self.session_of(charge) {
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
        let id = self.id("ch");
        let charge = self.charges.add(charge_record(
            &id,
            "card",
            "succeeded",
            self.now(),
            &json!({
                "id": null, "amount": 777, "currency": currency, "metadata": {},
            }),
        ));
        self.tell("charge.succeeded", &charge);
        id
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

    /// Responds to a request that conforms to the contract.
    pub(crate) fn respond(&mut self, operation: &str, id: Option<&str>, request: &Request) -> (u16, Value) {
        let sent = request.header("authorization").trim_start_matches("Bearer ");
        if sent != KEY {
            return error(401, "invalid_request_error", "", &format!("Invalid API Key provided: {sent}"));
        }
        if self.denied == Some(operation) {
            let text = format!("The provided key '{KEY}' does not have the required permissions.");
            return error(403, "invalid_request_error", "", &text);
        }
        if request.method == "GET" {
            self.expire_if_due(id.unwrap_or_default());
            return self.read(operation, id.unwrap_or_default(), request);
        }
        let key = request.header("idempotency-key").to_owned();
        let asked = format!("{} {:?}", request.path, request.form);
        let now = self.now();
        match self.kept.get(&key).filter(|kept| now - kept.at < KEY_KEPT) {
            Some(kept) if kept.request == asked => kept.response.clone(),
            Some(_) => {
                error(400, "idempotency_error", "", "Keys for idempotent requests can only be used once")
            }
            None => {
                let response = self.change(operation, id.unwrap_or_default(), request);
                self.kept.insert(key, Kept { request: asked, response: response.clone(), at: now });
                response
            }
        }
    }

    fn read(&self, operation: &str, id: &str, request: &Request) -> (u16, Value) {
        let found = match operation {
            "retrieve session" => self.sessions.get(id).cloned(),
            "retrieve charge" => self.charges.get(id).map(|charge| self.expanded(charge, request, "")),
            "retrieve balance transaction" => self.transactions.get(id).cloned(),
            "list sessions" => Some(self.sessions.page(request)),
            "list payment intents" => Some(self.intents.page(request)),
            "list refunds" => Some(self.refunds.page(request)),
            "list disputes" => Some(self.disputes.page(request)),
            "list events" => Some(self.events.page(request)),
            "list balance transactions" => Some(self.transactions.page(request)),
            "list charges" => {
                let mut page = self.charges.page(request);
                for charge in page["data"].as_array_mut().unwrap() {
                    *charge = self.expanded(charge, request, "data.");
                }
                Some(page)
            }
            other => panic!("no such reading: {other}"),
        };
        let missing = || error(404, "invalid_request_error", "resource_missing", "No such record");
        found.map_or_else(missing, |found| (200, found))
    }

    fn change(&mut self, operation: &str, id: &str, request: &Request) -> (u16, Value) {
        match operation {
            "create session" => self.open(request),
            "expire session" => self.expire(id),
            "create refund" => {
                let charge = request.value("charge").unwrap();
                let amount = request.value("amount").unwrap().parse().unwrap();
                self.refund(charge, amount, metadata(request, "metadata"))
            }
            other => panic!("no such change: {other}"),
        }
    }

    fn open(&mut self, request: &Request) -> (u16, Value) {
        let value = |name: &str| request.value(name).unwrap_or_default();
        let amount: i64 = value("line_items[0][price_data][unit_amount]").parse().unwrap();
        let expires_at: i64 = value("expires_at").parse().unwrap();
        let (id, now) = (self.id("cs_test"), self.now());
        if !(SHORTEST_SESSION..=MAX_SESSION_SECONDS).contains(&(expires_at - now)) {
            return error(400, "invalid_request_error", "", "expires_at must be 30 minutes to 24 hours away");
        }
        if amount < 30 {
            return error(400, "invalid_request_error", "amount_too_small", "The amount is too small");
        }
        let currency = value("line_items[0][price_data][currency]");
        let planned = metadata(request, "payment_intent_data[metadata]");
        let plan = json!({ "amount": amount, "currency": currency, "metadata": planned });
        self.planned.insert(id.clone(), plan);
        let session = self.sessions.add(json!({
            "id": id, "object": "checkout.session", "status": "open", "payment_status": "unpaid",
            "url": format!("http://{}/c/pay/{id}", request.header("host")), "payment_intent": null,
            "amount_total": amount, "currency": currency, "mode": value("mode"), "livemode": false,
            "client_reference_id": request.value("client_reference_id"), "created": now,
            "customer_email": request.value("customer_email"), "expires_at": expires_at,
            "metadata": metadata(request, "metadata"), "success_url": value("success_url"),
        }));
        (200, session)
    }

    fn expire(&mut self, id: &str) -> (u16, Value) {
        match self.sessions.get(id).map(|session| session["status"].clone()) {
            None => error(404, "invalid_request_error", "resource_missing", "No such checkout.session"),
            Some(status) if status == "open" => {
                self.sessions.set(id, "status", "expired");
                self.sessions.set(id, "url", Value::Null);
                let session = self.sessions.get(id).unwrap().clone();
                self.tell("checkout.session.expired", &session);
                (200, session)
            }
            Some(status) => {
                let text = format!("Only open sessions can be expired. This one has a status of {status}.");
                error(400, "invalid_request_error", "", &text)
            }
        }
    }

    fn expire_if_due(&mut self, session: &str) {
        let is_due =
            self.sessions.get(session).is_some_and(|one| one["expires_at"].as_i64() <= Some(self.now()));
        if is_due && self.is_open(session) {
            self.expire(session);
        }
    }

    fn refund(&mut self, charge: &str, amount: i64, metadata: Value) -> (u16, Value) {
        let Some(record) = self.charges.get(charge) else {
            return error(404, "invalid_request_error", "resource_missing", "No such charge");
        };
        let back: i64 = self
            .refunds
            .of("charge", charge)
            .filter(|refund| !["failed", "canceled"].contains(&refund["status"].as_str().unwrap()))
            .map(|refund| refund["amount"].as_i64().unwrap())
            .sum();
        if back + amount > record["amount_captured"].as_i64().unwrap() {
            let text = "Refund amount is greater than unrefunded amount on charge";
            return error(400, "invalid_request_error", "", text);
        }
        let (currency, intent) = (record["currency"].clone(), record["payment_intent"].clone());
        let id = self.id("re");
        let refund = self.refunds.add(json!({
            "id": id, "object": "refund", "charge": charge, "amount": amount, "currency": currency,
            "payment_intent": intent, "status": "succeeded", "created": self.now(), "metadata": metadata,
        }));
        self.charges.set(charge, "amount_refunded", back + amount);
        self.tell("refund.created", &refund);
        self.tell("charge.refunded", &self.charges.get(charge).unwrap().clone());
        (200, refund)
    }

    /// A charge with the fields that the request wants expanded.
    fn expanded(&self, charge: &Value, request: &Request, prefix: &str) -> Value {
        let mut charge = charge.clone();
        let wanted: Vec<&str> =
            request.values("expand[]").into_iter().filter_map(|path| path.strip_prefix(prefix)).collect();
        if wanted.contains(&"refunds") {
            let id = charge["id"].as_str().unwrap();
            let mut refunds: Vec<Value> = self.refunds.of("charge", id).cloned().collect();
            refunds.reverse();
            let has_more = refunds.len() > REFUNDS_SHOWN;
            refunds.truncate(REFUNDS_SHOWN);
            charge["refunds"] = json!({ "object": "list", "has_more": has_more, "data": refunds });
        }
        if let (true, Some(intent)) = (wanted.contains(&"payment_intent"), charge["payment_intent"].as_str())
        {
            charge["payment_intent"] = self.intents.get(intent).unwrap().clone();
        }
        charge
    }

    fn charge(&mut self, session: &str, method: &str, status: &str) -> String {
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
        let id = self.id(if method == "card" { "ch" } else { "py" });
        let mut record = charge_record(&id, method, status, self.now(), &plan);
        if status == "succeeded" {
            record["balance_transaction"] = json!(self.transaction());
        }
        self.charges.add(record);
        id
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

/// The metadata of a form under a name.
fn metadata(request: &Request, name: &str) -> Value {
    let entries = request.form.iter().filter_map(|(key, value)| {
        let key = key.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some((key.to_owned(), json!(value)))
    });
    Value::Object(entries.collect::<Map<_, _>>())
}

fn error(status: u16, r#type: &str, code: &str, message: &str) -> (u16, Value) {
    let mut error = json!({ "type": r#type, "message": message });
    if !code.is_empty() {
        error["code"] = json!(code);
    }
    (status, json!({ "error": error }))
}
