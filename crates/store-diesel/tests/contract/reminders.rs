//! Reminder decisions about several contacts in one transaction.

use communications::{
    Address, Channel, Decision, HoldReason, InboxItem, Message, MessageData, MessageId, MessagePurpose,
    MessageState, NewDecision, NextReminder, PausedUntil, ReminderPolicy, SkipReason, StateChange,
    StepDecision, StepKey, StepRecord,
};
use contacts::{Contact, ContactId};
use invoices::{InvoiceInput, TimelineKind};
use kernel::{AccountId, AccountScope, Field, SingleLine};
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;

use crate::communications::inbox_item;
use crate::database::on_both;
use crate::fixtures::{
    IDS, NOW, fresh, id, input, invoice, invoice_at, invoicing, reminders, store_invoices, stored_contact,
    stored_invoice, tenant,
};
use crate::messages::insert;

fn queued(account: AccountId, contact: ContactId) -> Message {
    let way = (Channel::Email, Address::parse(Channel::Email, "ada@example.com").unwrap());
    Message::new(MessageData {
        contact: Some(contact),
        ..MessageData::outgoing(id(), account, MessagePurpose::Reminder, way, NOW)
    })
}

#[test]
fn contacts_that_are_locked_together_come_with_their_invoices_in_the_order_of_ids() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let first = stored_contact(store, scope.id).await;
        let second = stored_contact(store, scope.id).await;
        let one = invoice(&scope, "INV-0001", Some(first.clone()), input(1));
        let two = invoice(&scope, "INV-0002", Some(second.clone()), input(1));
        let three = invoice(&scope, "INV-0003", Some(first.clone()), input(1));
        store_invoices(store, scope.id, &[one.clone(), two.clone(), three.clone()]).await;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let wanted = [second.id, id(), first.id];
        let (_, locked) = tx.reminders().lock_all(&wanted, None, NOW).await.unwrap().unwrap();
        let found: Vec<_> = locked
            .iter()
            .map(|one| (one.contact.contact, one.invoices.iter().map(|one| one.invoice).collect::<Vec<_>>()))
            .collect();
        let mut of_first = vec![one.id, three.id];
        of_first.sort_unstable();
        let mut expected = vec![(first.id, of_first), (second.id, vec![two.id])];
        expected.sort();
        assert_eq!(found, expected);
    });
}

#[test]
fn backlog_counts_the_open_invoices_that_are_over_30_days_late() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        let theirs = stored_contact(store, other.id).await;
        let due = |scope: &AccountScope, number: &str, contact: &Contact, days: i64| {
            let day = NOW.date() - Duration::days(days);
            let dates = InvoiceInput { due_date: Field::Value(day), ..input(1) };
            invoice_at(NOW - Duration::days(60), scope, number, Some(contact.clone()), dates)
        };
        let days = [31, 30, 60, 31];
        let invoices: Vec<_> =
            days.iter().map(|days| due(&scope, &format!("A-{}", fresh()), &contact, *days)).collect();
        store_invoices(store, scope.id, &invoices).await;
        store_invoices(store, other.id, &[due(&other, "A-1", &theirs, 40)]).await;
        invoicing(store, FixedClock::default()).cancel(&scope, invoices[3].id, None).await.unwrap();
        assert_eq!(reminders(store).backlog(scope.id).await.unwrap(), 2);
    });
}

#[test]
fn next_reminder_is_found_however_far_ahead_it_is() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let due =
            |days| InvoiceInput { due_date: Field::Value(NOW.date() + Duration::days(days)), ..input(1) };
        let invoices =
            [75, 10].map(|days| invoice(&scope, &format!("D-{days}"), Some(contact.clone()), due(days)));
        store_invoices(store, scope.id, &invoices).await;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let mut policy = ReminderPolicy::initial();
        policy.start(NOW, &scope.time_zone);
        tx.reminders().put_policy(&policy).await.unwrap();
        tx.commit().await.unwrap();
        let pause = PausedUntil::Date(NOW.date() + Duration::days(200));
        reminders(store).pause(scope.id, invoices[1].id, Some(pause)).await.unwrap();
        for (invoice, days) in invoices.iter().zip([72, 200]) {
            let forecast =
                reminders(store).forecast_of_contact(scope.id, contact.id, invoice.id).await.unwrap();
            let NextReminder::Message(message) = forecast.unwrap().next_of(invoice.id) else {
                panic!("no message in {days} days")
            };
            assert_eq!(scope.time_zone.date_at(message.at), NOW.date() + Duration::days(days));
        }
    });
}

