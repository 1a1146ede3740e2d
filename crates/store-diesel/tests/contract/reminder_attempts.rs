//! How reminders with a late or unknown outcome are counted, and attempts after them.

use std::sync::Arc;

use communications::{
    Address, Automatic, Bounce, Channel, CloseReason, Decision, HoldReason, InboundMail, InboundService,
    Incoming, MailReader, Message, MessageData, MessagePurpose, MessageState, ReminderPolicy,
    ReminderService, ReminderTask, ReminderWorker, SkipReason, SmsReceipt, Step, StepDecision, StepKey,
};
use contacts::Contact;
use invoices::{Invoice, InvoiceId};
use kernel::{AccountId, AccountScope, PublicUrls};
use outbox::{JobHandler as _, Lease, Leased, NotDone};
use serde_json::json;
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{
    IDS, NOW, id, inbound, input, job_context, reminders, stored_contact, stored_invoice, tenant,
    unused_mailer,
};

/// A reminder that was queued days ago, with an attempt that began at an instant.
pub(crate) fn reminder(
    account: AccountId,
    contact: &Contact,
    state: MessageState,
    began_at: Option<OffsetDateTime>,
) -> Message {
    let way = (Channel::Email, Address::from(contact.email.as_ref().unwrap()));
    let written_at = NOW - Duration::days(4);
    let data = MessageData::outgoing(id(), account, MessagePurpose::Reminder, way, written_at);
    Message::new(MessageData { contact: Some(contact.id), state, began_at, ..data })
}

async fn insert(store: &Store, message: &Message, invoices: &[InvoiceId]) {
    let mut tx = store.communications.begin(message.account).await.unwrap();
    tx.messages().insert(message, invoices).await.unwrap();
    tx.commit().await.unwrap();
}

/// A text message that reminds a contact.
fn text_message(account: AccountId, contact: &Contact, began_at: Option<OffsetDateTime>) -> Message {
    let way = (Channel::Sms, Address::parse(Channel::Sms, "+491701234567").unwrap());
    let data = MessageData::outgoing(id(), account, MessagePurpose::Reminder, way, NOW);
    Message::new(MessageData { contact: Some(contact.id), began_at, ..data })
}

fn receipt(message: &Message, state: MessageState) -> SmsReceipt {
    SmsReceipt {
        account: message.account,
        message: message.id,
        provider_id: "SM1".to_owned(),
        state,
        detail: None,
        opted_out: false,
    }
}

/// A new contact and its unpaid invoice.
pub(crate) async fn owing(store: &Store, scope: &AccountScope) -> (Contact, Invoice) {
    let contact = stored_contact(store, scope.id).await;
    let number = format!("INV-{}", contact.id);
    let unpaid = stored_invoice(store, scope, &number, Some(contact.clone()), input(1)).await;
    (contact, unpaid)
}

/// The decision to send a step of the invoice a day after its due date, which is due now.
pub(crate) fn to_send(unpaid: &Invoice, channel: Channel) -> StepDecision {
    let key = StepKey { days: 1, channel };
    StepDecision { invoice: unpaid.id, key, due_at: NOW, decision: Decision::Send }
}

