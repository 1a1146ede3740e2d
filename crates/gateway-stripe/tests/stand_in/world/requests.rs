//! Stripe's responses to the service's requests.

use serde_json::{Map, Value, json};

use super::super::server::Request;
use super::{Kept, World};

/// The limits of a session's lifetime, and how long an idempotency key is kept, in seconds.
const SHORTEST_SESSION: i64 = 30 * 60;
const MAX_SESSION_SECONDS: i64 = 24 * 60 * 60;
const KEY_KEPT: i64 = 24 * 60 * 60;
/// How many refunds a charge lists.
const REFUNDS_SHOWN: usize = 10;

/// The key that a request is made with.
fn sent_key(request: &Request) -> &str {
    request.header("authorization").trim_start_matches("Bearer ")
}

impl World {
    /// Responds to a request that conforms to the contract.
    pub(crate) fn respond(&mut self, operation: &str, id: Option<&str>, request: &Request) -> (u16, Value) {
        let sent = sent_key(request);
        if sent != self.key {
            return error(401, "invalid_request_error", "", &format!("Invalid API Key provided: {sent}"));
        }
        if self.denied == Some(operation) {
            let text = format!("The provided key '{sent}' does not have the required permissions.");
            return error(403, "invalid_request_error", "", &text);
        }
        if request.method == "GET" {
            self.expire_if_due(id.unwrap_or_default());
            return self.read(operation, id.unwrap_or_default(), request);
        }
        let key = request.header("idempotency-key").to_owned();
        let asked = asked(request);
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

    /// Whether the request is made with the owner's key.
    pub(crate) fn is_owners(&self, request: &Request) -> bool {
        sent_key(request) == self.key
    }

    /// Whether the response to the request's idempotency key is known.
    pub(crate) fn has_kept(&self, request: &Request) -> bool {
        let now = self.now();
        self.kept.get(request.header("idempotency-key")).is_some_and(|kept| now - kept.at < KEY_KEPT)
    }

    /// Keeps a response to the request's idempotency key.
    pub(crate) fn keep(&mut self, request: &Request, response: (u16, Value)) {
        let kept = Kept { request: asked(request), response, at: self.now() };
        self.kept.insert(request.header("idempotency-key").to_owned(), kept);
    }

    fn read(&self, operation: &str, id: &str, request: &Request) -> (u16, Value) {
        let found = match operation {
            "retrieve session" => self.sessions.get(id).map(|session| self.with_intent(session, request)),
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

    pub(super) fn refund(&mut self, charge: &str, amount: i64, metadata: Value) -> (u16, Value) {
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

    /// A session, with its payment intent if the request wants that expanded.
    fn with_intent(&self, session: &Value, request: &Request) -> Value {
        let mut session = session.clone();
        let intent = session["payment_intent"].as_str().and_then(|intent| self.intents.get(intent));
        if let (true, Some(intent)) = (request.values("expand[]").contains(&"payment_intent"), intent) {
            session["payment_intent"] = intent.clone();
        }
        session
    }
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

fn asked(request: &Request) -> String {
    format!("{} {:?}", request.path, request.form)
}
