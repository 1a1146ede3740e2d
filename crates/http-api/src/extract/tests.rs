//! The way in, and the order of its steps.

use access::{ApiKey, KeySpace, SwitchedOffBy};
use actix_web::test::TestRequest;
use kernel::SystemRandom;
use time::Duration;

use crate::testing::{House, Reply};

const INVOICES: &str = "/api/v1/invoices";
const CONTACTS: &str = "/api/v1/contacts";
const ACCOUNTS: &str = "/api/v1/partner/accounts";

async fn with_authorization(house: &House, path: &str, value: &str) -> Reply {
    let request = TestRequest::get().uri(path);
    house
        .send(request.insert_header(("Authorization", value)))
        .await
}

fn some_key(space: KeySpace) -> String {
    let key = ApiKey::generate(space, &SystemRandom::default()).unwrap();
    key.reveal().to_owned()
}

#[actix_web::test]
async fn without_a_bearer_token_nobody_is_let_in() {
    let house = House::new();
    let bare = house.send(TestRequest::get().uri(INVOICES)).await;
    insta::assert_snapshot!(bare.body);
    let key = house.account_key.clone();
    let mut replies = vec![bare];
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        &key,
        &format!("Token {key}"),
    ] {
        replies.push(with_authorization(&house, INVOICES, value).await);
    }
    let twice = TestRequest::get().uri(INVOICES);
    let twice = twice.append_header(("Authorization", format!("Bearer {key}")));
    let twice = twice.append_header(("Authorization", format!("Bearer {key}")));
    replies.push(house.send(twice).await);
    for reply in replies {
        assert_eq!(reply.outcome(), (401, "UNAUTHENTICATED".into()));
        assert_eq!(
            reply.header("www-authenticate"),
            r#"Bearer realm="countinghouse""#
        );
        assert_eq!(reply.header("x-ratelimit-limit"), "");
    }
    assert_eq!(house.kept().look_ups, 0);
}

#[actix_web::test]
async fn what_is_no_key_of_the_space_is_refused_before_any_look_up() {
    let house = House::new();
    let (account, partner) = (house.account_key.clone(), house.partner_key.clone());
    for (path, token) in [
        (INVOICES, partner.as_str()),
        (ACCOUNTS, account.as_str()),
        (INVOICES, "ct_live_00000000000000000000000000000000"),
        (INVOICES, "anything"),
        (INVOICES, &format!("{account} {account}")),
        (INVOICES, &account.to_lowercase()),
    ] {
        let reply = with_authorization(&house, path, &format!("Bearer {token}")).await;
        assert_eq!(reply.outcome(), (401, "INVALID_API_KEY".into()), "{token}");
        assert_eq!(
            reply.header("www-authenticate"),
            r#"Bearer realm="countinghouse", error="invalid_token""#
        );
    }
    assert_eq!(house.kept().look_ups, 0);
    let unknown = format!("Bearer {}", some_key(KeySpace::Account));
    let reply = with_authorization(&house, INVOICES, &unknown).await;
    assert_eq!(reply.outcome(), (401, "INVALID_API_KEY".into()));
    assert_eq!(house.kept().look_ups, 1);
}

#[actix_web::test]
async fn the_scheme_has_no_case_and_one_look_up_is_enough() {
    let house = House::new();
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let value = format!("{scheme} {}", house.account_key);
        assert_eq!(
            with_authorization(&house, INVOICES, &value).await.status,
            200
        );
    }
    assert_eq!(house.kept().look_ups, 3);
}

#[actix_web::test]
async fn a_switched_off_caller_is_told_by_whom_and_counted_nowhere() {
    let house = House::new();
    for (by, words) in [
        (SwitchedOffBy::Partner, "partner"),
        (SwitchedOffBy::Operator, "operator"),
    ] {
        house.kept().account_key.1.switched_off_by = Some(by);
        let reply = house.get(INVOICES).await;
        assert_eq!(reply.outcome(), (403, "ACCOUNT_DISABLED".into()));
        assert!(reply.body.contains(words) && reply.header("www-authenticate").is_empty());
    }
    house.kept().partner_key.1.switched_off = true;
    let reply = house.get(ACCOUNTS).await;
    assert_eq!(reply.outcome(), (403, "PARTNER_DISABLED".into()));
    assert_eq!(reply.header("x-ratelimit-limit"), "");
}

