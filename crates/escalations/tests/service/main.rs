//! Raising and resolving through the service, over an in-memory store.
#![expect(clippy::unwrap_used, reason = "a test that is wrong should stop there")]

mod app;
mod memory;

use escalations::{
    Channel, EscalationReader, EscalationStatus, EscalationType, NewEscalation, Notes, RaiseError,
    ResolutionOutcome, ResolveError, Statement,
};
use kernel::{Clock, PageSize, ReadError, StoreError, is_contended};
use mail::{OwnerNotice, SilencedNotices};
use time::Duration;

use crate::app::TestApp;

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
async fn raising_stores_the_escalation_and_its_event_in_one_transaction() {
    let app = TestApp::new();
    let raised = app.service.raise(app.scope.id, dispute()).await.unwrap();
    assert_eq!(raised.status(), EscalationStatus::Open);
    assert_eq!(
        (raised.account, raised.created_at, raised.updated_at),
        (app.scope.id, app.clock.now(), app.clock.now())
    );
    let records = EscalationReader { reads: app.memory.clone() };
    let read = records.get(&app.scope, raised.id).await.unwrap();
    assert_eq!(read, raised);
    let kept = app.memory.kept();
    assert_eq!(kept.events.len(), 1);
    let event = &kept.events[0];
    assert_eq!(
        (event.name.as_str(), event.resource, event.account),
        ("escalation.created", raised.id.uuid(), app.scope.id)
    );
    let url = format!("https://books.example.com/api/v1/escalations/{}", raised.id);
    assert!(event.body.contains(&url));
}

#[tokio::test]
async fn an_escalation_about_an_invoice_is_about_its_contact_unless_another_is_named() {
    let app = TestApp::new();
    let (invoice, contact) = app.invoice();
    let about = NewEscalation { invoice: Some(invoice), ..dispute() };
    let raised = app.service.raise(app.scope.id, about.clone()).await;
    let raised = raised.unwrap();
    assert_eq!((raised.invoice, raised.contact), (Some(invoice), Some(contact)));
    let other = app.contact();
    let named = NewEscalation { contact: Some(other), ..about };
    let raised = app.service.raise(app.scope.id, named).await.unwrap();
    assert_eq!((raised.invoice, raised.contact), (Some(invoice), Some(other)));
    let draft = NewEscalation { invoice: Some(app.draft()), ..dispute() };
    let raised = app.service.raise(app.scope.id, draft).await.unwrap();
    assert!(raised.invoice.is_some() && raised.contact.is_none());
}

#[tokio::test]
async fn unknown_account_invoice_or_contact_is_refused_by_name() {
    let (app, other) = (TestApp::new(), TestApp::new().another_account());
    let (invoice, contact) = app.invoice();
    let about_invoice = NewEscalation { invoice: Some(invoice), ..dispute() };
    let about_contact = NewEscalation { contact: Some(contact), ..dispute() };
    let refused = app.service.raise(other, about_invoice).await.unwrap_err();
    assert!(matches!(refused, RaiseError::InvoiceNotFound), "{refused:?}");
    let refused = app.service.raise(other, about_contact).await.unwrap_err();
    assert!(matches!(refused, RaiseError::ContactNotFound), "{refused:?}");
    let refused = app.service.raise(other, dispute()).await.unwrap_err();
    assert!(matches!(refused, RaiseError::AccountNotFound), "{refused:?}");
    let kept = app.memory.kept();
    assert!(kept.escalations.is_empty() && kept.events.is_empty());
}

#[tokio::test]
async fn an_escalation_is_resolved_once_with_one_event() {
    let app = TestApp::new();
    let account = app.scope.id;
    let raised = app.service.raise(account, dispute()).await.unwrap();
    app.clock.advance(Duration::hours(1));
    let notes = Notes::parse("Sent again.").unwrap();
    let outcome = ResolutionOutcome::InvoiceCorrected;
    let resolved = app.service.resolve(account, raised.id, outcome, Some(notes));
    let resolved = resolved.await.unwrap();
    assert_eq!(resolved.status(), EscalationStatus::Resolved);
    assert_eq!(resolved.updated_at, app.clock.now());
    app.clock.advance(Duration::hours(1));
    let again = app.service.resolve(account, raised.id, ResolutionOutcome::Paid, None);
    let refused = again.await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the escalation was resolved already, at 2026-11-20T03:09:06.147Z with the outcome invoice_corrected"
    );
    let kept = app.memory.kept();
    assert_eq!(kept.escalations, [resolved]);
    let told: Vec<_> = kept.events.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(told, ["escalation.created", "escalation.resolved"]);
}

