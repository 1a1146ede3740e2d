//! How reminders with a late or unknown outcome are counted, and attempts after them.

use std::sync::Arc;

use communications::{
    Address, Automatic, Bounce, Channel, CloseReason, Decision, HoldReason, InboundMail, InboundService,
    Incoming, MailReader, Message, MessageData, MessageId, MessagePurpose, MessageState, ReminderPolicy,
    ReminderService, ReminderTask, ReminderWorker, SkipReason, SmsReceipt, Step, StepDecision, StepKey,
};
use contacts::Contact;
use invoices::InvoiceId;
use kernel::{AccountId, PublicUrls};
use outbox::{JobHandler as _, Lease, Leased};
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
fn reminder(
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

fn worker(store: &Store) -> ReminderWorker {
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
            let contact = stored_contact(store, scope.id).await;
            let number = format!("INV-{}", contact.id);
            let unpaid = stored_invoice(store, &scope, &number, Some(contact.clone()), input(1)).await;
            let message = reminder(scope.id, &contact, MessageState::Queued, began_at);
            insert(store, &message, &[unpaid.id]).await;
            let key = StepKey { days: 1, channel: Channel::Email };
            let step = StepDecision { invoice: unpaid.id, key, due_at: NOW, decision: Decision::Send };
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            tx.reminders().put_policy(&ReminderPolicy::initial()).await.unwrap();
            tx.reminders().record(contact.id, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
            tx.commit().await.unwrap();

            worker(store).handle(&leased(scope.id, message.id)).await.unwrap();
            let kept = store.communications_reads.message(scope.id, message.id).await.unwrap().unwrap();
            assert_eq!(kept.state, state, "{:?}", kept.detail);
            let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
            let is_final = decided[0].step.decision.is_final();
            assert_eq!(is_final.then_some(decided[0].step.decision), decision);
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
            let contact = stored_contact(store, scope.id).await;
            let number = format!("INV-{}", contact.id);
            let unpaid = stored_invoice(store, &scope, &number, Some(contact.clone()), input(1)).await;
            let way = (Channel::Sms, Address::parse(Channel::Sms, "+491701234567").unwrap());
            let data = MessageData::outgoing(id(), scope.id, MessagePurpose::Reminder, way, NOW);
            let message = Message::new(MessageData { contact: Some(contact.id), ..data });
            insert(store, &message, &[unpaid.id]).await;
            let key = StepKey { days: 1, channel: Channel::Sms };
            let step = StepDecision { invoice: unpaid.id, key, due_at: NOW, decision: Decision::Send };
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            tx.reminders().record(contact.id, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
            tx.commit().await.unwrap();

            let receipt = SmsReceipt {
                account: scope.id,
                message: message.id,
                provider_id: "SM1".to_owned(),
                state,
                detail: None,
                opted_out: false,
            };
            for _ in 0..2 {
                inbound(store).note_receipt(&receipt).await.unwrap();
                worker(store).handle(&leased(scope.id, message.id)).await.unwrap();
            }
            let kept = store.communications_reads.message(scope.id, message.id).await.unwrap().unwrap();
            assert_eq!(kept.state, state);
            let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
            let decisions: Vec<Decision> = decided.iter().map(|one| one.step.decision).collect();
            assert_eq!(decisions, [decision, Decision::Send]);
        }
    });
}