#[test]
fn decisions_recorded_together_take_the_place_of_earlier_ones_of_their_steps() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contacts = [stored_contact(store, scope.id).await, stored_contact(store, scope.id).await];
        let one = invoice(&scope, "INV-0001", Some(contacts[0].clone()), input(1));
        let two = invoice(&scope, "INV-0002", Some(contacts[1].clone()), input(1));
        store_invoices(store, scope.id, &[one.clone(), two.clone()]).await;
        let messages = contacts.each_ref().map(|contact| queued(scope.id, contact.id));
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let about = [(messages[0].clone(), vec![one.id]), (messages[1].clone(), vec![two.id])];
        tx.messages().insert_all(&about).await.unwrap();
        let key = |days| StepKey { days, channel: Channel::Email };
        let hold = Decision::Hold(HoldReason::QuietHours);
        let new = |place: usize, invoice, days, decision, message: Option<MessageId>| NewDecision {
            contact: contacts[place].id,
            step: StepDecision { invoice, key: key(days), due_at: NOW, decision },
            message,
        };
        let held =
            [new(0, one.id, 1, hold, None), new(0, one.id, 7, hold, None), new(1, two.id, 1, hold, None)];
        tx.reminders().record_all(&held, NOW, &*IDS).await.unwrap();
        let sent = [
            new(0, one.id, 1, Decision::Send, Some(messages[0].id)),
            new(1, two.id, 1, Decision::Send, Some(messages[1].id)),
            // The same step twice: the later decision counts.
            new(1, two.id, 7, hold, None),
            new(1, two.id, 7, Decision::Send, Some(messages[1].id)),
        ];
        tx.reminders().record_all(&sent, NOW, &*IDS).await.unwrap();
        assert_eq!(tx.reminders().steps_of(messages[0].id).await.unwrap(), [sent[0].step]);
        let mut of_second = tx.reminders().steps_of(messages[1].id).await.unwrap();
        of_second.sort_by_key(|step| step.key.days);
        assert_eq!(of_second, [sent[1].step, sent[3].step]);
        let wanted = contacts.each_ref().map(|contact| contact.id);
        let (_, locked) = tx.reminders().lock_all(&wanted, None, NOW).await.unwrap().unwrap();
        let first = locked.iter().find(|one| one.contact.contact == contacts[0].id).unwrap();
        assert_eq!(first.invoices[0].record(key(1), NOW), Some(Decision::Send));
        assert_eq!(first.invoices[0].record(key(7), NOW), Some(hold), "another step's decision stands");
        assert_eq!(first.contact.reminded_at, [NOW], "what is queued counts");
        tx.commit().await.unwrap();
        let listed = store.communications_reads.message(scope.id, messages[1].id).await.unwrap();
        assert_eq!(listed.map(|message| message.id), Some(messages[1].id));
    });
}

#[test]
fn decision_about_another_due_date_or_contact_leaves_earlier_ones_in_force() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let own = stored_contact(store, scope.id).await;
        let other = stored_contact(store, scope.id).await;
        let one = stored_invoice(store, &scope, "INV-0001", Some(own.clone()), input(1)).await;
        let key = StepKey { days: 1, channel: Channel::Email };
        let later = NOW + Duration::days(30);
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let (hold, skip) = (Decision::Hold(HoldReason::Promise), Decision::Skip(SkipReason::Failed));
        for (contact, due_at, decision) in [
            (own.id, NOW, hold),
            (own.id, NOW, Decision::Sent),
            (own.id, later, hold),
            (own.id, later, Decision::Sent),
            (other.id, NOW, skip),
        ] {
            let step = StepDecision { invoice: one.id, key, due_at, decision };
            tx.reminders().record(contact, &[step], None, NOW, &*IDS).await.unwrap();
        }
        let (_, facts) = tx.reminders().lock(own.id, None, NOW).await.unwrap().unwrap();
        let mut records = facts.invoices[0].records.clone();
        records.sort_by_key(|record| record.due_at);
        let of = |due_at, decision| StepRecord { key, due_at, decision };
        assert_eq!(records, [of(NOW, Decision::Sent), of(later, Decision::Sent)]);
        tx.commit().await.unwrap();
        let history = store.timelines.timeline(scope.id, one.id).await.unwrap();
        let reminded = history.iter().filter(|entry| matches!(entry.kind, TimelineKind::Reminded { .. }));
        assert_eq!(reminded.count(), 2, "each of the two reminders");
    });
}