#[actix_web::test]
async fn every_authenticated_answer_says_what_is_left_of_the_quota() {
    let house = House::new();
    let headers = |reply: &Reply| {
        [
            "x-ratelimit-limit",
            "x-ratelimit-remaining",
            "x-ratelimit-reset",
        ]
        .map(|name| reply.header(name).to_owned())
    };
    // The clock stands at 02:09:06.147; the window ends a minute later, rounded up to 02:10:07.
    let reset = "1795140607".to_owned();
    let read = house.get(INVOICES).await;
    assert_eq!(headers(&read), ["120".into(), "119".into(), reset.clone()]);
    let faulty = house.post(INVOICES, "[]").await;
    assert_eq!(headers(&faulty), ["30".into(), "29".into(), reset.clone()]);
    let missing = house.get("/api/v1/invoices/1").await;
    assert_eq!(headers(&missing), ["120".into(), "118".into(), reset]);
    assert_eq!(missing.header("retry-after"), "");
}

#[actix_web::test]
async fn past_the_quota_a_request_is_refused_and_not_counted() {
    let house = House::new();
    for _ in 0..30 {
        assert_eq!(house.post(INVOICES, "").await.status, 400);
    }
    house.clock.advance(Duration::milliseconds(59_100));
    for _ in 0..3 {
        let refused = house.post_under("k", INVOICES, "{").await;
        assert_eq!(refused.outcome(), (429, "RATE_LIMITED".into()));
        assert_eq!(refused.header("retry-after"), "1");
        assert_eq!(refused.header("x-ratelimit-limit"), "30");
        assert_eq!(refused.header("x-ratelimit-remaining"), "0");
        assert_eq!(refused.header("x-ratelimit-reset"), "1795140607");
    }
    assert!(house.kept().answers.is_empty());
    assert_eq!(house.get(INVOICES).await.status, 200);
    house.clock.advance(Duration::milliseconds(900));
    assert_eq!(house.post(INVOICES, "").await.status, 400);
}

#[actix_web::test]
async fn each_step_is_taken_only_when_the_one_before_is_passed() {
    let mut house = House::new();
    house.state.quotas.writes = 1;
    let send = |key: &str, idempotency: &str, kind: &str, body: &str| {
        let request = TestRequest::post().uri(INVOICES);
        let request = request.insert_header(("Authorization", format!("Bearer {key}")));
        let request = request.insert_header(("Idempotency-Key", idempotency));
        let request = request.insert_header(("Content-Type", kind));
        house.send(request.set_payload(body.to_owned()))
    };
    let key = house.account_key.clone();
    let bad_key = send("ct_live_x", "é", "text/plain", "{").await;
    assert_eq!(bad_key.outcome(), (401, "INVALID_API_KEY".into()));
    let bad_header = send(&key, "é", "text/plain", "{").await;
    assert_eq!(bad_header.faulty(), ["Idempotency-Key"]);
    let no_quota = send(&key, "é", "text/plain", "{").await;
    assert_eq!(no_quota.outcome(), (429, "RATE_LIMITED".into()));
    house.clock.advance(Duration::MINUTE);
    let bad_kind = send(&key, "k", "text/plain", "{").await;
    assert_eq!(bad_kind.outcome(), (415, "UNSUPPORTED_MEDIA_TYPE".into()));
    house.clock.advance(Duration::MINUTE);
    let bad_body = send(&key, "k", "application/json", "{").await;
    assert_eq!(bad_body.outcome(), (400, "VALIDATION_ERROR".into()));
    assert!(bad_body.faulty().is_empty());
}

#[actix_web::test]
async fn a_path_id_is_looked_at_only_for_those_who_were_let_in() {
    let house = House::new();
    for path in [
        "/api/v1/invoices/7",
        "/api/v1/contacts/%00",
        "/api/v1/partner/accounts/x",
    ] {
        let stranger = house.send(TestRequest::get().uri(path)).await;
        assert_eq!(stranger.status, 401, "{path}");
        let reply = house.get(path).await;
        assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()), "{path}");
        assert_eq!(reply.faulty(), ["id"]);
    }
}

