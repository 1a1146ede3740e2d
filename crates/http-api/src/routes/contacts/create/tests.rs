use std::sync::Arc;

use actix_web::http::Method;
use async_trait::async_trait;
use contacts::{ContactsStore, ContactsTx};
use idempotency::{
    Claim, IdempotentOutcome, StoredResponse, StoredResponseStore, StoredResponses, StoredResponsesTx, Ticket,
};
use kernel::{AccountId, Commit, StoreError, StoreResult};

use crate::test_app::TestApp;

const CONTACTS: &str = "/api/v1/contacts";
const ADA: &str = r#"{"name": "Ada", "email": "ada@example.com", "external_id": "A-1"}"#;

#[actix_web::test]
async fn new_contact_is_created_and_found_again() {
    let app = TestApp::new().await;
    let created = app.post(CONTACTS, ADA).await;
    assert_eq!(created.status, 201, "{}", created.body);
    created.assert_has_every_field_of("Contact");
    let expected =
        r#""name":"Ada","email":"ada@example.com","phone":null,"external_id":"A-1","address":null"#;
    assert!(created.body.contains(expected), "{}", created.body);
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(created.header("location"), format!("https://books.example.com/api/v1/contacts/{id}"));
    for body in [
        ADA.to_owned(),
        r#"{"email": "ADA@example.com"}"#.to_owned(),
        r#"{"external_id": "A-1", "name": ""}"#.to_owned(),
        format!(r#"{{"id": "{id}"}}"#),
    ] {
        let found = app.post(CONTACTS, &body).await;
        assert_eq!((found.status, found.body.as_str()), (200, created.body.as_str()));
        assert_eq!(found.header("location"), "");
    }
    for path in [
        format!("{CONTACTS}/{id}"),
        format!("{CONTACTS}?email=Ada%40Example.com&external_id=A-1"),
        format!("{CONTACTS}?external_id=A-1&email="),
    ] {
        let read = app.get(&path).await;
        assert_eq!((read.status, read.body.as_str()), (200, created.body.as_str()), "{path}");
    }
}

#[actix_web::test]
async fn look_up_without_a_parameter_is_a_validation_error() {
    let app = TestApp::new().await;
    let none = app.get(CONTACTS).await;
    assert_eq!(none.faulty(), ["email", "external_id"]);
    let bad = app.get(&format!("{CONTACTS}?email=x&external_id=%00&foo=1")).await;
    assert_eq!(bad.faulty(), ["email", "external_id"]);
    let twice = format!("{CONTACTS}?email=a@example.com&email=b@example.com");
    assert_eq!(app.get(&twice).await.faulty(), ["email"]);
    let unknown = app.get(&format!("{CONTACTS}?email=eve@example.com")).await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
}

#[actix_web::test]
async fn fields_missing_for_a_new_contact_are_named_beside_other_faults() {
    let app = TestApp::new().await;
    app.create(CONTACTS, ADA).await;
    let long = "1".repeat(51);
    let unreadable = format!(r#"{{"id": 7, "email": "no-address", "name": "a\u0000b", "phone": "{long}"}}"#);
    for (body, faulty) in [
        (r#"{"email": "zz@new.com", "phone": 5}"#, &["phone", "name"][..]),
        (&*unreadable, &["id", "email", "name", "phone"]),
        (r#"{"email": " ", "name": null}"#, &["name", "email", "phone"]),
        (r#"{"external_id": "zz", "name": 5}"#, &["name", "email", "phone"]),
        (r#"{"external_id": "zz", "phone": 5}"#, &["phone", "name"]),
        // The contact exists, by one field or the other.
        (r#"{"email": "ADA@example.com", "phone": 5}"#, &["phone"]),
        (r#"{"external_id": "A-1", "email": "zz@new.com", "name": 5}"#, &["name"]),
        // The corrected address may find a contact, and an unknown id is a 404.
        (r#"{"external_id": "zz", "email": "zz"}"#, &["email"]),
        (r#"{"id": "01a1f6b6-ee63-7000-8000-00000000ffff", "phone": 5}"#, &["phone"]),
    ] {
        let refused = app.post_once(body, CONTACTS, body).await;
        assert_eq!(refused.faulty(), faulty, "{body}");
        let again = app.post_once(body, CONTACTS, body).await;
        assert_eq!((again.header("idempotency-replayed"), &again.body), ("true", &refused.body));
    }
}

#[actix_web::test]
async fn repeated_request_gets_the_first_answer_whatever_the_order_of_fields() {
    let app = TestApp::new().await;
    let first = app.post_once("k", CONTACTS, ADA).await;
    assert_eq!((first.status, first.header("idempotency-replayed")), (201, ""));
    let shuffled = r#"{"external_id":"A-1", "email":"ada@example.com","name":"Ada"}"#;
    let again = app.post_once("\"k\"", CONTACTS, shuffled).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.header("location"), first.header("location"));
    assert_eq!(again.header("x-ratelimit-remaining"), "28");
}

#[actix_web::test]
async fn another_body_under_the_key_gets_a_conflict_with_the_first_answer() {
    let app = TestApp::new().await;
    let first = app.post_once("k", CONTACTS, ADA).await;
    for body in [r#"{"name": "Grace"}"#, "{", "[1]", ""] {
        let reused = app.post_once("k", CONTACTS, body).await;
        assert_eq!(reused.outcome(), (409, "IDEMPOTENCY_KEY_REUSED".into()), "{body}");
        assert!(reused.body.ends_with(&format!("\"original_response\":{}}}", first.body)));
        assert_eq!(reused.header("idempotency-replayed"), "");
    }
}

#[actix_web::test]
async fn final_errors_are_stored_and_failures_are_not() {
    let mut app = TestApp::new().await;
    let unknown = r#"{"id": "01a1f6b6-ee63-7000-8000-00000000ffff"}"#;
    for (key, body, status) in [
        ("broken", "{", 400),
        ("list", "[]", 400),
        ("empty", "{}", 400),
        ("faulty", r#"{"email": 1}"#, 400),
        ("unknown", unknown, 404),
    ] {
        let first = app.post_once(key, CONTACTS, body).await;
        assert_eq!((first.status, first.header("idempotency-replayed")), (status, ""));
        let again = app.post_once(key, CONTACTS, body).await;
        assert_eq!((again.status, &again.body), (status, &first.body), "{key}");
        assert_eq!(again.header("idempotency-replayed"), "true", "{key}");
    }
    let contacts = app.state.contacts.store.clone();
    app.state.contacts.store = Arc::new(NoDatabase);
    let failed = app.post_once("failed", CONTACTS, ADA).await;
    assert_eq!(failed.outcome(), (503, "SERVICE_UNAVAILABLE".into()));
    app.state.contacts.store = contacts;
    assert_eq!(app.post_once("failed", CONTACTS, ADA).await.status, 201);
}

#[actix_web::test]
async fn key_of_a_request_in_flight_is_a_conflict() {
    let mut app = TestApp::new().await;
    app.state.stored_responses = Arc::new(InFlight);
    let twin = app.post_once("k", CONTACTS, "{").await;
    assert_eq!(twin.outcome(), (409, "IDEMPOTENT_REPLAY_IN_FLIGHT".into()));
}

#[actix_web::test]
async fn malformed_or_repeated_key_is_a_validation_error() {
    let app = TestApp::new().await;
    for key in ["", " ", "\"\"", "é", &"k".repeat(256)] {
        let reply = app.post_once(key, CONTACTS, ADA).await;
        assert_eq!(reply.faulty(), ["Idempotency-Key"], "{key}");
    }
    let twice = app.json(Method::POST, CONTACTS, ADA);
    let twice = twice.append_header(("Idempotency-Key", "a"));
    let twice = app.send(twice.append_header(("Idempotency-Key", "b"))).await;
    assert_eq!(twice.faulty(), ["Idempotency-Key"]);
    let read = app.request(Method::GET, "/api/v1/invoices").insert_header(("Idempotency-Key", ""));
    assert_eq!(app.send(read).await.status, 200, "only creations have a key");
}

/// A store without a database.
struct NoDatabase;

#[async_trait]
impl ContactsStore for NoDatabase {
    async fn begin(&self, _: AccountId) -> StoreResult<Box<dyn ContactsTx>> {
        Err(StoreError::Unavailable("no connection to 10.0.0.7".into()))
    }
}

/// A store in which every key is in use by another request.
struct InFlight;

#[async_trait]
impl StoredResponseStore for InFlight {
    async fn begin(&self, _: AccountId) -> StoreResult<Box<dyn StoredResponsesTx>> {
        Ok(Box::new(Self))
    }

    async fn prune(&self, _: time::OffsetDateTime, _: u32) -> StoreResult<u64> {
        Ok(0)
    }
}

impl StoredResponsesTx for InFlight {
    fn stored_responses(&mut self) -> &mut dyn StoredResponses {
        self
    }
}

#[async_trait]
impl StoredResponses for InFlight {
    async fn claim(&mut self, _: &Ticket) -> StoreResult<Claim> {
        Ok(Claim::Taken(IdempotentOutcome::InFlight))
    }

    async fn store(&mut self, _: &Ticket, _: &StoredResponse) -> StoreResult<()> {
        Ok(())
    }

    async fn rewrite(&mut self, _: &str, _: &idempotency::Rewrite<'_>) -> StoreResult<()> {
        unreachable!("no contact is erased here")
    }
}

#[async_trait]
impl Commit for InFlight {
    async fn commit(self: Box<Self>) -> StoreResult<()> {
        Ok(())
    }
}
