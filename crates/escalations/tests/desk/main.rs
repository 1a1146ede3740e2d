//! Raising and resolving at the desk, over a store in memory.
#![expect(
    clippy::unwrap_used,
    reason = "a test that is wrong should stop there"
)]

mod house;
mod memory;

use escalations::{
    Channel, EscalationRecords, EscalationType, NewEscalation, Notes, RaiseError,
    ReadEscalationError, ResolutionOutcome, ResolveError, Statement, Status,
};
use kernel::{Clock, StoreError};
use time::Duration;

use crate::house::House;

fn dispute() -> NewEscalation {
    NewEscalation {
        escalation_type: EscalationType::Dispute,
        channel: Channel::Email,
        statement: Statement::parse("We never got the tea.").unwrap(),
        invoice: None,
        contact: None,
    }
}

#[tokio::test]
async fn what_is_raised_is_kept_and_told_in_one() {
    let house = House::new();
    let raised = house.desk.raise(house.scope.id, dispute()).await.unwrap();
    assert_eq!(raised.status(), Status::Open);
    assert_eq!(
        (raised.account, raised.created_at, raised.updated_at),
        (house.scope.id, house.clock.now(), house.clock.now())
    );
    let records = EscalationRecords {
        reads: house.memory.clone(),
    };
    let read = records.get(&house.scope, raised.id).await.unwrap();
    assert_eq!(read, raised);
    let kept = house.memory.kept();
    assert_eq!(kept.events.len(), 1);
    let event = &kept.events[0];
    assert_eq!(
        (event.name.as_str(), event.resource, event.account),
        ("escalation.created", raised.id.uuid(), house.scope.id)
    );
    let url = format!("https://books.example.com/api/v1/escalations/{}", raised.id);
    assert!(event.body.contains(&url));
}

#[tokio::test]
async fn an_escalation_about_an_invoice_is_about_its_contact_unless_another_is_named() {
    let house = House::new();
    let (invoice, contact) = house.invoice();
    let about = NewEscalation {
        invoice: Some(invoice),
        ..dispute()
    };
    let raised = house.desk.raise(house.scope.id, about.clone()).await;
    let raised = raised.unwrap();
    assert_eq!(
        (raised.invoice, raised.contact),
        (Some(invoice), Some(contact))
    );
    let other = house.contact();
    let named = NewEscalation {
        contact: Some(other),
        ..about
    };
    let raised = house.desk.raise(house.scope.id, named).await.unwrap();
    assert_eq!(
        (raised.invoice, raised.contact),
        (Some(invoice), Some(other))
    );
    let draft = NewEscalation {
        invoice: Some(house.draft()),
        ..dispute()
    };
    let raised = house.desk.raise(house.scope.id, draft).await.unwrap();
    assert!(raised.invoice.is_some() && raised.contact.is_none());
}

#[tokio::test]
async fn what_the_account_does_not_have_is_named_and_nothing_is_raised() {
    let (house, other) = (House::new(), House::new().another_account());
    let (invoice, contact) = house.invoice();
    let about_invoice = NewEscalation {
        invoice: Some(invoice),
        ..dispute()
    };
    let about_contact = NewEscalation {
        contact: Some(contact),
        ..dispute()
    };
    let refused = house.desk.raise(other, about_invoice).await.unwrap_err();
    assert!(matches!(refused, RaiseError::NoSuchInvoice), "{refused:?}");
    let refused = house.desk.raise(other, about_contact).await.unwrap_err();
    assert!(matches!(refused, RaiseError::NoSuchContact), "{refused:?}");
    let refused = house.desk.raise(other, dispute()).await.unwrap_err();
    assert!(matches!(refused, RaiseError::NoSuchAccount), "{refused:?}");
    let kept = house.memory.kept();
    assert!(kept.escalations.is_empty() && kept.events.is_empty());
}

#[tokio::test]
async fn it_is_resolved_once_and_told_once() {
    let house = House::new();
    let account = house.scope.id;
    let raised = house.desk.raise(account, dispute()).await.unwrap();
    house.clock.advance(Duration::hours(1));
    let notes = Notes::parse("Sent again.").unwrap();
    let outcome = ResolutionOutcome::InvoiceCorrected;
    let resolved = house.desk.resolve(account, raised.id, outcome, Some(notes));
    let resolved = resolved.await.unwrap();
    assert_eq!(resolved.status(), Status::Resolved);
    assert_eq!(resolved.updated_at, house.clock.now());
    house.clock.advance(Duration::hours(1));
    let again = house
        .desk
        .resolve(account, raised.id, ResolutionOutcome::Paid, None);
    let refused = again.await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the escalation was resolved already, at 2026-11-20T03:09:06.147Z with the outcome invoice_corrected"
    );
    let kept = house.memory.kept();
    assert_eq!(kept.escalations, [resolved]);
    let told: Vec<_> = kept.events.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(told, ["escalation.created", "escalation.resolved"]);
}

#[tokio::test]
async fn another_accounts_escalation_is_neither_read_nor_resolved() {
    let house = House::new();
    let raised = house.desk.raise(house.scope.id, dispute()).await.unwrap();
    let mut other = house.scope.clone();
    other.id = house.another_account();
    let paid = ResolutionOutcome::Paid;
    let refused = house.desk.resolve(other.id, raised.id, paid, None).await;
    assert!(matches!(refused, Err(ResolveError::NotFound)));
    let records = EscalationRecords {
        reads: house.memory.clone(),
    };
    let refused = records.get(&other, raised.id).await;
    assert!(matches!(refused, Err(ReadEscalationError::NotFound)));
    assert_eq!(house.memory.kept().escalations, [raised]);
}

#[tokio::test]
async fn contended_transactions_are_done_again_and_leave_one_event_each() {
    let house = House::new();
    let again = StoreError::TRIES - 1;
    house.memory.contend(again);
    let raised = house.desk.raise(house.scope.id, dispute()).await.unwrap();
    house.memory.contend(again);
    let paid = ResolutionOutcome::Paid;
    let resolved = house.desk.resolve(house.scope.id, raised.id, paid, None);
    resolved.await.unwrap();
    assert_eq!(house.memory.kept().events.len(), 2);
    house.memory.contend(StoreError::TRIES);
    let refused = house.desk.raise(house.scope.id, dispute()).await;
    assert!(matches!(refused, Err(RaiseError::Store(error)) if error.is_contended()));
    let kept = house.memory.kept();
    assert_eq!((kept.escalations.len(), kept.events.len()), (1, 2));
}
