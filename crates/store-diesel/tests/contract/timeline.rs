//! The history of an invoice.

use std::sync::Arc;

use communications::{Decision, NewDecision, SkipReason, StepDecision, StepKey};
use escalations::{Channel, EscalationService, EscalationType, NewEscalation, ResolutionOutcome, Statement};
use invoices::{InvoiceInput, PageView, TimelineKind, Timelines};
use kernel::{Field, FieldErrors};
use mail::MailJob;
use outbox::NewJob;
use testkit::FixedClock;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{IDS, NOW, id, input, invoice, invoicing, store_invoices, stored_contact, tenant};

#[test]
fn mail_reminders_and_escalations_of_the_invoice_are_on_its_timeline() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        let made = invoice(&scope, "T-1", Some(contact.clone()), input(1));
        store_invoices(store, scope.id, std::slice::from_ref(&made)).await;
        let invoicing = invoicing(store, FixedClock::default());
        let send = InvoiceInput { send_invoice: Field::Value(true), ..InvoiceInput::default() };
        let sent = invoicing.amend(&scope, made.id, send, FieldErrors::default()).await.unwrap();
        let escalations = EscalationService {
            store: store.escalations.clone(),
            invoices: store.invoice_reads.clone(),
            contacts: store.contact_reads.clone(),
            clock: Arc::new(FixedClock::default()),
            ids: Arc::new(kernel::SystemIds::default()),
            urls: kernel::PublicUrls::new("https://books.example"),
        };
        let about = NewEscalation {
            escalation_type: EscalationType::Dispute,
            channel: Channel::Email,
            statement: Statement::parse("It is not mine").unwrap(),
            invoice: Some(made.id),
            contact: None,
        };
        let raised = escalations.raise(scope.id, about).await.unwrap();
        escalations.resolve(scope.id, raised.id, ResolutionOutcome::NoAction, None).await.unwrap();

        let timelines =
            Timelines { reads: store.timelines.clone(), history: store.payment_page_history.clone() };
        let view = PageView { account: scope.id, invoice: made.id, day: NOW.date(), first_at: NOW };
        store.payment_page_history.keep_view(&view).await.unwrap();
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let step = |days, channel, decision| NewDecision {
            contact: contact.id,
            step: StepDecision { invoice: made.id, key: StepKey { days, channel }, due_at: NOW, decision },
            message: None,
        };
        let decided = [
            step(-3, Channel::Email, Decision::Sent),
            step(7, Channel::Sms, Decision::Sent),
            step(14, Channel::Email, Decision::Send),
            step(21, Channel::Email, Decision::Skip(SkipReason::Failed)),
        ];
        tx.reminders().record_all(&decided, NOW, &*IDS).await.unwrap();
        let to_the_owner = NewJob {
            id: id(),
            account: scope.id,
            kind: MailJob::KIND,
            resource_id: Some(made.id.uuid()),
            to_customer: false,
            payload: "{}".to_owned(),
            queued_at: NOW + Duration::HOUR,
        };
        tx.jobs().queue(to_the_owner).await.unwrap();
        tx.commit().await.unwrap();
        let entries = timelines.of(&scope, &sent).await.unwrap();
        let has = |kind: &TimelineKind| entries.iter().any(|entry| entry.kind == *kind && entry.at == NOW);
        for kind in [
            TimelineKind::Created,
            TimelineKind::MailQueued,
            TimelineKind::PageViewed,
            TimelineKind::Reminded { channel: "email".to_owned(), days: -3 },
            TimelineKind::Reminded { channel: "sms".to_owned(), days: 7 },
            TimelineKind::EscalationRaised { escalation_type: "dispute".to_owned() },
            TimelineKind::EscalationResolved { outcome: "no_action".to_owned() },
        ] {
            assert!(has(&kind), "{kind:?} in {entries:?}");
        }
        assert_eq!(entries.len(), 7);
        assert!(store.timelines.timeline(other.id, made.id).await.unwrap().is_empty());
    });
}

#[test]
fn cancellation_keeps_its_time_when_the_payment_link_is_replaced_later() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let made = invoice(&scope, "T-1", None, input(1));
        store_invoices(store, scope.id, std::slice::from_ref(&made)).await;
        let clock = FixedClock::default();
        let invoicing = invoicing(store, clock.clone());
        clock.advance(Duration::MINUTE);
        let cancelled_at = invoicing.cancel(&scope, made.id).await.unwrap().updated_at;
        clock.advance(Duration::HOUR);
        let replaced = invoicing.replace_pay_link(&scope, made.id).await.unwrap();
        let timelines =
            Timelines { reads: store.timelines.clone(), history: store.payment_page_history.clone() };
        let entries = timelines.of(&scope, &replaced).await.unwrap();
        let entries: Vec<_> = entries.into_iter().map(|entry| (entry.kind, entry.at)).collect();
        let expected = [
            (TimelineKind::Created, made.created_at),
            (TimelineKind::Cancelled, cancelled_at),
            (TimelineKind::PayLinkReplaced, replaced.updated_at),
        ];
        assert_eq!(entries, expected);
    });
}
