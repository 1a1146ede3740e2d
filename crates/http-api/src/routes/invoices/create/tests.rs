//! Creating invoices.

use crate::testing::{House, Undrawable};

const INVOICES: &str = "/api/v1/invoices";

fn invoice(more: &str) -> String {
    format!(
        r#"{{"contact": {{"name": "Ada", "email": "ada@example.com"}},
            "line_items": [{{"description": "Tea", "quantity": 3, "unit_amount": 10.05, "tax_rate": 10}}]{more}}}"#
    )
}

#[actix_web::test]
async fn an_invoice_is_answered_in_full_with_exact_numbers() {
    let house = House::new();
    let more = r#", "invoice_date": "2026-11-20", "reference": "PO 7", "notes": "a\nb", "currency": "aud",
        "line_amount_types": "Exclusive", "staff": " Grace ", "send_invoice": false, "is_draft": false"#;
    let created = house.post(INVOICES, &invoice(more)).await;
    assert_eq!(created.status, 201, "{}", created.body);
    insta::assert_snapshot!(created.body);
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        created.header("location"),
        format!("https://books.example.com/api/v1/invoices/{id}")
    );
    let read = house.get(&format!("{INVOICES}/{id}")).await;
    assert_eq!((read.status, &read.body), (200, &created.body));
}

#[actix_web::test]
async fn a_repetition_creates_nothing() {
    let house = House::new();
    let first = house.post_under("k", INVOICES, &invoice("")).await;
    let again = house.post_under("k", INVOICES, &invoice("")).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.header("location"), first.header("location"));
    assert_eq!(house.kept().invoices.len(), 1);
    // A key is known by account and endpoint together.
    let elsewhere = house.post_under("k", "/api/v1/contacts", r#"{"phone": "1", "name": "x"}"#);
    assert_eq!(elsewhere.await.status, 201);
}

#[actix_web::test]
async fn refusals_of_the_domain_have_their_codes() {
    let house = House::new();
    let numbered = invoice(r#", "invoice_number": "A-1""#);
    assert_eq!(house.post(INVOICES, &numbered).await.status, 201);
    let taken = house.post(INVOICES, &numbered).await;
    assert_eq!(taken.outcome(), (409, "DUPLICATE_INVOICE_NUMBER".into()));
    house.kept().account_key.1.scope.monthly_invoice_limit = Some(1);
    let full = house.post_under("k", INVOICES, &invoice("")).await;
    assert_eq!(full.outcome(), (409, "PLAN_LIMIT_REACHED".into()));
    let kept = house.post_under("k", INVOICES, &invoice("")).await;
    assert_eq!(kept.header("idempotency-replayed"), "true");
    let unknown = r#"{"contact": {"id": "01a1f6b6-ee63-7000-8000-00000000ffff"},
        "line_items": [{"description": "Tea", "unit_amount": 1}]}"#;
    assert_eq!(
        house.post(INVOICES, unknown).await.outcome(),
        (404, "NOT_FOUND".into())
    );
}

#[actix_web::test]
async fn every_faulty_field_is_named_at_once() {
    let house = House::new();
    let body = r#"{
        "contact": {"email": "x", "phone": 7},
        "invoice_number": "a\u0007", "invoice_date": "2026-02-30", "due_date": 1, "currency": "XXX",
        "line_amount_types": "GROSS", "reference": ["a"], "notes": "\ud800", "staff": "x",
        "line_items": [{"quantity": "2", "unit_amount": 1.23456, "tax_rate": 101}, 5,
                       {"description": "a", "quantity": 0, "unit_amount": 1e400}],
        "send_invoice": "true", "is_draft": 0}"#;
    let reply = house.post(INVOICES, body).await;
    assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
    let mut faulty = reply.faulty();
    faulty.sort_unstable();
    assert_eq!(
        faulty,
        [
            "contact.email",
            "contact.phone",
            "currency",
            "due_date",
            "invoice_date",
            "invoice_number",
            "is_draft",
            "line_amount_types",
            "line_items.0.description",
            "line_items.0.quantity",
            "line_items.0.tax_rate",
            "line_items.0.unit_amount",
            "line_items.1",
            "line_items.2.quantity",
            "line_items.2.unit_amount",
            "notes",
            "reference",
            "send_invoice",
        ]
    );
}

