//! The state table and events of an escalation.

use proptest::prelude::*;
use testkit::{CountingIds, FixedClock};
use time::Duration;
use webhooks::EventName;

use super::*;

const NOW: OffsetDateTime = FixedClock::START;

fn raised(escalation_type: EscalationType, channel: Channel) -> Escalation {
    let ids = CountingIds::default();
    let new = NewEscalation {
        escalation_type,
        channel,
        statement: Statement::parse("Not a cent.").unwrap(),
        invoice: Some(Id::new(&ids, NOW)),
        contact: None,
    };
    Escalation::raise(Id::new(&ids, NOW), Id::new(&ids, NOW), new, NOW)
}

fn occurrence(escalation: &Escalation) -> Occurrence {
    Occurrence {
        id: Id::new(&CountingIds::default(), NOW),
        account: escalation.account,
        at: NOW,
        urls: kernel::PublicUrls::new("https://books.example.com"),
    }
}

#[test]
fn the_error_names_time_and_outcome_of_the_resolution() {
    let mut escalation = raised(EscalationType::Refused, Channel::Voice);
    escalation.resolve(ResolutionOutcome::PaymentArranged, None, NOW).unwrap();
    let later = NOW + Duration::days(1);
    let refused = escalation.resolve(ResolutionOutcome::Paid, None, later);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "the escalation was resolved already, at 2026-11-20T02:09:06.147Z with the outcome payment_arranged"
    );
}

#[test]
fn events_contain_all_fields_but_the_statement() {
    let mut escalation = raised(EscalationType::Hardship, Channel::Sms);
    let created = escalation.event(occurrence(&escalation));
    assert_eq!(created.name, EventName::EscalationCreated);
    assert_eq!(created.resource, escalation.id.uuid());
    let id = escalation.id;
    for told in [
        format!("\"resource_url\":\"https://books.example.com/api/v1/escalations/{id}\""),
        r#""escalation_type":"hardship","priority":"high","trigger_channel":"sms""#.to_owned(),
        format!("\"invoice_id\":\"{}\"", escalation.invoice.unwrap()),
        r#""contact_id":null"#.to_owned(),
    ] {
        assert!(created.body.contains(&told), "{told} {}", created.body);
    }
    assert!(!created.body.contains("cent") && !created.body.contains("resol"));
    let notes = Notes::parse("Paid a cent after all.").unwrap();
    escalation.resolve(ResolutionOutcome::Paid, Some(notes), NOW).unwrap();
    let resolved = escalation.event(occurrence(&escalation));
    assert_eq!(resolved.name, EventName::EscalationResolved);
    let told = r#""resolution_outcome":"paid","resolved_at":"2026-11-20T02:09:06.147Z""#;
    assert!(resolved.body.contains(told) && !resolved.body.contains("cent"));
}

fn any_outcome() -> impl Strategy<Value = ResolutionOutcome> {
    prop::sample::select(ResolutionOutcome::ALL.to_vec())
}

proptest! {
    #[test]
    fn first_resolution_is_final(
        escalation_type in prop::sample::select(EscalationType::ALL.to_vec()),
        channel in prop::sample::select(Channel::ALL.to_vec()),
        tries in prop::collection::vec((any_outcome(), prop::option::of("[a-z]{1,9}"), 0_i64..1_000), 1..6),
    ) {
        let mut escalation = raised(escalation_type, channel);
        prop_assert_eq!(escalation.status(), EscalationStatus::Open);
        prop_assert_eq!(escalation.priority, escalation_type.priority());
        let raised = escalation.clone();
        let mut first = None;
        for (outcome, notes, seconds) in tries {
            let (before, at) = (escalation.clone(), NOW + Duration::seconds(seconds));
            let notes = notes.map(|text| Notes::parse(&text).unwrap());
            let closed = escalation.resolve(outcome, notes.clone(), at);
            match &first {
                None => {
                    prop_assert_eq!(closed, Ok(()));
                    first = Some(Resolution { outcome, notes, at });
                }
                Some(Resolution { outcome, at, .. }) => {
                    prop_assert_eq!(closed, Err(AlreadyResolved { at: *at, outcome: *outcome }));
                    prop_assert_eq!(&escalation, &before);
                }
            }
        }
        prop_assert_eq!(escalation.status(), EscalationStatus::Resolved);
        let updated_at = first.as_ref().unwrap().at;
        let expected = EscalationData { resolution: first, updated_at, ..raised.0 };
        prop_assert_eq!(escalation, Escalation(expected));
    }
}
