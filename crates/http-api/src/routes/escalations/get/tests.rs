//! Reading escalations.

use actix_web::http::Method;
use actix_web::test::TestRequest;
use escalations::{
    Channel, Escalation, EscalationType, NewEscalation, Notes, ResolutionOutcome, Statement,
};
use kernel::{Clock as _, Id};
use serde_json::Value;
use time::Duration;
use uuid::Uuid;

use crate::testing::{House, Mood};

const NOBODY: &str = "/api/v1/escalations/01a1f6b6-ee63-7000-8000-00000000ffff";

/// Raises an escalation about an invoice and its contact, and answers where it is.
fn raised(house: &House) -> String {
    let (now, account) = (house.clock.now(), house.kept().account_key.1.scope.id);
    let new = NewEscalation {
        escalation_type: EscalationType::HumanRequest,
        channel: Channel::Voice,
        statement: Statement::parse("Is there \"anybody\"?\n\tI mean a person.").unwrap(),
        invoice: Some(Id::from_uuid(Uuid::from_u128(0xa1))),
        contact: Some(Id::from_uuid(Uuid::from_u128(0xb2))),
    };
    let id = Id::from_uuid(Uuid::from_u128(0xc3));
    let escalation = Escalation::raise(id, account, new, now);
    house.kept().escalations.push(escalation);
    format!("/api/v1/escalations/{id}")
}

fn resolve(house: &House) {
    house.clock.advance(Duration::hours(1));
    let (now, notes) = (
        house.clock.now(),
        Notes::parse("Grace called back.").unwrap(),
    );
    let mut kept = house.kept();
    let escalation = kept.escalations.last_mut().unwrap();
    let outcome = ResolutionOutcome::PaymentArranged;
    escalation.resolve(outcome, Some(notes), now).unwrap();
}

#[actix_web::test]
async fn every_field_is_there_open_and_resolved() {
    let house = House::new();
    let path = raised(&house);
    let open = house.get(&path).await;
    assert_eq!(open.status, 200);
    resolve(&house);
    let resolved = house.get(&path).await;
    insta::assert_snapshot!(format!("{}\n{}", open.body, resolved.body));
}

#[actix_web::test]
async fn what_is_about_nothing_says_null() {
    let house = House::new();
    let path = raised(&house);
    {
        let mut kept = house.kept();
        let raised = kept.escalations.pop().unwrap();
        let new = NewEscalation {
            escalation_type: raised.escalation_type,
            channel: raised.channel,
            statement: raised.statement.clone(),
            invoice: None,
            contact: None,
        };
        let bare = Escalation::raise(raised.id, raised.account, new, raised.created_at);
        kept.escalations.push(bare);
    }
    let body = house.get(&path).await.json();
    assert_eq!(body.as_object().unwrap().len(), 14);
    for field in ["invoice_id", "contact_id"] {
        assert_eq!(body[field], Value::Null, "{field}");
    }
}

#[actix_web::test]
async fn head_works_and_nothing_else_does() {
    let house = House::new();
    let path = raised(&house);
    let head = house.keyed(TestRequest::default().method(Method::HEAD), &path);
    let head = house.send(head).await;
    assert_eq!(head.status, 200);
    assert_eq!(head.header("x-ratelimit-limit"), "120");
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        let request = house.keyed(TestRequest::default().method(method), &path);
        let refused = house.send(request).await;
        assert_eq!(refused.outcome(), (405, "METHOD_NOT_ALLOWED".into()));
        assert_eq!(refused.header("allow"), "GET, HEAD");
    }
    for collection in ["/api/v1/escalations", "/api/v1/escalations/"] {
        let refused = house.get(collection).await;
        assert_eq!(refused.outcome(), (404, "NOT_FOUND".into()), "{collection}");
    }
}

#[actix_web::test]
async fn what_is_not_there_or_anothers_is_not_found() {
    let house = House::new();
    let path = raised(&house);
    let unknown = house.get(NOBODY).await;
    assert_eq!(unknown.outcome(), (404, "NOT_FOUND".into()));
    house.kept().account_key.1.scope.id = Id::from_uuid(Uuid::from_u128(7));
    let foreign = house.get(&path).await;
    assert_eq!((foreign.status, &foreign.body), (404, &unknown.body));
    for bad in ["7", "01a1f6b6ee6370008000000000000001", "%20"] {
        let refused = house.get(&format!("/api/v1/escalations/{bad}")).await;
        assert_eq!(refused.outcome(), (400, "VALIDATION_ERROR".into()), "{bad}");
        assert_eq!(refused.faulty(), ["id"]);
    }
}

#[actix_web::test]
async fn strangers_learn_nothing() {
    let house = House::new();
    let path = raised(&house);
    for path in [path.as_str(), "/api/v1/escalations/7"] {
        let stranger = house.send(TestRequest::get().uri(path)).await;
        assert_eq!(stranger.outcome(), (401, "UNAUTHENTICATED".into()));
        let bearer = ("Authorization", format!("Bearer {}", house.partner_key));
        let partner = TestRequest::get().uri(path).insert_header(bearer);
        let partner = house.send(partner).await;
        assert_eq!(partner.outcome(), (401, "INVALID_API_KEY".into()));
    }
}

#[actix_web::test]
async fn a_failing_store_is_a_failure_of_ours() {
    let house = House::new();
    let path = raised(&house);
    for (mood, status, code) in [
        (Mood::Unavailable, 503, "SERVICE_UNAVAILABLE"),
        (Mood::Broken, 500, "INTERNAL_ERROR"),
    ] {
        house.kept().mood = mood;
        let reply = house.get(&path).await;
        assert_eq!(reply.outcome(), (status, code.into()));
    }
}
