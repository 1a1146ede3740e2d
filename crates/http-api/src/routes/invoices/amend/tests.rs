//! Amending invoices.

use access::Quotas;
use actix_web::http::Method;
use actix_web::test::TestRequest;
use serde_json::{Value, json};
use time::Duration;

use crate::testing::{House, Mood, Reply, Undrawable};

const INVOICES: &str = "/api/v1/invoices";
const NOBODY: &str = "/api/v1/invoices/01a1f6b6-ee63-7000-8000-00000000ffff";

/// Creates an invoice of 33.17 in all, and answers where it is.
async fn raised(house: &House, more: &str) -> String {
    let body = format!(
        r#"{{"contact": {{"name": "Ada", "email": "ada@example.com"}}, "invoice_date": "2026-11-20",
            "line_items": [{{"description": "Tea", "quantity": 3, "unit_amount": 10.05, "tax_rate": 10}}]{more}}}"#
    );
    let created = house.post(INVOICES, &body).await;
    assert_eq!(created.status, 201, "{}", created.body);
    format!("{INVOICES}/{}", created.json()["id"].as_str().unwrap())
}

fn facts<const N: usize>(reply: &Reply, names: [&str; N]) -> [Value; N] {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let invoice = reply.json();
    names.map(|name| invoice[name].clone())
}

#[actix_web::test]
async fn null_clears_and_what_is_left_out_stays() {
    let house = House::new();
    let more =
        r#", "reference": "PO 7", "notes": "a\nb", "staff": "Grace", "due_date": "2026-12-01""#;
    let path = raised(&house, more).await;
    let before = house.get(&path).await.json();
    house.clock.advance(Duration::seconds(1));
    let body = r#"{"reference": null, "staff": " ", "unknown": 1}"#;
    let amended = house.put(&path, body).await;
    let mut expected = before;
    expected["reference"] = Value::Null;
    expected["staff"] = Value::Null;
    expected["updated_at"] = json!("2026-11-20T02:09:07.147Z");
    assert_eq!((amended.status, amended.json()), (200, expected));
    assert_eq!(house.get(&path).await.body, amended.body);
}

#[actix_web::test]
async fn sent_fields_change_and_lines_are_replaced_as_a_whole() {
    let house = House::new();
    let path = raised(&house, "").await;
    let body = r#"{"invoice_number": "A-7", "due_date": "2026-11-30", "line_amount_types": "NoTax", "currency": "jpy",
        "contact": {"name": "Grace", "phone": "1"},
        "line_items": [{"description": "Rice", "unit_amount": 500}, {"description": "Salt", "unit_amount": 20}]}"#;
    let amended = house.put(&path, body).await;
    let names = ["invoice_number", "due_date", "currency", "total", "status"];
    let expected = ["A-7", "2026-11-30", "JPY", "520", "UNPAID"];
    assert_eq!(
        facts(&amended, names).map(|fact| fact.to_string().replace('"', "")),
        expected
    );
    let invoice = amended.json();
    assert_eq!(invoice["contact"]["name"], "Grace");
    assert_eq!(invoice["line_items"].as_array().unwrap().len(), 2);
    assert_eq!(house.kept().contacts.len(), 2);
}