#[tokio::test]
async fn another_accounts_escalation_is_neither_read_nor_resolved() {
    let app = TestApp::new();
    let raised = app.service.raise(app.scope.id, dispute()).await.unwrap();
    let mut other = app.scope.clone();
    other.id = app.another_account();
    let paid = ResolutionOutcome::Paid;
    let refused = app.service.resolve(other.id, raised.id, paid, None).await;
    assert!(matches!(refused, Err(ResolveError::NotFound)));
    let records = EscalationReader { reads: app.memory.clone() };
    let refused = records.get(&other, raised.id).await;
    assert!(matches!(refused, Err(ReadError::NotFound(_))));
    assert_eq!(app.memory.kept().escalations, [raised]);
}

#[tokio::test]
async fn contended_transactions_are_repeated_and_leave_one_event_each() {
    let app = TestApp::new();
    let again = StoreError::TRIES - 1;
    app.memory.contend(again);
    let raised = app.service.raise(app.scope.id, dispute()).await.unwrap();
    app.memory.contend(again);
    let paid = ResolutionOutcome::Paid;
    let resolved = app.service.resolve(app.scope.id, raised.id, paid, None);
    resolved.await.unwrap();
    assert_eq!(app.memory.kept().events.len(), 2);
    app.memory.contend(StoreError::TRIES);
    let refused = app.service.raise(app.scope.id, dispute()).await;
    assert!(matches!(refused, Err(RaiseError::Store(error)) if is_contended(&error)));
    let kept = app.memory.kept();
    assert_eq!((kept.escalations.len(), kept.events.len()), (1, 2));
}

#[tokio::test]
async fn owner_is_mailed_about_a_new_escalation_unless_that_is_switched_off() {
    let app = TestApp::new();
    let (invoice, _) = app.invoice();
    let about = NewEscalation { invoice: Some(invoice), ..dispute() };
    let raised = app.service.raise(app.scope.id, about).await.unwrap();
    {
        let mut kept = app.memory.kept();
        let [job] = &kept.jobs[..] else { panic!("one mail") };
        assert_eq!((job.kind, job.resource_id, job.to_customer), ("mail", Some(raised.id.uuid()), false));
        for part in ["owner@example.com", "Ada disputes an invoice", "INV-0001", "We never got the tea."] {
            assert!(job.payload.contains(part), "{part} in {}", job.payload);
        }
        assert!(job.payload.contains(&format!("/dashboard/escalations/{}", raised.id)));
        kept.silenced = SilencedNotices::of([OwnerNotice::Escalations]);
    }
    app.service.raise(app.scope.id, dispute()).await.unwrap();
    app.service.resolve(app.scope.id, raised.id, ResolutionOutcome::Paid, None).await.unwrap();
    assert_eq!(app.memory.kept().jobs.len(), 1);
}

#[tokio::test]
async fn open_escalations_are_listed_before_resolved_ones_page_by_page() {
    let app = TestApp::new();
    let mut raised = Vec::new();
    for n in 0..7 {
        let one = app.service.raise(app.scope.id, dispute()).await.unwrap();
        if n % 2 == 0 {
            app.service.resolve(app.scope.id, one.id, ResolutionOutcome::Paid, None).await.unwrap();
        }
        raised.push(one.id);
    }
    let reader = EscalationReader { reads: app.memory.clone() };
    let (size, mut seen, mut after) = (PageSize::of(2).unwrap(), Vec::new(), None);
    loop {
        let page = reader.list(&app.scope, size, after).await.unwrap();
        seen.extend(page.items.iter().map(|one| one.id));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    let wanted: Vec<_> = [5, 3, 1, 6, 4, 2, 0].into_iter().map(|n: usize| raised[n]).collect();
    assert_eq!(seen, wanted);
    // A page with all remaining items is the last one.
    let all = reader.list(&app.scope, PageSize::of(7).unwrap(), None).await.unwrap();
    assert_eq!((all.items.len(), all.next), (7, None));
}