/// The provider took the message, and its answer came too late or not at all.
#[test]
fn receipt_of_a_text_message_that_failed_for_want_of_an_answer_decides_its_steps() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let unpaid = stored_invoice(store, &scope, "INV-0001", Some(contact.clone()), input(1)).await;
        let way = (Channel::Sms, Address::parse(Channel::Sms, "+491701234567").unwrap());
        let data = MessageData::outgoing(id(), scope.id, MessagePurpose::Reminder, way, NOW);
        let message =
            Message::new(MessageData { contact: Some(contact.id), began_at: Some(NOW), ..data.clone() });
        insert(store, &message, &[unpaid.id]).await;
        let key = StepKey { days: 1, channel: Channel::Sms };
        let step = StepDecision { invoice: unpaid.id, key, due_at: NOW, decision: Decision::Send };
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        tx.reminders().record(contact.id, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
        tx.commit().await.unwrap();
        worker(store).handle(&leased(scope.id, message.id)).await.unwrap();

        for state in [MessageState::Sent, MessageState::Delivered] {
            let receipt = SmsReceipt {
                account: scope.id,
                message: message.id,
                provider_id: "SM1".to_owned(),
                state,
                detail: None,
                opted_out: false,
            };
            let clock = Arc::new(FixedClock::at(NOW + Duration::SECOND));
            InboundService { clock, ..inbound(store) }.note_receipt(&receipt).await.unwrap();
            let kept = store.communications_reads.message(scope.id, message.id).await.unwrap().unwrap();
            assert_eq!((kept.state, &kept.detail), (state, &None));
            let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
            let decisions: Vec<Decision> = decided.iter().map(|one| one.step.decision).collect();
            assert_eq!(decisions, [Decision::Sent, Decision::Skip(SkipReason::Failed), Decision::Send]);
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
        let contact = stored_contact(store, scope.id).await;
        let unpaid = stored_invoice(store, &scope, "INV-0001", Some(contact.clone()), input(1)).await;
        let way = (Channel::Email, Address::from(contact.email.as_ref().unwrap()));
        let data = MessageData::outgoing(id(), scope.id, MessagePurpose::Reminder, way, NOW);
        let internet_id = Some(format!("{}@books.example.com", data.id));
        let message = Message::new(MessageData { contact: Some(contact.id), internet_id, ..data });
        insert(store, &message, &[unpaid.id]).await;
        let key = StepKey { days: 1, channel: Channel::Email };
        let step = StepDecision { invoice: unpaid.id, key, due_at: NOW, decision: Decision::Send };
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        tx.reminders().record(contact.id, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
        tx.commit().await.unwrap();

        let bounce = Bounce {
            recipients: vec![message.address.as_str().to_owned()],
            status: "5.1.1".to_owned(),
            hard: true,
            returned_ids: message.internet_id.clone().into_iter().collect(),
        };
        let service = InboundService { mail: Arc::new(Returned(bounce)), ..inbound(store) };
        let report = service.receive(Incoming::Mail(message.id.to_string().into_bytes())).await.unwrap();
        service.handle(report).await.unwrap();
        let kept = store.communications_reads.message(scope.id, message.id).await.unwrap().unwrap();
        assert_eq!(kept.state, MessageState::Failed);
        let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
        let decisions: Vec<Decision> = decided.iter().map(|one| one.step.decision).collect();
        assert_eq!(decisions, [Decision::Skip(SkipReason::Failed), Decision::Send]);
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
            account: scope.id,
            message: message.id,
            provider_id: "SM1".to_owned(),
            state: MessageState::Failed,
            detail: Some("Twilio's error 21610".to_owned()),
            opted_out: true,
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
        let contact = stored_contact(store, scope.id).await;
        let unpaid = stored_invoice(store, &scope, "INV-0001", Some(contact.clone()), input(1)).await;
        let key = StepKey { days: 1, channel: Channel::Email };
        let due_at = unpaid.due_date.midnight().assume_utc() - Duration::days(3);
        let step = StepDecision { invoice: unpaid.id, key, due_at, decision: Decision::Send };
        let message = reminder(scope.id, &contact, MessageState::Queued, None);
        insert(store, &message, &[unpaid.id]).await;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let policy = ReminderPolicy { started_at: Some(NOW), ..ReminderPolicy::initial() };
        tx.reminders().put_policy(&policy).await.unwrap();
        tx.reminders().record(contact.id, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
        tx.commit().await.unwrap();

        worker(store).handle(&leased(scope.id, message.id)).await.unwrap();
        let kept = store.communications_reads.message(scope.id, message.id).await.unwrap().unwrap();
        assert_eq!((kept.state, kept.detail.as_deref()), (MessageState::Dropped, Some("nothing_due")));
        let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
        let held = StepDecision { decision: Decision::Hold(HoldReason::NothingDue), ..step };
        assert_eq!(decided[0].step, held);
    });
}

#[test]
fn reminder_that_waits_is_dropped_if_a_later_step_is_due_or_its_step_was_removed() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (first, second) = (Step::new(1, Channel::Email), Step::new(7, Channel::Email));
        for (days_late, steps, expected) in [
            (6, vec![first, second], Decision::Hold(HoldReason::RecentlyMailed)),
            (8, vec![first, second], Decision::Skip(SkipReason::Collapsed)),
            (6, vec![second], Decision::Hold(HoldReason::NothingDue)),
        ] {
            let contact = stored_contact(store, scope.id).await;
            let number = format!("INV-{}", contact.id);
            let unpaid = stored_invoice(store, &scope, &number, Some(contact.clone()), input(1)).await;
            let due_at = unpaid.due_date.midnight().assume_utc() + Duration::DAY + Duration::hours(9);
            let step = StepDecision { invoice: unpaid.id, key: first.key, due_at, decision: Decision::Send };
            let message = reminder(scope.id, &contact, MessageState::Queued, None);
            insert(store, &message, &[unpaid.id]).await;
            let noon =
                unpaid.due_date.midnight().assume_utc() + Duration::days(days_late) + Duration::hours(12);
            let earlier = reminder(scope.id, &contact, MessageState::Sent, Some(noon - Duration::HOUR));
            insert(store, &earlier, &[]).await;
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let policy = ReminderPolicy { steps, started_at: Some(NOW), ..ReminderPolicy::initial() };
            tx.reminders().put_policy(&policy).await.unwrap();
            tx.reminders().record(contact.id, &[step], Some(message.id), NOW, &*IDS).await.unwrap();
            tx.commit().await.unwrap();

            let service = ReminderService { clock: Arc::new(FixedClock::at(noon)), ..reminders(store) };
            let worker = ReminderWorker { service, ..worker(store) };
            worker.handle(&leased(scope.id, message.id)).await.unwrap();
            let kept = store.communications_reads.message(scope.id, message.id).await.unwrap().unwrap();
            assert_eq!((kept.state, kept.detail.as_deref()), (MessageState::Dropped, expected.reason()));
            let decided = store.reminder_reads.decided(scope.id, unpaid.id).await.unwrap();
            assert_eq!(decided[0].step.decision, expected);
        }
    });
}

fn leased(account: AccountId, message: MessageId) -> Leased<ReminderTask> {
    Leased {
        lease: Lease { account, id: id(), attempt: 2, ends_at: NOW },
        queued_at: NOW - Duration::HOUR,
        letterhead: None,
        payload: serde_json::from_value(json!({ "message": message.uuid() })).unwrap(),
    }
}