#[test]
fn decisions_about_an_invoice_that_has_another_contact_by_now_stay_those_of_the_former_one() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let [own, other] = [stored_contact(store, scope.id).await, stored_contact(store, scope.id).await];
        let kept = stored_invoice(store, &scope, "INV-0001", Some(own.clone()), input(1)).await;
        let given = stored_invoice(store, &scope, "INV-0002", Some(other.clone()), input(1)).await;
        let key = StepKey { days: 1, channel: Channel::Email };
        let step = |invoice, decision| StepDecision { invoice, key, due_at: NOW, decision };
        let steps = [step(given.id, Decision::Send), step(given.id, Decision::Sent)];
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        for step in &steps {
            tx.reminders().record(own.id, &[*step], None, NOW, &*IDS).await.unwrap();
        }
        tx.reminders().record(own.id, &[step(kept.id, Decision::Send)], None, NOW, &*IDS).await.unwrap();
        tx.reminders().record(other.id, &[step(given.id, Decision::Send)], None, NOW, &*IDS).await.unwrap();
        tx.commit().await.unwrap();
        let reads = &store.reminder_reads;
        let page = async |contact, after| {
            reads.decided_of_former_invoices(scope.id, contact, after, 1).await.unwrap()
        };
        let mut after = None;
        for step in steps {
            let [(id, decided)] = page(own.id, after).await[..] else { panic!("one decision") };
            assert_eq!((decided.contact, decided.step), (own.id, step));
            after = Some(id);
        }
        assert_eq!(page(own.id, after).await, []);
        assert_eq!(page(other.id, None).await, [], "the invoice is its own");
    });
}

/// Gives a contact the number +491701234567.
async fn give_number(store: &Store, account: AccountId, contact: &mut Contact) {
    let before = contact.clone();
    contact.phone = Some(SingleLine::parse("+49 (0) 170 12 34 567").unwrap());
    let mut tx = store.contacts.begin(account).await.unwrap();
    tx.contacts().lock(contact.id).await.unwrap();
    assert!(tx.contacts().update(&before, contact).await.unwrap());
    tx.commit().await.unwrap();
}

/// Whether reminders of each of these contacts wait for an unread message.
async fn unread(store: &Store, account: AccountId, contacts: [ContactId; 3]) -> [bool; 3] {
    let mut tx = store.communications.begin(account).await.unwrap();
    let (_, locked) = tx.reminders().lock_all(&contacts, None, NOW).await.unwrap().unwrap();
    contacts.map(|one| locked.iter().any(|found| found.contact.contact == one && found.contact.reply_unread))
}

#[test]
fn unread_text_message_holds_every_contact_with_its_number_and_a_mail_its_own_contact() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let [mut writer, mut named, other] = [
            stored_contact(store, scope.id).await,
            stored_contact(store, scope.id).await,
            stored_contact(store, scope.id).await,
        ];
        give_number(store, scope.id, &mut writer).await;
        give_number(store, scope.id, &mut named).await;
        let number = Address::parse(Channel::Sms, "+491701234567").unwrap();
        let mail = Address::from(other.email.as_ref().unwrap());
        for (way, held) in
            [((Channel::Sms, number), [true, true, false]), ((Channel::Email, mail), [true, false, false])]
        {
            let data = MessageData::incoming(id(), scope.id, way, NOW);
            let contact = Some(writer.id);
            let mut message = Message::new(MessageData { contact, is_unread: true, ..data });
            insert(store, &message).await;
            let all = [writer.id, named.id, other.id];
            assert_eq!(unread(store, scope.id, all).await, held, "{:?}", message.channel);
            message.mark_read();
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            tx.messages().update(&message).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(unread(store, scope.id, all).await, [false; 3]);
        }
    });
}

#[test]
fn message_in_quarantine_holds_its_candidate_and_whoever_has_its_senders_address() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let [candidate, mut named, other] = [
            stored_contact(store, scope.id).await,
            stored_contact(store, scope.id).await,
            stored_contact(store, scope.id).await,
        ];
        give_number(store, scope.id, &mut named).await;
        let held = async || unread(store, scope.id, [candidate.id, named.id, other.id]).await;
        let mail = Address::from(named.email.as_ref().unwrap());
        let number = Address::parse(Channel::Sms, "+491701234567").unwrap();
        for (channel, noted, sender) in
            [(Channel::Email, None, &mail), (Channel::Sms, Some(number.clone()), &number)]
        {
            let item = InboxItem { channel, sender: noted, ..inbox_item() };
            store.inbox.store(&item).await.unwrap();
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let contact = Some(candidate.id);
            assert!(tx.preferences().hold_for_quarantine(item.id, contact, Some(sender)).await.unwrap());
            tx.commit().await.unwrap();
            assert_eq!(held().await, [true, true, false], "{channel:?}");
            // A process that ends here leaves the candidates, which hold nothing any more.
            let dropped = StateChange { from: MessageState::Stored, to: MessageState::Dropped };
            assert!(store.inbox.settle(item.id, dropped, None).await.unwrap());
            assert_eq!(held().await, [false; 3], "{channel:?}");
            store.inbox.release(item.id).await.unwrap();
            assert_eq!(store.inbox.candidates(item.id).await.unwrap(), [], "{channel:?}");
        }
    });
}
