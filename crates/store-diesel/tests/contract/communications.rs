//! Preferences, reminders and the inbox.

use communications::{
    Address, AddressHold, Channel, CloseReason, CommunicationsTx, Consent, Decision, HoldReason, InboxItem,
    Incoming, Message, MessageData, MessageId, MessageState, MessageType, PausedUntil, ReminderPolicy,
    StateChange, StepDecision, StepKey,
};
use contacts::ContactId;
use escalations::{Escalation, EscalationType, NewEscalation};
use kernel::MultiLine;
use time::macros::date;
use time::{Duration, OffsetDateTime};

use crate::database::on_both;
use crate::fixtures::{
    IDS, NOW, conversations, fresh, id, inbound, input, line, stored_contact, stored_invoice, tenant,
};
use crate::messages::{insert, outgoing, understood};

#[test]
fn consents_and_closed_addresses_are_what_reminders_look_at() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let address = Address::from(contact.email.as_ref().unwrap());
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        assert!(tx.preferences().lock(contact.id).await.unwrap().unwrap().consents.is_empty());
        assert_eq!(tx.preferences().lock(id()).await.unwrap(), None, "no such contact");
        for is_given in [true, false] {
            let consent = Consent {
                id: id(),
                contact: contact.id,
                channel: Channel::Sms,
                is_given,
                recorded_at: NOW,
                how: line("by telephone"),
                recorded_by: line("owner"),
            };
            tx.preferences().record_consent(&consent).await.unwrap();
        }
        let hold = AddressHold {
            id: id(),
            account: scope.id,
            channel: Channel::Email,
            address: address.clone(),
            reason: CloseReason::OptedOut,
            closed_at: NOW,
            evidence: line("STOP"),
            reopened_at: None,
            reopened_because: None,
        };
        assert!(tx.preferences().close_address(&hold, NOW).await.unwrap());
        let twice = AddressHold { id: id(), ..hold.clone() };
        assert!(!tx.preferences().close_address(&twice, NOW).await.unwrap(), "it is closed already");
        tx.commit().await.unwrap();
        let preferences = store.communications_reads.preferences(scope.id, contact.id).await.unwrap();
        assert!(!preferences.allows(Channel::Sms), "the latest counts");
        let all = store.communications_reads.consents(scope.id, contact.id).await.unwrap();
        assert_eq!(all.iter().map(|one| one.is_given).collect::<Vec<_>>(), [false, true]);
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let (_, facts) = tx.reminders().lock(contact.id, None, NOW).await.unwrap().unwrap();
        assert_eq!(facts.contact.closed, [(Channel::Email, CloseReason::OptedOut)]);
        let because = line("she asked for it");
        let (email, out) = (Channel::Email, CloseReason::OptedOut);
        let (own, other) = (Some(hold.id), Some(id()));
        assert!(!tx.preferences().open_address((email, &address), out, other, &because, NOW).await.unwrap());
        assert!(tx.preferences().open_address((email, &address), out, own, &because, NOW).await.unwrap());
        assert!(!tx.preferences().open_address((email, &address), out, None, &because, NOW).await.unwrap());
        let late = AddressHold { id: id(), ..hold.clone() };
        let before = NOW - Duration::SECOND;
        assert!(!tx.preferences().close_address(&late, before).await.unwrap(), "it was opened since");
        tx.commit().await.unwrap();
        let holds = store.communications_reads.address_holds(scope.id, email, &address).await.unwrap();
        assert_eq!(holds, [AddressHold { reopened_at: Some(NOW), reopened_because: Some(because), ..hold }]);
    });
}

fn hardship_of(contact: ContactId) -> NewEscalation {
    NewEscalation {
        escalation_type: EscalationType::Hardship,
        channel: Channel::Email,
        statement: MultiLine::parse("I cannot pay.").unwrap(),
        invoice: None,
        contact: Some(contact),
    }
}

#[test]
fn reminder_sees_what_was_committed_before_it_got_the_lock() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let mut raising = store.escalations.begin(scope.id).await.unwrap();
        raising.escalations().lock_preferences(contact.id).await.unwrap();
        let lock = async {
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let (_, facts) = tx.reminders().lock(contact.id, None, NOW).await.unwrap().unwrap();
            facts.contact.open_escalation
        };
        let raise = async {
            let new = hardship_of(contact.id);
            let escalation = Escalation::raise(id(), scope.id, new, NOW);
            raising.escalations().insert(&escalation).await.unwrap();
            let kind = EscalationType::Hardship;
            let open = raising.escalations().open_of_contact(contact.id, kind).await.unwrap();
            assert_eq!(open, Some(escalation.id));
            raising.commit().await.unwrap();
        };
        let (is_open, ()) = tokio::join!(lock, raise);
        assert!(is_open, "the lock waited for the escalation");
    });
}

