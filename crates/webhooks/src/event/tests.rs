use insta::assert_snapshot;
use time::macros::datetime;

use super::*;

fn occurrence() -> Occurrence {
    Occurrence {
        id: Id::from_uuid(uuid(1)),
        account: Id::from_uuid(uuid(2)),
        at: datetime!(2026-11-20 02:09:06.147_891 UTC),
        urls: kernel::PublicUrls::new("https://books.example.com"),
    }
}

fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(0x019a_a1b2_0000_7000_8000_0000_0000_0000 + n)
}

fn facts() -> EscalationFacts<'static> {
    EscalationFacts {
        id: uuid(3),
        escalation_type: "dispute",
        priority: "high",
        trigger_channel: "email",
        invoice_id: Some(uuid(4)),
        contact_id: None,
    }
}

#[test]
fn a_payment_event_has_no_amount() {
    let event = Event::payment_recorded(occurrence(), uuid(4));
    assert_snapshot!(event.body, @r#"{"events":[{"event_id":"019aa1b2-0000-7000-8000-000000000001","resource_url":"https://books.example.com/api/v1/invoices/019aa1b2-0000-7000-8000-000000000004","resource_id":"019aa1b2-0000-7000-8000-000000000004","event_date_utc":"2026-11-20T02:09:06.147","event_type":"Payment","event_category":"INVOICE","account":"019aa1b2-0000-7000-8000-000000000002"}]}"#);
}

#[test]
fn an_escalation_raised_event_has_its_subject() {
    let event = Event::escalation_created(occurrence(), &facts());
    assert_snapshot!(event.body, @r#"{"events":[{"event_id":"019aa1b2-0000-7000-8000-000000000001","resource_url":"https://books.example.com/api/v1/escalations/019aa1b2-0000-7000-8000-000000000003","resource_id":"019aa1b2-0000-7000-8000-000000000003","event_date_utc":"2026-11-20T02:09:06.147","event_type":"Created","event_category":"ESCALATION","account":"019aa1b2-0000-7000-8000-000000000002","escalation_type":"dispute","priority":"high","trigger_channel":"email","invoice_id":"019aa1b2-0000-7000-8000-000000000004","contact_id":null}]}"#);
}

#[test]
fn an_escalation_closed_event_has_its_outcome() {
    let closed_at = datetime!(2026-11-21 09:00 UTC);
    let event = Event::escalation_resolved(occurrence(), &facts(), Some("invoice_corrected"), closed_at);
    assert_snapshot!(event.body, @r#"{"events":[{"event_id":"019aa1b2-0000-7000-8000-000000000001","resource_url":"https://books.example.com/api/v1/escalations/019aa1b2-0000-7000-8000-000000000003","resource_id":"019aa1b2-0000-7000-8000-000000000003","event_date_utc":"2026-11-20T02:09:06.147","event_type":"Resolved","event_category":"ESCALATION","account":"019aa1b2-0000-7000-8000-000000000002","escalation_type":"dispute","priority":"high","trigger_channel":"email","invoice_id":"019aa1b2-0000-7000-8000-000000000004","contact_id":null,"resolution_outcome":"invoice_corrected","resolved_at":"2026-11-21T09:00:00.000Z"}]}"#);
    let event = Event::escalation_resolved(occurrence(), &facts(), None, closed_at);
    assert!(event.body.contains(r#""resolution_outcome":null,"resolved_at":"2026-11-21T09:00:00.000Z""#));
}

#[test]
fn each_name_has_a_bit_of_its_own() {
    let bits: Vec<_> = EventName::ALL.iter().map(|event| event.bit()).collect();
    assert!(bits.iter().all(|bit| bit.is_power_of_two()));
    assert_eq!(bits.iter().collect::<std::collections::HashSet<_>>().len(), bits.len());
}

#[test]
fn parse_compares_names_exactly() {
    for &name in EventName::ALL {
        assert_eq!(EventName::parse(name.as_str()), Some(name));
    }
    for text in ["", "invoice.paid", "Escalation.Created", " escalation.created"] {
        assert_eq!(EventName::parse(text), None, "{text}");
    }
}
