//! What is read ahead goes to nobody but the caller that it was read for.

use access::SwitchedOffBy;
use kernel::{Id, Ids as _, SystemIds};
use testkit::StillClock;

use crate::testing::{House, Mood, Reply};

/// A house with an invoice, which its account has read: from then on its key is cached.
async fn with_an_invoice() -> (House, String) {
    let house = House::new();
    let draft = house.post("/api/v1/invoices", r#"{"is_draft": true}"#);
    let id = draft.await.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/invoices/{id}");
    assert_eq!(house.get(&path).await.status, 200);
    (house, path)
}

/// The answer to a GET, and how many invoices were read for it.
async fn reading(house: &House, path: &str) -> (Reply, usize) {
    let before = house.kept().reads;
    let reply = house.get(path).await;
    (reply, house.kept().reads - before)
}

#[actix_web::test]
async fn what_was_foreseen_is_read_once() {
    let (house, path) = with_an_invoice().await;
    let look_ups = house.kept().look_ups;
    let (reply, reads) = reading(&house, &path).await;
    assert_eq!((reply.status, reads), (200, 1));
    assert_eq!(house.kept().look_ups, look_ups + 1, "the key is looked up");
    let (reply, reads) = reading(&house, "/api/v1/invoices/nonsense").await;
    assert_eq!(reply.outcome(), (400, "VALIDATION_ERROR".into()));
    assert_eq!(reads, 0);
}

#[actix_web::test]
async fn a_key_that_is_another_accounts_by_now_reads_that_accounts_invoices() {
    let (house, path) = with_an_invoice().await;
    let other = Id::from_uuid(SystemIds::default().uuid_at(StillClock::START));
    house.kept().account_key.1.scope.id = other;
    for reads in [2, 1] {
        let (reply, read) = reading(&house, &path).await;
        assert_eq!(reply.outcome(), (404, "NOT_FOUND".into()));
        assert_eq!(read, reads);
    }
}

#[actix_web::test]
async fn a_setting_that_changed_has_it_read_anew() {
    let (house, path) = with_an_invoice().await;
    house.kept().account_key.1.scope.communications_enabled = false;
    for reads in [2, 1] {
        let (reply, read) = reading(&house, &path).await;
        assert_eq!((reply.status, read), (200, reads));
    }
}

#[actix_web::test]
async fn who_is_refused_gets_nothing_and_is_foreseen_no_more() {
    let (mut house, path) = with_an_invoice().await;
    house.kept().account_key.1.switched_off_by = Some(SwitchedOffBy::Partner);
    for most in [1, 0] {
        let (reply, reads) = reading(&house, &path).await;
        assert_eq!(reply.outcome(), (403, "ACCOUNT_DISABLED".into()));
        assert!(reads <= most, "{reads}");
    }
    house.kept().account_key.1.switched_off_by = None;
    assert_eq!(house.get(&path).await.status, 200);
    house.state.quotas.reads = 1;
    for most in [1, 0] {
        let (reply, reads) = reading(&house, &path).await;
        assert_eq!(reply.outcome(), (429, "RATE_LIMITED".into()));
        assert!(reads <= most, "{reads}");
    }
}

/// A refusal does not wait for what is read beside it.
#[actix_web::test]
async fn a_store_that_hangs_keeps_no_refusal_back() {
    let (house, path) = with_an_invoice().await;
    house.kept().mood = Mood::Hanging;
    house.kept().account_key.1.switched_off_by = Some(SwitchedOffBy::Operator);
    let (reply, _) = reading(&house, &path).await;
    assert_eq!(reply.outcome(), (403, "ACCOUNT_DISABLED".into()));
}
