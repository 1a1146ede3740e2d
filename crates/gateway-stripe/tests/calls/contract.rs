//! Tests of the stand-in: it must reject what Stripe would reject.

use std::sync::Arc;

use gateway_stripe::API_VERSION;
use serde_json::json;
use testkit::FixedClock;

use crate::fixture::client;
use crate::stand_in::contract::Contract;
use crate::stand_in::{KEY, StandIn};

/// A correct call, except for what a case changes.
struct Call {
    method: reqwest::Method,
    path: &'static str,
    version: &'static str,
    key: Option<&'static str>,
    form: Vec<(&'static str, &'static str)>,
}

fn refund(form: &[(&'static str, &'static str)]) -> Call {
    let form = form.to_vec();
    let (method, path) = (reqwest::Method::POST, "/v1/refunds");
    Call { method, path, version: API_VERSION, key: Some("key-1"), form }
}

fn session(form: &[(&'static str, &'static str)]) -> Call {
    Call { path: "/v1/checkout/sessions", ..refund(form) }
}

fn get(path: &'static str) -> Call {
    Call { method: reqwest::Method::GET, path, ..refund(&[]) }
}

async fn complaint(call: Call) -> Vec<String> {
    let stand_in = StandIn::start(Arc::new(FixedClock::default())).await;
    let client = client();
    let url = format!("{}{}", stand_in.url(), call.path);
    let mut request = client.request(call.method.clone(), url).bearer_auth(KEY);
    request = request.header("Stripe-Version", call.version);
    if call.method == reqwest::Method::POST {
        request = request.form(&call.form);
    }
    if let Some(key) = call.key {
        request = request.header("Idempotency-Key", key);
    }
    request.send().await.unwrap();
    stand_in.faults()
}

#[tokio::test]
async fn invalid_requests_are_reported_by_the_contract() {
    let right = [("charge", "ch_1"), ("amount", "100"), ("metadata[refund_id]", "7")];
    assert_eq!(complaint(refund(&right)).await, Vec::<String>::new());
    for (call, says) in [
        (Call { key: None, ..refund(&right) }, "no Idempotency-Key"),
        (Call { version: "2019-01-01", ..refund(&right) }, "another Stripe-Version"),
        (Call { path: "/v1/refund", ..refund(&right) }, "Stripe has no POST /v1/refund"),
        (Call { path: "/v1/refunds?a=b", ..refund(&right) }, "a POST with a query"),
        (refund(&[("charge", "ch_1"), ("amount", "1.00")]), "amount=1.00: has another type"),
        (refund(&[("charge", ""), ("amount", "100")]), "charge=: has another type"),
        (refund(&[("charge_id", "ch_1")]), "charge_id: no such parameter"),
        (refund(&[("reason", "tired")]), "reason=tired: is not in the enumeration"),
        (refund(&[("metadata[a][b]", "1")]), "metadata[a][b]: no such parameter"),
        (session(&[("mode", "pay")]), "mode=pay: is not in the enumeration"),
        (session(&[("adaptive_pricing[enabled]", "no")]), "has another type"),
        (
            session(&[("line_items[0][price_data][unit_amount]", "100")]),
            "line_items[].price_data.currency is missing",
        ),
        (get("/v1/charges?limit=ten"), "limit=ten: has another type"),
        (get("/v1/charges?expand[]=refunds"), "expand[]=refunds: cannot be expanded"),
        (get("/v1/charges/ch_1?expand[]=disputes"), "expand[]=disputes: cannot be expanded"),
        (get("/v1/charges/"), "Stripe has no GET"),
    ] {
        let faults = complaint(call).await;
        assert!(faults.iter().any(|fault| fault.contains(says)), "{says}: {faults:?}");
    }
}

#[test]
fn invalid_responses_are_reported_by_the_contract() {
    let contract = Contract::load();
    for (kind, object, faults) in [
        ("charge", json!({ "id": "ch_1", "status": "succeeded", "refunds": null }), 0),
        ("charge", json!({ "status": "paid" }), 1),
        ("charge", json!({ "amount": "100", "dispute": "dp_1" }), 2),
        ("refund", json!({ "charge": null, "amount": null }), 1),
        ("checkout.session", json!({ "status": "open", "url": "https://example.com", "expires_at": 7 }), 0),
    ] {
        assert_eq!(contract.check_object(kind, &object).len(), faults, "{object}");
    }
}