/// Stores a message and the step that it was written for.
pub(crate) async fn store_reminder(
    store: &Store,
    message: &Message,
    step: StepDecision,
    policy: Option<ReminderPolicy>,
) {
    insert(store, message, &[step.invoice]).await;
    let mut tx = store.communications.begin(message.account).await.unwrap();
    if let Some(policy) = policy {
        tx.reminders().put_policy(&policy).await.unwrap();
    }
    let contact = message.contact.unwrap();
    tx.reminders().record(contact, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
    tx.commit().await.unwrap();
}

/// The message as it is stored now.
pub(crate) async fn stored(store: &Store, message: &Message) -> Message {
    store.communications_reads.message(message.account, message.id).await.unwrap().unwrap()
}

/// The decisions about an invoice, the latest first.
async fn decisions(store: &Store, unpaid: &Invoice) -> Vec<Decision> {
    let decided = store.reminder_reads.decided(unpaid.account, unpaid.id).await.unwrap();
    decided.iter().map(|one| one.step.decision).collect()
}

#[test]
fn reminder_counts_from_when_it_went_out_and_where_it_may_have_gone_out() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let counted = async |state: MessageState, began_at: Option<OffsetDateTime>| {
            let contact = stored_contact(store, scope.id).await;
            insert(store, &reminder(scope.id, &contact, state, began_at), &[]).await;
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let (_, facts) = tx.reminders().lock(contact.id, None, NOW).await.unwrap().unwrap();
            assert_eq!(facts.contact.written_at, facts.contact.reminded_at);
            facts.contact.reminded_at
        };
        let late = NOW - Duration::HOUR;
        assert_eq!(counted(MessageState::Sent, Some(late)).await, [late], "it waited for days");
        assert_eq!(counted(MessageState::Queued, None).await, [NOW - Duration::days(4)]);
        assert_eq!(counted(MessageState::Failed, Some(late)).await, [late], "it may have been taken");
        assert!(counted(MessageState::Failed, None).await.is_empty(), "it was refused");
    });
}

pub(crate) fn worker(store: &Store) -> ReminderWorker {
    ReminderWorker {
        jobs: job_context(store),
        service: reminders(store),
        mail: unused_mailer(),
        sms: None,
        urls: PublicUrls::new("https://books.example.com"),
    }
}

/// The reminders of the account are stopped, so no permit is given.
#[test]
fn mail_that_may_have_been_taken_is_not_brought_by_another_message() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        for (began_at, state, decision) in [
            (Some(NOW - Duration::HOUR), MessageState::Failed, Some(Decision::Skip(SkipReason::Failed))),
            (None, MessageState::Dropped, None),
        ] {
            let (contact, unpaid) = owing(store, &scope).await;
            let message = reminder(scope.id, &contact, MessageState::Queued, began_at);
            let step = to_send(&unpaid, Channel::Email);
            store_reminder(store, &message, step, Some(ReminderPolicy::initial())).await;

            worker(store).handle(&leased(&message)).await.unwrap();
            let kept = stored(store, &message).await;
            assert_eq!(kept.state, state, "{:?}", kept.detail);
            let latest = decisions(store, &unpaid).await[0];
            assert_eq!(Some(latest).filter(|latest| latest.is_final()), decision);
        }
    });
}

/// The provider took the message, and its answer was lost.
#[test]
fn receipt_of_a_text_message_that_is_still_queued_decides_its_steps() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        for (state, decision) in [
            (MessageState::Delivered, Decision::Sent),
            (MessageState::Failed, Decision::Skip(SkipReason::Failed)),
        ] {
            let (contact, unpaid) = owing(store, &scope).await;
            let message = text_message(scope.id, &contact, None);
            store_reminder(store, &message, to_send(&unpaid, Channel::Sms), None).await;

            for _ in 0..2 {
                inbound(store).note_receipt(&receipt(&message, state)).await.unwrap();
                worker(store).handle(&leased(&message)).await.unwrap();
            }
            assert_eq!(stored(store, &message).await.state, state);
            assert_eq!(decisions(store, &unpaid).await, [decision, Decision::Send]);
        }
    });
}

/// The provider took the message, and its answer came too late or not at all.
#[test]
fn receipt_of_a_text_message_that_failed_for_want_of_an_answer_decides_its_steps() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (contact, unpaid) = owing(store, &scope).await;
        let message = text_message(scope.id, &contact, Some(NOW));
        store_reminder(store, &message, to_send(&unpaid, Channel::Sms), None).await;
        worker(store).handle(&leased(&message)).await.unwrap();

        for state in [MessageState::Sent, MessageState::Delivered] {
            let clock = Arc::new(FixedClock::at(NOW + Duration::SECOND));
            let service = InboundService { clock, ..inbound(store) };
            service.note_receipt(&receipt(&message, state)).await.unwrap();
            let kept = stored(store, &message).await;
            assert_eq!((kept.state, &kept.detail), (state, &None));
            let expected = [Decision::Sent, Decision::Skip(SkipReason::Failed), Decision::Send];
            assert_eq!(decisions(store, &unpaid).await, expected);
        }
    });
}