#[actix_web::test]
async fn bodies_are_taken_up_to_a_mebibyte() {
    let house = House::new();
    let body = |length: usize| format!("{{\"notes\":\"{}\"}}", "x".repeat(length - 12));
    let fits = house.post(INVOICES, &body(1_048_576)).await;
    assert_eq!(fits.outcome(), (400, "VALIDATION_ERROR".into()));
    assert!(fits.faulty().contains(&"notes".to_owned()));
    let over = house.post(INVOICES, &body(1_048_577)).await;
    assert_eq!(over.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    let announced = house.writing(INVOICES, "{}");
    let announced = announced.insert_header(("Content-Length", "99999999999"));
    let announced = house.send(announced).await;
    assert_eq!(announced.outcome(), (413, "PAYLOAD_TOO_LARGE".into()));
    assert_eq!(announced.header("x-ratelimit-limit"), "30");
}

#[actix_web::test]
async fn a_body_without_a_type_is_json_and_a_compressed_one_is_refused() {
    let house = House::new();
    let untyped = house.keyed(TestRequest::post(), INVOICES).set_payload("[]");
    assert_eq!(house.send(untyped).await.status, 400);
    let squeezed = house.writing(INVOICES, "{}");
    let squeezed = squeezed.insert_header(("Content-Encoding", "gzip"));
    assert_eq!(house.send(squeezed).await.status, 415);
}

/// JSON that holds JSON in a text under the name that would have serde_json parse it, in brackets, over and over.
fn parcel(parcels: usize, brackets: usize) -> String {
    (0..parcels).fold("7".to_owned(), |inner, _| {
        let text = serde_json::to_string(&inner).unwrap();
        let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
        format!("{open}{{\"$serde_json::private::RawValue\":{text}}}{close}")
    })
}

#[actix_web::test]
async fn no_body_under_a_key_brings_the_process_down() {
    let house = House::new();
    for (place, body) in [
        parcel(12, 125),
        parcel(12, 0),
        format!("{{\"reference\":{}}}", parcel(12, 60)),
        format!("{{\"email\":{}}}", parcel(12, 125)),
        "[".repeat(100_000),
        "{\"contact\":".repeat(80_000),
    ]
    .iter()
    .enumerate()
    {
        let key = format!("k{place}");
        for path in [INVOICES, CONTACTS] {
            let reply = house.post_under(&key, path, body).await;
            assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()), "{place}");
            let again = house.post_under(&key, path, body).await;
            assert_eq!(again.header("idempotency-replayed"), "true", "{place}");
            assert_eq!(again.body, reply.body);
        }
        house.clock.advance(Duration::MINUTE);
    }
}

#[actix_web::test]
async fn a_doubled_field_under_a_used_key_is_another_body() {
    let house = House::new();
    let doubled = r#"{"name":"Ada","name":"Bob","phone":"1"}"#;
    let refused = house.post_under("k", CONTACTS, doubled).await;
    assert_eq!(refused.faulty(), ["name"]);
    let once = r#"{"name":"Bob","phone":"1"}"#;
    let other = house.post_under("k", CONTACTS, once).await;
    assert_eq!(other.code(), "IDEMPOTENCY_KEY_REUSED");
}

#[actix_web::test]
async fn an_object_is_never_taken_as_the_text_inside_it() {
    let house = House::new();
    let disguised = r#"{"$serde_json::private::RawValue":"\"x\""}"#;
    let contact = format!(r#"{{"name":"Ada","phone":"1","external_id":{disguised}}}"#);
    let reply = house.post_under("k", CONTACTS, &contact).await;
    assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(reply.faulty(), ["external_id"]);
    let invoice = format!(r#"{{"is_draft":true,"reference":{disguised}}}"#);
    let reply = house.post_under("k", INVOICES, &invoice).await;
    assert_eq!(reply.faulty(), ["reference"]);
}
