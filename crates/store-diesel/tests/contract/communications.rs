//! Messages, preferences, reminders and the inbox.

use communications::{
    Address, AddressHold, Channel, Closed, Consent, Decision, Direction, HoldReason, InboxItem, Message,
    MessageData, MessageId, MessagePurpose, MessageState, MessageType, PausedUntil, PlannedStep, ReadBy,
    ReminderPolicy, ReplyToken, StepKey, Understood, UnreadService,
};
use escalations::{Escalation, EscalationType, NewEscalation};
use kernel::{AccountId, Block};
use mail::{OwnerNotice, SilencedNotices};
use store_diesel::Store;
use testkit::StillClock;
use time::macros::date;
use time::{Duration, OffsetDateTime};

use crate::database::{TestDatabase, on_both};
use crate::fixtures::{
    CHANCE, IDS, NOW, fresh, id, input, invoice, line, store_invoices, stored_contact, tenant,
};

/// A message that went out to an address.
fn outgoing(account: AccountId, contact: contacts::ContactId, address: &str) -> Message {
    Message::new(MessageData {
        id: id(),
        account,
        contact: Some(contact),
        invoice: None,
        channel: Channel::Email,
        direction: Direction::Out,
        purpose: Some(MessagePurpose::Reminder),
        state: MessageState::Sent,
        address: Address::parse(Channel::Email, address).unwrap(),
        subject: Some("Reminder".to_owned()),
        text: "Please pay.".to_owned(),
        at: NOW,
        began_at: Some(NOW),
        state_at: NOW,
        provider_id: None,
        internet_id: Some(format!("{}@example.com", fresh())),
        in_reply_to: None,
        reply_token: Some(ReplyToken::generate(account, &*CHANCE).unwrap()),
        detail: None,
        attachments: 2,
        understood: Some(Understood {
            message_type: MessageType::Promise,
            sure: true,
            evidence: "on Friday".to_owned(),
            date: Some(date!(2026 - 12 - 04)),
            version: 2,
            corrected: Some(MessageType::Other),
            read_by: ReadBy::LanguageModel,
        }),
        needs_reading: false,
        content_digest: Some([7; 32]),
        text_removed_at: None,
    })
}

async fn insert(store: &Store, message: &Message) {
    let mut tx = store.communications.begin(message.account).await.unwrap();
    tx.messages().insert(message, &[]).await.unwrap();
    tx.commit().await.unwrap();
}

