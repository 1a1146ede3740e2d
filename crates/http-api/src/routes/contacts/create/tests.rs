//! Finding or creating contacts, and the idempotency key on the way.

use crate::testing::{House, Mood};

const CONTACTS: &str = "/api/v1/contacts";
const ADA: &str = r#"{"name": "Ada", "email": "ada@example.com", "external_id": "A-1"}"#;

#[actix_web::test]
async fn a_new_contact_is_created_and_found_again() {
    let house = House::new();
    let created = house.post(CONTACTS, ADA).await;
    assert_eq!(created.status, 201, "{}", created.body);
    insta::assert_snapshot!(created.body);
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        created.header("location"),
        format!("https://books.example.com/api/v1/contacts/{id}")
    );
    for body in [
        ADA.to_owned(),
        r#"{"email": "ADA@example.com"}"#.to_owned(),
        r#"{"external_id": "A-1", "name": ""}"#.to_owned(),
        format!(r#"{{"id": "{id}"}}"#),
    ] {
        let found = house.post(CONTACTS, &body).await;
        assert_eq!(
            (found.status, found.body.as_str()),
            (200, created.body.as_str())
        );
        assert_eq!(found.header("location"), "");
    }
    for path in [
        format!("{CONTACTS}/{id}"),
        format!("{CONTACTS}?email=Ada%40Example.com&external_id=A-1"),
        format!("{CONTACTS}?external_id=A-1&email="),
    ] {
        let read = house.get(&path).await;
        assert_eq!(
            (read.status, read.body.as_str()),
            (200, created.body.as_str()),
            "{path}"
        );
    }
}

#[actix_web::test]
async fn a_look_up_needs_something_to_look_for() {
    let house = House::new();
    let none = house.get(CONTACTS).await;
    assert_eq!(none.faulty(), ["email", "external_id"]);
    let bad = house
        .get(&format!("{CONTACTS}?email=x&external_id=%00&foo=1"))
        .await;
    assert_eq!(bad.faulty(), ["email", "external_id"]);
    let twice = format!("{CONTACTS}?email=a@example.com&email=b@example.com");
    assert_eq!(house.get(&twice).await.faulty(), ["email"]);
    let nobody = house
        .get(&format!("{CONTACTS}?email=eve@example.com"))
        .await;
    assert_eq!(nobody.outcome(), (404, "NOT_FOUND".into()));
}

#[actix_web::test]
async fn faults_are_named_and_an_unknown_id_is_not_found() {
    let house = House::new();
    let faulty = house
        .post(CONTACTS, r#"{"id": 7, "email": "x", "name": "a\u0000"}"#)
        .await;
    assert_eq!(faulty.faulty(), ["id", "email", "name"]);
    let empty = house.post(CONTACTS, "{}").await;
    assert_eq!(empty.faulty(), ["name", "email", "phone"]);
    let unknown = r#"{"id": "01a1f6b6-ee63-7000-8000-00000000ffff"}"#;
    assert_eq!(
        house.post(CONTACTS, unknown).await.outcome(),
        (404, "NOT_FOUND".into())
    );
}

#[actix_web::test]
async fn a_repetition_gets_the_first_answer_whatever_the_order_of_fields() {
    let house = House::new();
    let first = house.post_under("k", CONTACTS, ADA).await;
    assert_eq!(
        (first.status, first.header("idempotency-replayed")),
        (201, "")
    );
    let shuffled = r#"{"external_id":"A-1", "email":"ada@example.com","name":"Ada"}"#;
    let again = house.post_under("\"k\"", CONTACTS, shuffled).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.header("location"), first.header("location"));
    assert_eq!(again.header("x-ratelimit-remaining"), "28");
    assert_eq!(house.kept().contacts.len(), 1);
}

#[actix_web::test]
async fn another_body_under_the_key_is_refused_and_shown_the_first_answer() {
    let house = House::new();
    let first = house.post_under("k", CONTACTS, ADA).await;
    for body in [r#"{"name": "Grace"}"#, "{", "[1]", ""] {
        let reused = house.post_under("k", CONTACTS, body).await;
        assert_eq!(
            reused.outcome(),
            (409, "IDEMPOTENCY_KEY_REUSED".into()),
            "{body}"
        );
        assert!(
            reused
                .body
                .ends_with(&format!("\"original_response\":{}}}", first.body))
        );
        assert_eq!(reused.header("idempotency-replayed"), "");
    }
}

#[actix_web::test]
async fn refusals_are_kept_and_failures_are_not() {
    let house = House::new();
    let unknown = r#"{"id": "01a1f6b6-ee63-7000-8000-00000000ffff"}"#;
    for (key, body, status) in [
        ("broken", "{", 400),
        ("list", "[]", 400),
        ("empty", "{}", 400),
        ("faulty", r#"{"email": 1}"#, 400),
        ("unknown", unknown, 404),
    ] {
        let first = house.post_under(key, CONTACTS, body).await;
        assert_eq!(
            (first.status, first.header("idempotency-replayed")),
            (status, "")
        );
        let again = house.post_under(key, CONTACTS, body).await;
        assert_eq!((again.status, &again.body), (status, &first.body), "{key}");
        assert_eq!(again.header("idempotency-replayed"), "true", "{key}");
    }
    for mood in [Mood::Unavailable, Mood::Broken] {
        house.kept().mood = mood;
        assert!(house.post_under("failed", CONTACTS, ADA).await.status >= 500);
    }
    house.kept().mood = Mood::Well;
    assert_eq!(house.post_under("failed", CONTACTS, ADA).await.status, 201);
}

#[actix_web::test]
async fn a_request_that_is_still_being_worked_on_is_not_done_twice() {
    let house = House::new();
    house.kept().mood = Mood::InFlight;
    for body in [ADA, "{"] {
        let twin = house.post_under("k", CONTACTS, body).await;
        assert_eq!(twin.outcome(), (409, "IDEMPOTENT_REPLAY_IN_FLIGHT".into()));
    }
    assert!(house.kept().answers.is_empty());
}

#[actix_web::test]
async fn a_key_is_one_header_of_printable_characters() {
    let house = House::new();
    for key in ["", " ", "\"\"", "é", &"k".repeat(256)] {
        let reply = house.post_under(key, CONTACTS, ADA).await;
        assert_eq!(reply.faulty(), ["Idempotency-Key"], "{key}");
    }
    let twice = house.writing(CONTACTS, ADA);
    let twice = twice.append_header(("Idempotency-Key", "a"));
    let twice = house
        .send(twice.append_header(("Idempotency-Key", "b")))
        .await;
    assert_eq!(twice.faulty(), ["Idempotency-Key"]);
    assert!(house.kept().contacts.is_empty() && house.kept().answers.is_empty());
}