#[test]
fn message_that_the_owner_corrects_joins_the_escalation_that_is_being_raised() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let address = Address::parse(Channel::Email, "ada@example.com").unwrap();
        let data = MessageData::incoming(id(), scope.id, (Channel::Email, address), NOW);
        let understood = Some(understood());
        let message = Message::new(MessageData { contact: Some(contact.id), understood, ..data });
        insert(store, &message).await;
        let mut raising = store.escalations.begin(scope.id).await.unwrap();
        raising.escalations().lock_preferences(contact.id).await.unwrap();
        let conversations = conversations(store);
        let correct = conversations.correct(&scope, message.id, MessageType::Hardship, None);
        let raise = async {
            let new = hardship_of(contact.id);
            raising.escalations().insert(&Escalation::raise(id(), scope.id, new, NOW)).await.unwrap();
            raising.commit().await.unwrap();
        };
        let (corrected, ()) = tokio::join!(correct, raise);
        corrected.unwrap();
        let raised = store.escalation_reads.list(scope.id, None, 10).await.unwrap();
        assert_eq!(raised.len(), 1);
    });
}

#[test]
fn policy_pauses_and_decided_steps_are_kept_with_their_history() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact) = (tenant(store).await, id());
        let own = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "INV-0001", Some(own.clone()), input(1)).await;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let locked = async |tx: &mut dyn CommunicationsTx| {
            tx.reminders().lock_settings().await.unwrap().unwrap().policy
        };
        assert_eq!(locked(&mut *tx).await, ReminderPolicy::initial());
        let mut steps = ReminderPolicy::parse_steps("-3:email,7:sms:final,17:sms,7:email").unwrap();
        (steps[0].added_at, steps[2].added_at) = (Some(NOW - Duration::DAY), Some(NOW));
        let policy = ReminderPolicy {
            started_at: Some(NOW),
            started_on: Some(NOW.date()),
            steps,
            backlog: true,
            holidays: vec![date!(2026 - 12 - 25), date!(2026 - 12 - 26)],
            language_model_host: None,
        };
        let agreed = ReminderPolicy {
            language_model_host: Some("models.example.com".to_owned()),
            ..ReminderPolicy::initial()
        };
        for one in [&policy, &agreed, &policy] {
            tx.reminders().put_policy(one).await.unwrap();
            assert_eq!(locked(&mut *tx).await, *one);
        }
        tx.reminders().pause(one.id, Some(PausedUntil::Never)).await.unwrap();
        let key = StepKey { days: -3, channel: Channel::Email };
        let step = |decision| StepDecision { invoice: one.id, key, due_at: NOW, decision };
        let message: MessageId = id();
        let hold = Decision::Hold(HoldReason::Promise);
        tx.reminders().record(own.id, &[step(hold)], None, NOW, &*IDS).await.unwrap();
        let sent = [step(Decision::Send)];
        tx.reminders().record(own.id, &sent, Some(message), NOW, &*IDS).await.unwrap();
        assert_eq!(tx.reminders().steps_of(message).await.unwrap(), sent);
        assert!(tx.reminders().lock(contact, None, NOW).await.unwrap().is_none());
        tx.commit().await.unwrap();
        let reads = &store.reminder_reads;
        assert_eq!(reads.account(scope.id, NOW).await.unwrap().unwrap().policy, policy);
        assert!(reads.started_accounts(None, 1_000_000).await.unwrap().contains(&scope.id));
        assert_eq!(reads.paused(scope.id, one.id).await.unwrap(), Some(PausedUntil::Never));
        let decided = reads.decided(scope.id, one.id).await.unwrap();
        let decisions: Vec<Decision> = decided.iter().map(|one| one.step.decision).collect();
        assert_eq!(decisions, [Decision::Send, hold], "newest first");
    });
}

/// An inbound text message.
pub(crate) fn inbox_item() -> InboxItem {
    InboxItem {
        id: id(),
        key: format!("sms:{}", fresh()),
        channel: Channel::Sms,
        sender: None,
        content: Some(b"I paid".to_vec()),
        received_at: NOW,
        state: MessageState::Stored,
        stored_as: None,
        attempts: 0,
        detail: None,
        attachments: 2,
        opts_out: true,
    }
}

#[test]
fn pictures_that_come_with_a_text_message_are_counted() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let number = Address::parse(Channel::Sms, &format!("+49170{:07}", fresh())).unwrap();
        let data = (*outgoing(scope.id, contact.id, "ada@example.com")).clone();
        let (channel, address) = (Channel::Sms, number.clone());
        insert(store, &Message::new(MessageData { channel, address, ..data })).await;
        let service = inbound(store);
        let provider_id = Some(format!("MM{}", fresh()));
        let text =
            Incoming::Sms { from: number, text: String::new(), attachments: 2, opts_out: false, provider_id };
        let received = service.receive(text).await.unwrap();
        service.handle(received).await.unwrap();
        let kept = store.communications_reads.message(scope.id, received).await.unwrap().unwrap();
        assert_eq!((kept.contact, kept.attachments), (Some(contact.id), 2));
    });
}