#[test]
fn messages_are_read_back_by_their_own_account_alone() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        let address = format!("ada{}@example.com", fresh());
        let message = outgoing(scope.id, contact.id, &address);
        insert(store, &message).await;
        let reads = &store.communications_reads;
        assert_eq!(reads.message(scope.id, message.id).await.unwrap().as_ref(), Some(&message));
        assert_eq!(reads.message(other.id, message.id).await.unwrap(), None);
        assert_eq!(reads.messages(other.id, None, None, 10).await.unwrap(), []);
        let token = message.reply_token.clone().unwrap();
        assert_eq!(reads.message_by_token(&token).await.unwrap().as_ref(), Some(&message));
        let ids = [message.internet_id.clone().unwrap()];
        let own = std::slice::from_ref(&message);
        assert_eq!(reads.messages_by_internet_id(&ids).await.unwrap(), own);
        let to = Address::parse(Channel::Email, &address).unwrap();
        assert_eq!(reads.latest_to(Channel::Email, &to, NOW).await.unwrap(), own);
        assert_eq!(reads.latest_to(Channel::Sms, &to, NOW).await.unwrap(), []);
        let later = NOW + Duration::SECOND;
        assert_eq!(reads.latest_to(Channel::Email, &to, later).await.unwrap(), []);
        let mut tx = store.communications.begin(other.id).await.unwrap();
        assert_eq!(tx.messages().lock(message.id).await.unwrap(), None);
        assert!(tx.messages().insert(&message, &[]).await.is_err(), "it is another account's");
    });
}

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
        for given in [true, false] {
            let consent = Consent {
                id: id(),
                contact: contact.id,
                channel: Channel::Sms,
                given,
                at: NOW,
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
            closed: Closed::OptedOut,
            at: NOW,
            how: line("STOP"),
            lifted_at: None,
            lifted_how: None,
        };
        assert!(tx.preferences().close_address(&hold).await.unwrap());
        let twice = AddressHold { id: id(), ..hold.clone() };
        assert!(!tx.preferences().close_address(&twice).await.unwrap(), "it is closed already");
        tx.commit().await.unwrap();
        let preferences = store.communications_reads.preferences(scope.id, contact.id).await.unwrap();
        assert!(!preferences.allows(Channel::Sms), "the latest counts");
        let all = store.communications_reads.consents(scope.id, contact.id).await.unwrap();
        assert_eq!(all.iter().map(|one| one.given).collect::<Vec<_>>(), [false, true]);
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let (_, facts) = tx.reminders().lock(contact.id, None, NOW).await.unwrap().unwrap();
        assert_eq!(facts.contact.closed, [(Channel::Email, Closed::OptedOut)]);
        let how = line("she asked for it");
        let (email, out) = (Channel::Email, Closed::OptedOut);
        assert!(tx.preferences().open_address(email, &address, out, &how, NOW).await.unwrap());
        assert!(!tx.preferences().open_address(email, &address, out, &how, NOW).await.unwrap());
        tx.commit().await.unwrap();
        let holds = store.communications_reads.address_holds(scope.id, email, &address).await.unwrap();
        assert_eq!(holds, [AddressHold { lifted_at: Some(NOW), lifted_how: Some(how), ..hold }]);
    });
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
            let new = NewEscalation {
                escalation_type: EscalationType::Hardship,
                channel: Channel::Email,
                statement: Block::parse("I cannot pay.").unwrap(),
                invoice: None,
                contact: Some(contact.id),
            };
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
fn policy_pauses_and_decided_steps_are_kept_with_their_history() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, contact) = (tenant(store).await, id());
        let own = stored_contact(store, scope.id).await;
        let one = invoice(&scope, "INV-0001", Some(own.clone()), input(1));
        store_invoices(store, scope.id, std::slice::from_ref(&one)).await;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        assert_eq!(tx.reminders().lock_policy().await.unwrap(), ReminderPolicy::initial());
        let policy = ReminderPolicy {
            started_at: Some(NOW),
            steps: ReminderPolicy::parse_steps("-3:email,7:sms:final").unwrap(),
            backlog: true,
            holidays: vec![date!(2026 - 12 - 25), date!(2026 - 12 - 26)],
            language_model_host: None,
        };
        let agreed = ReminderPolicy {
            language_model_host: Some("models.example.com".to_owned()),
            ..ReminderPolicy::initial()
        };
        tx.reminders().put_policy(&agreed).await.unwrap();
        assert_eq!(tx.reminders().lock_policy().await.unwrap(), agreed);
        tx.reminders().put_policy(&policy).await.unwrap();
        tx.reminders().pause(one.id, Some(PausedUntil::Never)).await.unwrap();
        let key = StepKey { days: -3, channel: Channel::Email };
        let step = |decision| PlannedStep { invoice: one.id, key, due_at: NOW, decision };
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

