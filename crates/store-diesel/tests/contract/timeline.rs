//! The history of an invoice.

use std::sync::Arc;

use communications::{
    CONTACT_ERASED, Decision, INVOICE_CANCELLED, NewDecision, SkipReason, StepDecision, StepKey,
};
use escalations::{Channel, EscalationService, EscalationType, NewEscalation, ResolutionOutcome, Statement};
use invoices::{Invoice, InvoiceInput, LedgerTask, NotSent, PageView, TimelineKind, Timelines};
use kernel::{AccountScope, Clock as _, Field, FieldErrors};
use mail::MailTask;
use outbox::{NewJob, NotDone, Outcome, Task as _};
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{
    IDS, NOW, fresh, id, input, invoice, invoicing, line, store_invoices, stored_contact, tenant,
};
use crate::jobs::{job_of, lease, lease_kind, queue_job};

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
        let sent = invoicing.amend(&scope, made.id, None, send, FieldErrors::default()).await.unwrap();
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
        store.payment_page_history.record_view(&view).await.unwrap();
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
            kind: MailTask::KIND,
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
            TimelineKind::MailQueued { queued_at: NOW },
            TimelineKind::PageViewed,
            TimelineKind::Reminded { channel: "email".to_owned(), days: -3 },
            TimelineKind::Reminded { channel: "sms".to_owned(), days: 7 },
            TimelineKind::EscalationRaised { escalation_type: "dispute".to_owned() },
            TimelineKind::EscalationResolved { outcome: "no_action".to_owned() },
        ] {
            assert!(has(&kind), "{kind:?} in {entries:?}");
        }
        assert_eq!(entries.len(), 7);
        assert_eq!(entries[0].kind, TimelineKind::Created, "before what was queued with it");
        assert!(store.timelines.timeline(other.id, made.id).await.unwrap().is_empty());
    });
}

#[test]
fn mail_that_was_given_up_says_whether_anything_failed() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let not_sent = |reason| TimelineKind::MailNotSent { queued_at: NOW, reason };
        for (reason, expected) in [
            (INVOICE_CANCELLED, not_sent(NotSent::InvoiceCancelled)),
            (NotDone::HELD, not_sent(NotSent::SwitchedOff)),
            (CONTACT_ERASED, not_sent(NotSent::ContactErased)),
            ("550 no such mailbox", TimelineKind::MailGivenUp { queued_at: NOW }),
        ] {
            let made = invoice(&scope, &format!("T-{}", fresh()), None, input(1));
            store_invoices(store, scope.id, std::slice::from_ref(&made)).await;
            let job = job_of(scope.id);
            queue_job(store, NewJob { resource_id: Some(made.id.uuid()), queued_at: NOW, ..job }).await;
            let leased = lease(store, NOW, 10).await;
            let given_up = Outcome::GivenUp { at: NOW, reason: reason.to_owned() };
            store.jobs.record(leased[0].lease, &given_up).await.unwrap();
            assert_eq!(kinds(store, &made).await, [expected]);
        }
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
        let cancelled_at = invoicing.cancel(&scope, made.id, None).await.unwrap().updated_at;
        clock.advance(Duration::HOUR);
        let replaced = invoicing.replace_pay_link(&scope, made.id, None).await.unwrap();
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

#[test]
fn jobs_of_the_ledger_are_listed_as_what_they_did_there() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let clock = FixedClock::default();
        let invoicing = invoicing(store, clock.clone());
        for (is_refused, voided) in [(false, TimelineKind::Voided), (true, TimelineKind::VoidGivenUp)] {
            let made = pushed(store, &scope, clock.now()).await;
            assert_eq!(kinds(store, &made).await, [TimelineKind::LedgerQueued]);
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let mut entered = tx.invoices().lock(made.id).await.unwrap().unwrap();
            entered.enter_in_ledger(line(&format!("xero-{is_refused}")), clock.now());
            tx.invoices().update(&entered, false).await.unwrap();
            tx.commit().await.unwrap();
            end_job(store, Outcome::Done { at: clock.now() }).await;
            clock.advance(Duration::MINUTE);
            invoicing.cancel(&scope, made.id, None).await.unwrap();
            clock.advance(Duration::MINUTE);
            let at = clock.now();
            let before = [TimelineKind::LedgerEntered, TimelineKind::Cancelled];
            assert_eq!(kinds(store, &made).await, [&before[..], &[TimelineKind::VoidQueued]].concat());
            let refused = Outcome::GivenUp { at, reason: "it has payments".to_owned() };
            end_job(store, if is_refused { refused } else { Outcome::Done { at } }).await;
            assert_eq!(kinds(store, &made).await, [&before[..], &[voided]].concat());
        }
        let never_entered = pushed(store, &scope, clock.now()).await;
        clock.advance(Duration::MINUTE);
        invoicing.cancel(&scope, never_entered.id, None).await.unwrap();
        end_job(store, Outcome::Done { at: clock.now() }).await;
        assert_eq!(kinds(store, &never_entered).await, [TimelineKind::Cancelled]);
    });
}

/// An invoice whose entry in the ledger is queued.
async fn pushed(store: &Store, scope: &AccountScope, now: OffsetDateTime) -> Invoice {
    let made = invoice(scope, &format!("T-{}", fresh()), None, input(1));
    store_invoices(store, scope.id, std::slice::from_ref(&made)).await;
    queue_job(store, LedgerTask::push(made.id).into_job(&made, &*IDS, now)).await;
    made
}

/// Records the outcome of the job of the ledger that waits.
async fn end_job(store: &Store, outcome: Outcome) {
    let now = NOW + Duration::DAY;
    let leased = lease_kind(&*store.jobs, LedgerTask::KIND, now, 10).await;
    assert_eq!(leased.len(), 1);
    store.jobs.record(leased[0].lease, &outcome).await.unwrap();
}

/// What is stored of an invoice's history, oldest first.
async fn kinds(store: &Store, invoice: &Invoice) -> Vec<TimelineKind> {
    let entries = store.timelines.timeline(invoice.account, invoice.id).await.unwrap();
    entries.into_iter().rev().map(|entry| entry.kind).collect()
}