#[actix_web::test]
async fn what_is_missing_is_named_too() {
    let house = House::new();
    for body in ["{}", r#"{"contact": null, "line_items": []}"#] {
        assert_eq!(
            house.post(INVOICES, body).await.faulty(),
            ["line_items", "contact"]
        );
    }
    let nobody = r#"{"contact": {}, "line_items": [{"description": "Tea", "unit_amount": 1}]}"#;
    assert_eq!(
        house.post(INVOICES, nobody).await.faulty(),
        ["contact.name", "contact.email", "contact.phone"]
    );
    assert_eq!(
        house.post(INVOICES, r#"{"is_draft": true}"#).await.status,
        201
    );
}

#[actix_web::test]
async fn too_many_lines_are_one_fault() {
    let house = House::new();
    let lines = vec!["0"; 200_000].join(",");
    let body = format!(r#"{{"is_draft": true, "line_items": [{lines}]}}"#);
    assert_eq!(house.post(INVOICES, &body).await.faulty(), ["line_items"]);
}

#[actix_web::test]
async fn a_foreign_invoice_does_not_exist() {
    let house = House::new();
    let created = house.post(INVOICES, &invoice("")).await;
    let id = created.json()["id"].as_str().unwrap().to_owned();
    house.kept().account_key.1.scope.id = kernel::Id::from_uuid(uuid::Uuid::from_u128(7));
    let foreign = house.get(&format!("{INVOICES}/{id}")).await;
    assert_eq!(foreign.outcome(), (404, "NOT_FOUND".into()));
    assert_eq!(
        house.get(INVOICES).await.json()["data"],
        serde_json::json!([])
    );
}

#[actix_web::test]
async fn an_invoice_that_is_sent_is_mailed_once_with_its_document() {
    let house = House::new();
    let body = invoice(r#", "send_invoice": true"#);
    let sent = house.post_under("k", INVOICES, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.body);
    let again = house.post_under("k", INVOICES, &body).await;
    assert_eq!((again.status, &again.body), (201, &sent.body));
    let answer = sent.json();
    assert_eq!(answer["sent_to_contact"], true);
    assert_eq!(answer["send_count"], 1);
    assert_eq!(answer["last_sent_at"], answer["created_at"]);
    let kept = house.kept();
    let [mail] = &kept.mails[..] else {
        panic!("{} mails", kept.mails.len());
    };
    assert_eq!(mail.message.to.as_str(), "ada@example.com");
    assert_eq!(mail.message.attachments.len(), 1);
}

#[actix_web::test]
async fn what_cannot_be_sent_is_not_created() {
    let house = House::new();
    let mute = r#"{"contact": {"name": "Bo", "phone": "1"}, "send_invoice": true,
        "line_items": [{"description": "Tea", "unit_amount": 1}]}"#;
    assert_eq!(house.post(INVOICES, mute).await.faulty(), ["contact.email"]);
    let draft = invoice(r#", "send_invoice": true, "is_draft": true"#);
    assert_eq!(
        house.post(INVOICES, &draft).await.faulty(),
        ["send_invoice"]
    );
    house.kept().account_key.1.scope.communications_enabled = false;
    let sent = invoice(r#", "send_invoice": true"#);
    assert_eq!(house.post(INVOICES, &sent).await.faulty(), ["send_invoice"]);
    let kept = house.kept();
    assert!(kept.mails.is_empty() && kept.invoices.is_empty() && kept.contacts.is_empty());
}

#[actix_web::test]
async fn a_document_that_cannot_be_drawn_leaves_the_key_free() {
    let mut house = House::new();
    let documents = house.state.invoicing.mailer.documents.clone();
    house.state.invoicing.mailer.documents = std::sync::Arc::new(Undrawable::Failing);
    let body = invoice(r#", "send_invoice": true"#);
    let failed = house.post_under("k", INVOICES, &body).await;
    assert_eq!(failed.outcome(), (500, "INTERNAL_ERROR".into()));
    assert!(!failed.body.contains("font"), "{}", failed.body);
    house.state.invoicing.mailer.documents = documents;
    assert_eq!(house.post_under("k", INVOICES, &body).await.status, 201);
}