#[test]
fn what_comes_in_is_kept_once_and_handed_out_once() {
    on_both(async |db| {
        let (store, inbox) = (&db.store, &db.store.inbox);
        let scope = tenant(store).await;
        let item = InboxItem {
            id: id(),
            key: format!("sms:{}", fresh()),
            channel: Channel::Sms,
            sender: Some(Address::parse(Channel::Sms, "+491701234567").unwrap()),
            content: Some(b"I lost my job".to_vec()),
            received_at: NOW,
            state: MessageState::Stored,
            became: None,
            attempts: 0,
            detail: None,
        };
        assert_eq!(inbox.keep(&item).await.unwrap(), item.id);
        let again = InboxItem { id: id(), ..item.clone() };
        assert_eq!(inbox.keep(&again).await.unwrap(), item.id, "it is there already");
        assert_eq!(inbox.item(item.id).await.unwrap(), Some(item.clone()));
        let until = NOW + Duration::MINUTE;
        assert!(inbox.lease(NOW, until, 1_000).await.unwrap().contains(&item.id));
        assert!(!inbox.lease(NOW, until, 1_000).await.unwrap().contains(&item.id), "it is leased");
        assert!(inbox.lease(until, until, 1_000).await.unwrap().contains(&item.id), "the lease ended");
        assert_eq!(inbox.item(item.id).await.unwrap().unwrap().attempts, 2);
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let message: MessageId = id();
        let handled = MessageState::Handled;
        assert!(tx.messages().settle_inbound(item.id, handled, message).await.unwrap());
        assert!(!tx.messages().settle_inbound(item.id, handled, message).await.unwrap(), "once");
        tx.commit().await.unwrap();
        let settled = inbox.item(item.id).await.unwrap().unwrap();
        assert_eq!((settled.state, settled.became), (handled, Some((scope.id, message))));
        assert!(inbox.forget_content(NOW, 1_000).await.is_ok());
        assert!(inbox.item(item.id).await.unwrap().unwrap().content.is_some(), "it is not old");
        inbox.forget_content(NOW + Duration::SECOND, 1_000_000).await.unwrap();
        assert_eq!(inbox.item(item.id).await.unwrap().unwrap().content, None);
    });
}

#[test]
fn what_waits_in_quarantine_is_counted_and_settled_once() {
    on_both(async |db| {
        let inbox = &db.store.inbox;
        let item = InboxItem {
            id: id(),
            key: format!("sms:{}", fresh()),
            channel: Channel::Sms,
            sender: None,
            content: Some(b"I paid".to_vec()),
            received_at: NOW,
            state: MessageState::Stored,
            became: None,
            attempts: 0,
            detail: None,
        };
        inbox.keep(&item).await.unwrap();
        let before = inbox.count_quarantined().await.unwrap();
        assert!(inbox.settle(item.id, MessageState::Quarantined, Some("2 accounts fit")).await.unwrap());
        assert_eq!(inbox.count_quarantined().await.unwrap(), before + 1);
        let listed = inbox.quarantined(1_000).await.unwrap();
        let listed = listed.into_iter().find(|one| one.id == item.id).unwrap();
        assert_eq!((listed.channel, listed.detail.as_deref()), (Channel::Sms, Some("2 accounts fit")));
        assert!(inbox.settle(item.id, MessageState::Dropped, None).await.unwrap());
        assert!(!inbox.settle(item.id, MessageState::Dropped, None).await.unwrap(), "it is settled");
        assert_eq!(inbox.count_quarantined().await.unwrap(), before);
    });
}

#[test]
fn texts_of_old_messages_are_removed_in_batches_and_what_waits_keeps_its_own() {
    on_both(async |db| {
        let (store, retention) = (&db.store, &db.store.message_retention);
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let address = format!("ada{}@example.com", fresh());
        let at = |days: i64, state: MessageState| {
            let mut data = (*outgoing(scope.id, contact.id, &address)).clone();
            // No other test has messages as old as these, so that a batch takes no others.
            data.at = NOW - Duration::days(10_000 - days);
            data.state = state;
            Message::new(data)
        };
        let old = [0, 1, 2].map(|days| at(days, MessageState::Sent));
        let (waiting, young) = (at(0, MessageState::Queued), at(3, MessageState::Handled));
        for message in old.iter().chain([&waiting, &young]) {
            insert(store, message).await;
        }
        let before = young.at;
        for (most, removed) in [(2, 2), (2, 1), (2, 0)] {
            assert_eq!(retention.remove_texts(before, NOW, most).await.unwrap(), removed);
        }
        let reads = &store.communications_reads;
        for message in &old {
            let mut left = (**message).clone();
            (left.subject, left.text) = (None, String::new());
            left.understood.as_mut().unwrap().evidence = String::new();
            left.text_removed_at = Some(NOW);
            assert_eq!(reads.message(scope.id, message.id).await.unwrap(), Some(Message::new(left)));
        }
        for kept in [&waiting, &young] {
            assert_eq!(reads.message(scope.id, kept.id).await.unwrap().as_ref(), Some(kept));
        }
        let to = Address::parse(Channel::Email, &address).unwrap();
        let accounts = reads.accounts_that_wrote_to(Channel::Email, &to).await.unwrap();
        assert_eq!(accounts, [scope.id], "who wrote to an address is known as before");
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let mut message = tx.messages().lock(old[0].id).await.unwrap().unwrap();
        message.become_state(MessageState::Delivered, None, NOW).unwrap();
        tx.messages().update(&message).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(retention.remove_texts(before, NOW, 2).await.unwrap(), 0, "it stays removed");
    });
}

