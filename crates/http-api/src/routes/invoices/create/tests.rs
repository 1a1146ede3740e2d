use serde_json::json;

use crate::test_app::TestApp;

const INVOICES: &str = "/api/v1/invoices";

fn invoice(more: &str) -> String {
    format!(
        r#"{{"contact": {{"name": "Ada", "email": "ada@example.com"}},
            "line_items": [{{"description": "Tea", "quantity": 3, "unit_amount": 10.05, "tax_rate": 10}}]{more}}}"#
    )
}

#[actix_web::test]
async fn created_invoice_is_answered_in_full_with_exact_numbers() {
    let app = TestApp::new().await;
    let more = r#", "invoice_date": "2026-11-20", "reference": "PO 7", "notes": "a\nb", "currency": "aud",
        "line_amount_types": "Exclusive", "staff": " Grace ", "send_invoice": false, "is_draft": false"#;
    let created = app.post(INVOICES, &invoice(more)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    created.assert_has_every_field_of("Invoice");
    for part in [
        r#""currency":"AUD","line_amount_types":"EXCLUSIVE","sub_total":30.15,"tax_total":3.02,"total":33.17"#,
        r#""amount_paid":0.00,"amount_due":33.17,"#,
        r#""quantity":3,"unit_amount":10.05,"tax_rate":10,"tax_type":null,"tax_amount":3.02,"line_amount":30.15"#,
        r#""reference":"PO 7","notes":"a\nb","staff":"Grace""#,
    ] {
        assert!(created.body.contains(part), "{}", created.body);
    }
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(created.header("location"), format!("https://books.example.com/api/v1/invoices/{id}"));
    let read = app.get(&format!("{INVOICES}/{id}")).await;
    assert_eq!((read.status, &read.body), (200, &created.body));
}

#[actix_web::test]
async fn amounts_have_the_decimals_of_their_currency() {
    let app = TestApp::new().await;
    for (currency, expected) in [
        ("JPY", r#""unit_amount":4,"tax_rate":12.5,"tax_type":null,"tax_amount":1,"line_amount":6}"#),
        (
            "AUD",
            r#""unit_amount":4.00,"tax_rate":12.5,"tax_type":null,"tax_amount":0.75,"line_amount":6.00}"#,
        ),
        (
            "BHD",
            r#""unit_amount":4.000,"tax_rate":12.5,"tax_type":null,"tax_amount":0.750,"line_amount":6.000}"#,
        ),
    ] {
        let body = format!(
            r#"{{"is_draft": true, "currency": "{currency}", "line_items":
                [{{"description": "Tea", "quantity": 1.50, "unit_amount": 4.0, "tax_rate": 12.5}}]}}"#
        );
        let body = app.post(INVOICES, &body).await.body;
        assert!(body.contains(expected), "{body}");
        assert!(body.contains(r#""quantity":1.5,"#), "{body}");
    }
}

#[actix_web::test]
async fn errors_of_the_use_case_have_their_codes() {
    let app = TestApp::new().await;
    let numbered = invoice(r#", "invoice_number": "A-1""#);
    assert_eq!(app.post(INVOICES, &numbered).await.status, 201);
    let unknown = r#"{"contact": {"id": "01a1f6b6-ee63-7000-8000-00000000ffff"},
        "line_items": [{"description": "Tea", "unit_amount": 1}]}"#;
    for (key, body, status, code) in [
        ("taken", &*numbered, 409, "DUPLICATE_INVOICE_NUMBER"),
        ("unknown", unknown, 404, "NOT_FOUND"),
        ("empty", "{}", 400, "VALIDATION_ERROR"),
        ("broken", "{", 400, "VALIDATION_ERROR"),
    ] {
        let refused = app.post_once(key, INVOICES, body).await;
        assert_eq!(refused.outcome(), (status, code.into()), "{body}");
        let replayed = app.post_once(key, INVOICES, body).await;
        assert_eq!((replayed.status, &replayed.body), (status, &refused.body), "{body}");
        assert_eq!(replayed.header("idempotency-replayed"), "true", "{body}");
    }
}

#[actix_web::test]
async fn replay_has_the_location_of_the_first_answer() {
    let app = TestApp::new().await;
    let first = app.post_once("k", INVOICES, &invoice("")).await;
    let again = app.post_once("k", INVOICES, &invoice("")).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.header("location"), first.header("location"));
    let other = app.post_once("k", INVOICES, &invoice(r#", "notes": "b""#)).await;
    assert_eq!(other.outcome(), (409, "IDEMPOTENCY_KEY_REUSED".into()));
    assert!(other.body.ends_with(&format!("\"original_response\":{}}}", first.body)), "{}", other.body);
    // A key belongs to an account and an endpoint.
    let contact = r#"{"phone": "1", "name": "x"}"#;
    let elsewhere = app.post_once("k", "/api/v1/contacts", contact).await;
    assert_eq!(elsewhere.status, 201);
}

#[actix_web::test]
async fn too_many_lines_are_one_fault() {
    let app = TestApp::new().await;
    let lines = vec!["0"; 200_000].join(",");
    let body = format!(r#"{{"is_draft": true, "line_items": [{lines}]}}"#);
    assert_eq!(app.post(INVOICES, &body).await.faulty(), ["line_items"]);
}

#[actix_web::test]
async fn every_fault_is_named_at_once_with_its_path() {
    let app = TestApp::new().await;
    let body = json!({
        "contact": {"email": "no-address", "id": "x"}, "invoice_date": "2026-13-01", "due_date": 7, "currency": "ZZZ",
        "line_amount_types": "SOME", "reference": "x".repeat(256), "notes": "\u{1b}",
        "invoice_number": "x".repeat(51), "is_draft": "no", "staff": {},
        "line_items": [
            {"description": "fine", "unit_amount": 1},
            {"quantity": "2", "unit_amount": null, "tax_rate": 101, "description": ""},
            7,
            {
                "description": "x".repeat(4_001), "unit_amount": 1.23456, "quantity": 0,
                "tax_type": "x".repeat(51),
            },
        ],
    });
    let refused = app.post(INVOICES, &body.to_string()).await;
    assert_eq!(refused.outcome(), (400, "VALIDATION_ERROR".into()));
    let mut faulty = refused.faulty();
    faulty.sort_unstable();
    let expected = [
        "contact.email", "contact.id", "currency", "due_date", "invoice_date", "invoice_number", "is_draft",
        "line_amount_types", "line_items.1.description", "line_items.1.quantity", "line_items.1.tax_rate",
        "line_items.1.unit_amount", "line_items.2", "line_items.3.description", "line_items.3.quantity",
        "line_items.3.tax_type", "line_items.3.unit_amount", "notes", "reference", "staff",
    ];
    assert_eq!(faulty, expected);
}

#[actix_web::test]
async fn refused_invoice_leaves_no_contact_and_takes_no_number() {
    let app = TestApp::new().await;
    app.create(INVOICES, &invoice(r#", "invoice_number": "A-1""#)).await;
    let to_grace = |more: &str| invoice(more).replace("ada@", "grace@");
    for (more, status) in [(r#", "due_date": "2020-01-01""#, 400), (r#", "invoice_number": "A-1""#, 409)] {
        assert_eq!(app.post(INVOICES, &to_grace(more)).await.status, status, "{more}");
    }
    let contact = app.get("/api/v1/contacts?email=grace@example.com").await;
    assert_eq!(contact.outcome(), (404, "NOT_FOUND".into()));
    let created = app.post(INVOICES, &to_grace("")).await;
    assert_eq!(created.json()["invoice_number"], "INV-0001");
}

#[actix_web::test]
async fn invoice_that_may_be_meant_as_a_draft_is_not_refused_for_what_a_draft_may_lack() {
    let app = TestApp::new().await;
    assert_eq!(app.post(INVOICES, r#"{"is_draft": "true"}"#).await.faulty(), ["is_draft"]);
    assert_eq!(app.post(INVOICES, r#"{"is_draft": false}"#).await.faulty(), ["line_items", "contact"]);
}

#[actix_web::test]
async fn every_fault_of_every_line_is_named_and_the_missing_address_too() {
    let app = TestApp::new().await;
    let lines = vec!["{}"; 500].join(",");
    let contact = r#"{"name": "Ada", "phone": "1"}"#;
    let body = format!(r#"{{"contact": {contact}, "send_invoice": true, "line_items": [{lines}]}}"#);
    let faulty = app.post(INVOICES, &body).await.faulty();
    assert_eq!(faulty.len(), 1_001);
    for named in ["contact.email", "line_items.0.description", "line_items.499.unit_amount"] {
        assert!(faulty.iter().any(|field| field == named), "{named}");
    }
}

#[actix_web::test]
async fn faults_of_the_contact_that_a_look_up_shows_are_named_with_the_others() {
    let app = TestApp::new().await;
    app.create("/api/v1/contacts", r#"{"external_id": "ph", "name": "Ada", "phone": "1"}"#).await;
    let lines = r#""line_items": [{"description": "Tea", "unit_amount": 1}]"#;
    for (contact, more, faulty) in [
        (r#""email": "zz@new.com""#, r#""currency": "XXX""#, &["currency", "contact.name"][..]),
        (
            r#""external_id": "zz""#,
            r#""due_date": "x""#,
            &["due_date", "contact.name", "contact.email", "contact.phone"],
        ),
        (
            r#""external_id": "ph""#,
            r#""due_date": "x", "send_invoice": true"#,
            &["due_date", "contact.email"],
        ),
        (
            r#""external_id": "zz", "name": "Zoe", "phone": "1""#,
            r#""due_date": "x", "send_invoice": true"#,
            &["due_date", "contact.email"],
        ),
        // No other field is faulty.
        (
            r#""external_id": "zz", "phone": "1""#,
            r#""send_invoice": true"#,
            &["contact.name", "contact.email"],
        ),
        (r#""external_id": "ph""#, r#""due_date": "x""#, &["due_date"]),
    ] {
        let body = format!(r#"{{"contact": {{{contact}}}, {more}, {lines}}}"#);
        assert_eq!(app.post(INVOICES, &body).await.faulty(), faulty, "{body}");
    }
}