/// Reads each mail as the report that a mail was not delivered.
struct Returned(Bounce);

impl MailReader for Returned {
    fn read(&self, _: &[u8]) -> Option<InboundMail> {
        let (automatic, bounce) = (Some(Automatic::Bounce), Some(self.0.clone()));
        Some(InboundMail { automatic, bounce, ..InboundMail::default() })
    }
}

/// The process ended after the mail was sent, and before it recorded that.
#[test]
fn bounce_of_a_mail_that_is_still_queued_decides_its_steps() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (contact, unpaid) = owing(store, &scope).await;
        let way = (Channel::Email, Address::from(contact.email.as_ref().unwrap()));
        let data = MessageData::outgoing(id(), scope.id, MessagePurpose::Reminder, way, NOW);
        let internet_id = Some(format!("{}@books.example.com", data.id));
        let message = Message::new(MessageData { contact: Some(contact.id), internet_id, ..data });
        store_reminder(store, &message, to_send(&unpaid, Channel::Email), None).await;

        let bounce = Bounce {
            recipients: vec![(message.address.as_str().to_owned(), "5.1.1".to_owned())],
            hard: true,
            returned_ids: message.internet_id.clone().into_iter().collect(),
        };
        let service = InboundService { mail: Arc::new(Returned(bounce)), ..inbound(store) };
        let report = service.receive(Incoming::Mail(message.id.to_string().into_bytes())).await.unwrap();
        service.handle(report).await.unwrap();
        assert_eq!(stored(store, &message).await.state, MessageState::Failed);
        assert_eq!(decisions(store, &unpaid).await, [Decision::Skip(SkipReason::Failed), Decision::Send]);
    });
}

#[test]
fn number_that_opted_out_at_the_provider_is_closed_in_the_account_of_the_message() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let number = Address::parse(Channel::Sms, "+491701234567").unwrap();
        let way = (Channel::Sms, number.clone());
        let data = MessageData::outgoing(id(), scope.id, MessagePurpose::Answer, way, NOW);
        let message = Message::new(MessageData { contact: Some(contact.id), ..data });
        insert(store, &message, &[]).await;
        let receipt = SmsReceipt {
            detail: Some("Twilio's error 21610".to_owned()),
            opted_out: true,
            ..receipt(&message, MessageState::Failed)
        };
        for _ in 0..2 {
            inbound(store).note_receipt(&receipt).await.unwrap();
        }
        let holds = store.communications_reads.address_holds(scope.id, Channel::Sms, &number).await.unwrap();
        let [hold] = &holds[..] else { panic!("{holds:?}") };
        assert_eq!((hold.reason, hold.evidence.as_str()), (CloseReason::OptedOut, "Twilio's error 21610"));
    });
}

/// The step was decided for `due_at`; by its due date, the invoice is due on another day.
#[test]
fn reminder_that_was_queued_for_an_earlier_due_date_is_dropped() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (contact, unpaid) = owing(store, &scope).await;
        let due_at = unpaid.due_date.midnight().assume_utc() - Duration::days(3);
        let step = StepDecision { due_at, ..to_send(&unpaid, Channel::Email) };
        let message = reminder(scope.id, &contact, MessageState::Queued, None);
        let policy = ReminderPolicy {
            started_at: Some(NOW),
            started_on: Some(NOW.date()),
            ..ReminderPolicy::initial()
        };
        store_reminder(store, &message, step, Some(policy)).await;

        worker(store).handle(&leased(&message)).await.unwrap();
        let kept = stored(store, &message).await;
        assert_eq!((kept.state, kept.detail.as_deref()), (MessageState::Dropped, Some("nothing_due")));
        let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
        let held = StepDecision { decision: Decision::Hold(HoldReason::NothingDue), ..step };
        assert_eq!(decided[0].step, held);
    });
}