/// A message that came in at an instant and waits to be read.
async fn unread(store: &Store, account: AccountId, at: OffsetDateTime) -> Message {
    let contact = stored_contact(store, account).await;
    let mut data = (*outgoing(account, contact.id, "ada@example.com")).clone();
    (data.direction, data.purpose, data.state) = (Direction::In, None, MessageState::Handled);
    (data.at, data.state_at, data.needs_reading) = (at, at, true);
    let message = Message::new(data);
    insert(store, &message).await;
    message
}

/// The mails about unread messages that are queued, by what they say.
async fn notices(db: &TestDatabase, says: &str) -> i64 {
    let query = format!("SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND payload LIKE '%{says}%'");
    db.count(&query).await
}

#[test]
fn owner_is_told_of_unread_messages_after_a_day_once_and_once_a_day() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let service = |now: OffsetDateTime| UnreadService {
            store: store.communications.clone(),
            unread: store.unread.clone(),
            clock: std::sync::Arc::new(StillClock::at(now)),
            ids: std::sync::Arc::new(kernel::SystemIds::default()),
        };
        let tell = async |at: OffsetDateTime| service(at).tell(1_000).await.unwrap();
        let first = unread(store, scope.id, NOW).await;
        unread(store, scope.id, NOW + Duration::HOUR).await;
        let day = Duration::DAY;
        assert_eq!(tell(NOW + day - Duration::SECOND).await, 0, "it does not wait for a day yet");
        let (one, other) = (service(NOW + day), service(NOW + day));
        let (one, other) = tokio::join!(one.tell(1_000), other.tell(1_000));
        assert_eq!(one.unwrap() + other.unwrap(), 1, "two processes mail once");
        assert_eq!(notices(db, "A message from a customer").await, 1);
        let soon = NOW + day + Duration::hours(2);
        assert_eq!(tell(soon).await, 0, "another message waits for a day, but the last mail was today");
        assert_eq!(tell(NOW + day * 2).await, 1);
        assert_eq!(notices(db, "2 messages from customers").await, 1, "all that wait are counted");
        assert_eq!(tell(NOW + day * 9).await, 0, "the owner was told of both");
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let mut message = tx.messages().lock(first.id).await.unwrap().unwrap();
        assert!(message.mark_handled());
        tx.messages().update(&message).await.unwrap();
        tx.commit().await.unwrap();
        unread(store, scope.id, NOW + day * 9).await;
        assert_eq!(tell(NOW + day * 10).await, 1);
        assert_eq!(notices(db, "2 messages from customers").await, 2);
    });
}

#[test]
fn silenced_owner_is_not_told_of_unread_messages() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let silenced = SilencedNotices::of([OwnerNotice::UnreadMessages]);
        let none = SilencedNotices::NONE;
        assert!(store.own_accounts.silence(scope.id, none, silenced).await.unwrap());
        unread(store, scope.id, NOW).await;
        let service = UnreadService {
            store: store.communications.clone(),
            unread: store.unread.clone(),
            clock: std::sync::Arc::new(StillClock::at(NOW + Duration::DAY)),
            ids: std::sync::Arc::new(kernel::SystemIds::default()),
        };
        assert_eq!(service.tell(1_000).await.unwrap(), 0);
        assert!(store.own_accounts.silence(scope.id, silenced, none).await.unwrap());
        assert_eq!(service.tell(1_000).await.unwrap(), 1);
    });
}