#[test]
fn what_comes_in_is_kept_once_and_handed_out_once() {
    on_both(async |db| {
        let (store, inbox) = (&db.store, &db.store.inbox);
        let scope = tenant(store).await;
        let sender = Some(Address::parse(Channel::Sms, "+491701234567").unwrap());
        let item = InboxItem { sender, ..inbox_item() };
        assert_eq!(inbox.store(&item).await.unwrap(), item.id);
        let again = InboxItem { id: id(), ..item.clone() };
        assert_eq!(inbox.store(&again).await.unwrap(), item.id, "it is there already");
        assert_eq!(inbox.item(item.id).await.unwrap(), Some(item.clone()));
        let until = NOW + Duration::MINUTE;
        let lease = async |now: OffsetDateTime, until| {
            let leased = inbox.lease(now, until, 1_000).await.unwrap();
            leased.into_iter().find(|lease| lease.id == item.id)
        };
        let first = lease(NOW, until).await.unwrap();
        assert_eq!(lease(NOW, until).await, None, "it is leased");
        let second = lease(until, until + Duration::MINUTE).await.expect("the lease ended");
        assert_eq!((first.attempt, second.attempt), (1, 2));
        for (late_or_not, due) in [(first, None), (second, Some(until + Duration::HOUR))] {
            inbox.postpone(late_or_not, until).await.unwrap();
            let again = lease(until, until + Duration::HOUR).await;
            assert_eq!(again.map(|lease| lease.ends_at), due);
        }
        assert_eq!(inbox.item(item.id).await.unwrap().unwrap().attempts, 3);
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let message: MessageId = id();
        let handled = MessageState::Handled;
        let change = StateChange { from: MessageState::Stored, to: handled };
        assert!(tx.messages().settle_inbound(item.id, change, message).await.unwrap());
        assert!(!tx.messages().settle_inbound(item.id, change, message).await.unwrap(), "once");
        tx.commit().await.unwrap();
        let settled = inbox.item(item.id).await.unwrap().unwrap();
        assert_eq!((settled.state, settled.stored_as), (handled, Some((scope.id, message))));
        assert!(inbox.forget_content(NOW, 1_000).await.is_ok());
        assert!(inbox.item(item.id).await.unwrap().unwrap().content.is_some(), "it is not old");
        inbox.forget_content(NOW + Duration::SECOND, 1_000_000).await.unwrap();
        let forgotten = inbox.item(item.id).await.unwrap().unwrap();
        assert_eq!((forgotten.content, forgotten.sender), (None, None));
    });
}

#[test]
fn item_of_an_erased_contact_is_dropped_with_its_words_and_its_sender() {
    on_both(async |db| {
        let inbox = &db.store.inbox;
        let sender = Some(Address::parse(Channel::Sms, "+491701234567").unwrap());
        let item = InboxItem { sender, ..inbox_item() };
        inbox.store(&item).await.unwrap();
        let stored = MessageState::Stored;
        assert!(inbox.drop_with_content(item.id, stored, "the contact was erased").await.unwrap());
        assert!(!inbox.drop_with_content(item.id, stored, "again").await.unwrap(), "once");
        let state = MessageState::Dropped;
        let detail = Some("the contact was erased".to_owned());
        let dropped = InboxItem { state, detail, content: None, sender: None, ..item.clone() };
        assert_eq!(inbox.item(item.id).await.unwrap(), Some(dropped));
    });
}

#[test]
fn what_waits_in_quarantine_is_counted_and_settled_once() {
    on_both(async |db| {
        let (store, inbox) = (&db.store, &db.store.inbox);
        let scope = tenant(store).await;
        let item = inbox_item();
        inbox.store(&item).await.unwrap();
        let before = inbox.count_quarantined().await.unwrap();
        let (stored, quarantined) = (MessageState::Stored, MessageState::Quarantined);
        let put_aside = StateChange { from: stored, to: quarantined };
        assert!(inbox.settle(item.id, put_aside, Some("2 accounts fit")).await.unwrap());
        assert_eq!(inbox.count_quarantined().await.unwrap(), before + 1);
        let listed = inbox.quarantined(1_000).await.unwrap();
        let listed = listed.into_iter().find(|one| one.id == item.id).unwrap();
        assert_eq!((listed.channel, listed.detail.as_deref()), (Channel::Sms, Some("2 accounts fit")));
        // A worker that read it before is late: nothing that it decided applies.
        let drop_from = |from| StateChange { from, to: MessageState::Dropped };
        let handled = StateChange { from: stored, to: MessageState::Handled };
        assert!(!inbox.settle(item.id, drop_from(stored), None).await.unwrap());
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        assert!(!tx.messages().settle_inbound(item.id, handled, id()).await.unwrap());
        assert!(!tx.preferences().hold_for_quarantine(item.id, None, None).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(inbox.candidates(item.id).await.unwrap(), []);
        assert!(inbox.settle(item.id, drop_from(quarantined), None).await.unwrap());
        assert!(!inbox.settle(item.id, drop_from(quarantined), None).await.unwrap(), "it is settled");
        assert_eq!(inbox.count_quarantined().await.unwrap(), before);
    });
}