#[actix_web::test]
async fn a_draft_loses_what_is_null_and_is_issued_when_it_is_whole() {
    let house = House::new();
    let path = raised(&house, r#", "is_draft": true"#).await;
    let emptied = house.put(&path, r#"{"contact": null, "line_items": null}"#);
    let names = ["status", "contact", "line_items"];
    assert_eq!(
        facts(&emptied.await, names),
        [json!("DRAFT"), Value::Null, json!([])]
    );
    let early = house.put(&path, r#"{"is_draft": false}"#).await;
    assert_eq!(early.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(early.faulty(), ["line_items", "contact"]);
    let body = r#"{"is_draft": false, "contact": {"email": "ada@example.com"},
        "line_items": [{"description": "Tea", "unit_amount": 1}]}"#;
    let issued = house.put(&path, body).await;
    assert_eq!(
        facts(&issued, ["status", "is_draft"]),
        [json!("UNPAID"), json!(false)]
    );
}

#[actix_web::test]
async fn every_faulty_field_is_named_at_once() {
    let house = House::new();
    let path = raised(&house, "").await;
    let before = house.get(&path).await.body;
    let body = r#"{
        "contact": {"email": "x"}, "invoice_number": null, "invoice_date": "2026-02-30", "due_date": null, "currency": "",
        "line_amount_types": null, "reference": ["a"], "notes": 7, "staff": "fine",
        "line_items": [{"quantity": "2", "unit_amount": 1}, 5], "send_invoice": null, "is_draft": 0}"#;
    let reply = house.put(&path, body).await;
    assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
    let mut faulty = reply.faulty();
    faulty.sort_unstable();
    assert_eq!(
        faulty,
        [
            "contact.email",
            "currency",
            "due_date",
            "invoice_date",
            "invoice_number",
            "is_draft",
            "line_amount_types",
            "line_items.0.description",
            "line_items.0.quantity",
            "line_items.1",
            "notes",
            "reference",
            "send_invoice",
        ]
    );
    assert_eq!(house.get(&path).await.body, before);
}

#[actix_web::test]
async fn without_any_field_nothing_is_asked_for() {
    let house = House::new();
    let path = raised(&house, "").await;
    for body in ["{}", r#"{"unknown": 1, "id": null}"#] {
        let reply = house.put(&path, body).await;
        assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
        assert!(reply.body.contains("at least one field"), "{}", reply.body);
        assert!(!reply.body.contains("field_errors"), "{}", reply.body);
    }
    for body in ["", "{", "[]"] {
        let reply = house.put(&path, body).await;
        assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
        assert_eq!(reply.faulty(), Vec::<String>::new());
    }
}

#[actix_web::test]
async fn what_is_not_there_is_not_found() {
    let house = House::new();
    let path = raised(&house, "").await;
    let unknown = house.put(NOBODY, r#"{"notes": "a"}"#).await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    let contact = r#"{"contact": {"id": "01a1f6b6-ee63-7000-8000-00000000ffff"}}"#;
    let stranger = house.put(&path, contact).await;
    assert_eq!(stranger.outcome(), (404, "NOT_FOUND".into()));
    house.kept().account_key.1.scope.id = kernel::Id::from_uuid(uuid::Uuid::from_u128(7));
    let foreign = house.put(&path, r#"{"notes": "a"}"#).await;
    assert_eq!((foreign.status, &foreign.body), (404, &unknown.body));
}

#[actix_web::test]
async fn a_taken_number_is_a_duplicate() {
    let house = House::new();
    raised(&house, r#", "invoice_number": "A-1""#).await;
    let path = raised(&house, r#", "invoice_number": "A-2""#).await;
    let taken = house.put(&path, r#"{"invoice_number": "A-1"}"#).await;
    assert_eq!(taken.outcome(), (409, "DUPLICATE_INVOICE_NUMBER".into()));
    let own = house.put(&path, r#"{"invoice_number": "A-2"}"#).await;
    assert_eq!(own.status, 200);
}

#[actix_web::test]
async fn a_paid_or_cancelled_invoice_is_locked_whatever_is_sent() {
    let house = House::new();
    let paid = raised(&house, "").await;
    house.pay(3_317);
    let cancelled = raised(&house, "").await;
    house.post(&format!("{cancelled}/cancel"), "").await;
    for path in [paid, cancelled] {
        for body in [r#"{"notes": "a"}"#, r#"{"notes": 7, "is_draft": null}"#] {
            let reply = house.put(&path, body).await;
            assert_eq!(reply.outcome(), (409, "INVOICE_LOCKED".into()));
        }
    }
}

#[actix_web::test]
async fn what_does_not_fit_the_invoice_is_a_conflict() {
    let house = House::new();
    let draft = raised(&house, r#", "is_draft": true"#).await;
    let unsent = house.put(&draft, r#"{"send_invoice": true}"#).await;
    assert_eq!(unsent.outcome(), (409, "CONFLICT".into()));
    let path = raised(&house, "").await;
    let unissued = house.put(&path, r#"{"is_draft": true}"#).await;
    assert_eq!(unissued.outcome(), (409, "CONFLICT".into()));
    house.pay(1_000);
    let before = house.get(&path).await.body;
    for body in [
        r#"{"currency": "NZD"}"#,
        r#"{"line_items": [{"description": "Tea", "unit_amount": 9.99}]}"#,
    ] {
        let reply = house.put(&path, body).await;
        assert_eq!(reply.outcome(), (409, "CONFLICT".into()), "{body}");
    }
    assert_eq!(house.get(&path).await.body, before);
    let exact = r#"{"line_items": [{"description": "Tea", "unit_amount": 10}]}"#;
    let paid = house.put(&path, exact).await;
    assert_eq!(facts(&paid, ["status"]), [json!("PAID")]);
}

#[actix_web::test]
async fn it_is_sent_again_when_that_is_asked_for_and_possible() {
    let house = House::new();
    let path = raised(&house, r#", "send_invoice": true"#).await;
    let again = house.put(&path, r#"{"send_invoice": true}"#).await;
    assert_eq!(
        facts(&again, ["send_count", "sent_to_contact"]),
        [json!(2), json!(true)]
    );
    let quiet = house.put(&path, r#"{"send_invoice": false}"#).await;
    assert_eq!(facts(&quiet, ["send_count"]), [json!(2)]);
    assert_eq!(house.kept().mails.len(), 2);
    let mute = r#"{"send_invoice": true, "contact": {"name": "Bo", "phone": "1"}}"#;
    assert_eq!(house.put(&path, mute).await.faulty(), ["contact.email"]);
    house.kept().account_key.1.scope.communications_enabled = false;
    let quiet = house.put(&path, r#"{"send_invoice": true}"#).await;
    assert_eq!(quiet.faulty(), ["send_invoice"]);
    assert_eq!(house.kept().mails.len(), 2);
}

#[actix_web::test]
async fn a_failure_of_ours_changes_nothing_and_shows_nothing_of_itself() {
    let mut house = House::new();
    let path = raised(&house, "").await;
    let before = house.get(&path).await.body;
    house.state.invoicing.mailer.documents = std::sync::Arc::new(Undrawable::Failing);
    let body = r#"{"send_invoice": true, "notes": "a"}"#;
    let undrawn = house.put(&path, body).await;
    assert_eq!(undrawn.outcome(), (500, "INTERNAL_ERROR".into()));
    assert!(!undrawn.body.contains("font"), "{}", undrawn.body);
    for (mood, status, code) in [
        (Mood::Unavailable, 503, "SERVICE_UNAVAILABLE"),
        (Mood::Broken, 500, "INTERNAL_ERROR"),
    ] {
        house.kept().mood = mood;
        let reply = house.put(&path, r#"{"notes": "a"}"#).await;
        assert_eq!(reply.outcome(), (status, code.into()));
    }
    house.kept().mood = Mood::Well;
    assert_eq!(house.get(&path).await.body, before);
    assert!(house.kept().mails.is_empty());
}

#[actix_web::test]
async fn an_idempotency_key_is_ignored_even_a_wrong_one() {
    let house = House::new();
    let path = raised(&house, "").await;
    for (key, notes) in [("k", "a"), ("k", "b"), ("", "c")] {
        let body = json!({ "notes": notes }).to_string();
        let request = house.writing(&path, &body).method(Method::PUT);
        let reply = house.send(request.insert_header(("Idempotency-Key", key)));
        let reply = reply.await;
        assert_eq!(facts(&reply, ["notes"]), [json!(notes)]);
        assert_eq!(reply.header("idempotency-replayed"), "");
    }
    assert!(house.kept().answers.is_empty());
}

#[actix_web::test]
async fn checks_come_one_after_the_other() {
    let mut house = House::new();
    let nonsense = |house: &House, path: &str| {
        let request = house.writing(path, "{").method(Method::PUT);
        request.insert_header(("Content-Type", "text/plain"))
    };
    let bad_id = format!("{INVOICES}/7");
    let stranger = TestRequest::put().uri(&bad_id).set_payload("{");
    assert_eq!(house.send(stranger).await.status, 401);
    let typed = house.send(nonsense(&house, &bad_id)).await;
    assert_eq!(typed.outcome(), (415, "UNSUPPORTED_MEDIA_TYPE".into()));
    let large = house.put(&bad_id, &"x".repeat(1_048_577)).await;
    assert_eq!(large.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(house.put(&bad_id, "{").await.faulty(), ["id"]);
    assert_eq!(house.put(NOBODY, "{").await.status, 400);
    assert_eq!(house.put(NOBODY, r#"{"notes": 7}"#).await.status, 404);
    house.state.quotas = Quotas {
        writes: 1,
        ..house.state.quotas
    };
    let refused = house.send(nonsense(&house, &bad_id)).await;
    assert_eq!(refused.outcome(), (429, "RATE_LIMITED".into()));
}

#[test]
fn the_document_knows_the_same_fields_for_creation_and_amendment() {
    let document: Value = serde_json::from_str(&crate::openapi_json()).unwrap();
    let fields = |name: &str| {
        let schema = &document["components"]["schemas"][name]["properties"];
        let names = schema.as_object().unwrap().keys().cloned();
        names.collect::<Vec<_>>()
    };
    assert_eq!(fields("InvoiceAmendment"), fields("NewInvoice"));
    let required = &document["components"]["schemas"]["InvoiceAmendment"]["required"];
    assert_eq!(*required, Value::Null);
}