#[test]
fn reminder_that_waits_is_dropped_if_a_later_step_is_due_or_its_step_was_removed_or_added_again() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (first, second) = (Step::new(1, Channel::Email), Step::new(7, Channel::Email));
        let due = owing(store, &scope).await.1.due_date.midnight().assume_utc();
        let noon = |days_late| due + Duration::days(days_late) + Duration::hours(12);
        let added = |step, days_late| Step { added_at: Some(noon(days_late)), ..step };
        for (days_late, steps, expected) in [
            (6, vec![first, second], Decision::Hold(HoldReason::RecentlyMailed)),
            (8, vec![first, second], Decision::Skip(SkipReason::Collapsed)),
            (8, vec![first, added(second, 8)], Decision::Hold(HoldReason::RecentlyMailed)),
            (6, vec![second], Decision::Hold(HoldReason::NothingDue)),
            (6, vec![added(first, 6), second], Decision::Skip(SkipReason::AddedLater)),
        ] {
            let (contact, unpaid) = owing(store, &scope).await;
            let due_at = due + Duration::DAY + Duration::hours(9);
            let step = StepDecision { due_at, ..to_send(&unpaid, Channel::Email) };
            let message = reminder(scope.id, &contact, MessageState::Queued, None);
            let now = noon(days_late);
            let earlier = reminder(scope.id, &contact, MessageState::Sent, Some(now - Duration::HOUR));
            insert(store, &earlier, &[]).await;
            let policy = ReminderPolicy {
                steps,
                started_at: Some(NOW),
                started_on: Some(NOW.date()),
                ..ReminderPolicy::initial()
            };
            store_reminder(store, &message, step, Some(policy)).await;

            let service = ReminderService { clock: Arc::new(FixedClock::at(now)), ..reminders(store) };
            let worker = ReminderWorker { service, ..worker(store) };
            worker.handle(&leased(&message)).await.unwrap();
            let kept = stored(store, &message).await;
            assert_eq!((kept.state, kept.detail.as_deref()), (MessageState::Dropped, expected.reason()));
            assert_eq!(decisions(store, &unpaid).await[0], expected);
        }
    });
}

#[test]
fn attempt_that_begins_too_late_sends_nothing_and_is_taken_back() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (contact, unpaid) = owing(store, &scope).await;
        let due = unpaid.due_date.midnight().assume_utc();
        let due_at = due + Duration::DAY + Duration::hours(9);
        let step = StepDecision { due_at, ..to_send(&unpaid, Channel::Email) };
        let message = reminder(scope.id, &contact, MessageState::Queued, None);
        let steps = vec![Step::new(1, Channel::Email)];
        let policy = ReminderPolicy {
            steps,
            started_at: Some(NOW),
            started_on: Some(NOW.date()),
            ..ReminderPolicy::initial()
        };
        store_reminder(store, &message, step, Some(policy)).await;
        let now = due + Duration::DAY + Duration::hours(12);
        let service = ReminderService { clock: Arc::new(FixedClock::at(now)), ..reminders(store) };
        let worker = ReminderWorker { service, ..worker(store) };
        let ended = worker.handle(&leased(&message)).await;
        assert!(matches!(ended, Err(NotDone::LeaseEnded)), "{ended:?}");
        let kept = stored(store, &message).await;
        assert_eq!((kept.state, kept.began_at), (MessageState::Queued, None));
    });
}

pub(crate) fn leased(message: &Message) -> Leased<ReminderTask> {
    Leased {
        lease: Lease { account: message.account, id: id(), attempt: 2, ends_at: NOW },
        queued_at: NOW - Duration::HOUR,
        letterhead: None,
        payload: serde_json::from_value(json!({ "message": message.id.uuid() })).unwrap(),
    }
}
