//! Messages: reads limited to the account, retention, mails, the limit of text messages.

use communications::{
    Address, Channel, ClassifiedBy, Direction, MailSubject, Message, MessageData, MessageId, MessagePurpose,
    MessageState, MessageType, ReplyToken, Understood,
};
use futures_util::future::join_all;
use invoices::Invoice;
use kernel::{AccountId, AccountScope};
use outbox::NewJob;
use partner_accounts::AccountChange;
use store_diesel::Store;
use time::Duration;
use time::macros::date;

use crate::database::on_both;
use crate::fixtures::{
    NOW, OPERATOR, RANDOM, fresh, id, input, invoice, store_invoices, stored_contact, tenant,
};
use crate::jobs::{job_of, queue_job};

/// A sent message to an address.
pub(crate) fn outgoing(account: AccountId, contact: contacts::ContactId, address: &str) -> Message {
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
        written_at: NOW,
        began_at: Some(NOW),
        state_at: NOW,
        provider_id: None,
        internet_id: Some(format!("{}@example.com", fresh())),
        in_reply_to: None,
        reply_token: Some(ReplyToken::generate(account, &*RANDOM)),
        detail: None,
        attachments: 2,
        understood: Some(Understood { corrected: Some(MessageType::Other), ..understood() }),
        is_unread: false,
        content_digest: Some([7; 32]),
        text_removed_at: None,
    })
}

/// A promise, as the language model understood it.
pub(crate) fn understood() -> Understood {
    Understood {
        message_type: MessageType::Promise,
        sure: true,
        evidence: "on Friday".to_owned(),
        date: Some(date!(2026 - 12 - 04)),
        version: 2,
        corrected: None,
        classified_by: ClassifiedBy::LanguageModel,
    }
}

/// A contact with two invoices.
async fn two_invoices(store: &Store, scope: &AccountScope) -> (contacts::Contact, [Invoice; 2]) {
    let contact = stored_contact(store, scope.id).await;
    let invoices = ["RE-1", "RE-2"].map(|number| invoice(scope, number, Some(contact.clone()), input(1)));
    store_invoices(store, scope.id, &invoices).await;
    (contact, invoices)
}

pub(crate) async fn insert(store: &Store, message: &Message) {
    let mut tx = store.communications.begin(message.account).await.unwrap();
    tx.messages().insert(message, &[]).await.unwrap();
    tx.commit().await.unwrap();
}

/// A stored inbound message from an address.
pub(crate) async fn received(store: &Store, account: AccountId) -> Message {
    let from = Address::parse(Channel::Email, &format!("ada{}@example.com", fresh())).unwrap();
    let data = MessageData::incoming(id(), account, (Channel::Email, from), NOW);
    let message = Message::new(MessageData { understood: Some(understood()), ..data });
    insert(store, &message).await;
    message
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

/// A contact may answer a message, or it may come back, before it is recorded as sent.
#[test]
fn queued_message_went_to_its_address_once_an_attempt_to_send_it_began() {
    on_both(async |db| {
        let (store, reads) = (&db.store, &db.store.communications_reads);
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let address = format!("ada{}@example.com", fresh());
        let to = Address::parse(Channel::Email, &address).unwrap();
        let queued = |began_at| {
            let data = (*outgoing(scope.id, contact.id, &address)).clone();
            Message::new(MessageData { state: MessageState::Queued, began_at, ..data })
        };
        insert(store, &queued(None)).await;
        assert_eq!(reads.accounts_that_wrote_to(Channel::Email, &to).await.unwrap(), []);
        assert_eq!(reads.latest_to(Channel::Email, &to, NOW).await.unwrap(), []);
        let first = queued(Some(NOW));
        let sent = outgoing(scope.id, contact.id, &address);
        let last = queued(Some(NOW));
        for latest in [first, sent, last] {
            insert(store, &latest).await;
            assert_eq!(reads.accounts_that_wrote_to(Channel::Email, &to).await.unwrap(), [scope.id]);
            assert_eq!(reads.latest_to(Channel::Email, &to, NOW).await.unwrap(), [latest]);
        }
    });
}

#[test]
fn latest_message_to_an_address_is_found_for_each_contact() {
    on_both(async |db| {
        let (store, reads) = (&db.store, &db.store.communications_reads);
        let scope = tenant(store).await;
        let contacts = [stored_contact(store, scope.id).await, stored_contact(store, scope.id).await];
        let address = format!("ada{}@example.com", fresh());
        let to = Address::parse(Channel::Email, &address).unwrap();
        let of_none = || {
            let data = (*outgoing(scope.id, contacts[0].id, &address)).clone();
            Message::new(MessageData { contact: None, ..data })
        };
        let mut latest = Vec::new();
        for _ in 0..2 {
            let to_each = contacts.iter().map(|contact| outgoing(scope.id, contact.id, &address));
            latest = to_each.chain([of_none()]).collect();
            for message in &latest {
                insert(store, message).await;
            }
        }
        latest.sort_by_key(|message| std::cmp::Reverse(message.id));
        assert_eq!(reads.latest_to(Channel::Email, &to, NOW).await.unwrap(), latest);
    });
}

#[test]
fn queued_mail_is_about_its_invoice_and_finds_what_an_earlier_attempt_kept() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        let about = invoice(&scope, "RE-1", Some(contact.clone()), input(1));
        store_invoices(store, scope.id, std::slice::from_ref(&about)).await;
        let job = NewJob { resource_id: Some(about.id.uuid()), ..job_of(scope.id) };
        let mail = MessageId::from_uuid(job.id.uuid());
        queue_job(store, job).await;
        let subject =
            async |account| store.communications_reads.subject_of_mail(account, mail).await.unwrap();
        let first =
            MailSubject { contact: Some(contact.id), invoice: about.id, is_cancelled: false, stored: None };
        assert_eq!(subject(scope.id).await.as_ref(), Some(&first));
        let mut data = (*outgoing(scope.id, contact.id, "ada@example.com")).clone();
        data.id = mail;
        let stored = Message::new(data);
        insert(store, &stored).await;
        assert_eq!(subject(scope.id).await, Some(MailSubject { stored: Some(stored), ..first }));
        assert_eq!(subject(other.id).await, None, "it is another account's");
        let of_none = job_of(scope.id);
        queue_job(store, of_none.clone()).await;
        let of_none = MessageId::from_uuid(of_none.id.uuid());
        assert_eq!(store.communications_reads.subject_of_mail(scope.id, of_none).await.unwrap(), None);
    });
}

#[test]
fn link_to_an_invoice_was_sent_last_by_the_channel_of_the_latest_message_that_went_out() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let (contact, [about, another]) = two_invoices(store, &scope).await;
        let reads = &store.communications_reads;
        let last = async || reads.channel_of_link(scope.id, about.id).await.unwrap();
        assert_eq!(last().await, None);
        // Channel, purpose, state, and how many hours later the message was written and begun.
        for (channel, purpose, state, written, begun, expected) in [
            (Channel::Email, MessagePurpose::Service, MessageState::Sent, 1, None, Channel::Email),
            (Channel::Sms, MessagePurpose::Reminder, MessageState::Queued, 2, None, Channel::Email),
            (Channel::Sms, MessagePurpose::Reminder, MessageState::Failed, 2, Some(2), Channel::Email),
            (Channel::Sms, MessagePurpose::Answer, MessageState::Sent, 2, Some(2), Channel::Email),
            (Channel::Voice, MessagePurpose::Reminder, MessageState::Sent, 2, Some(2), Channel::Email),
            (Channel::Sms, MessagePurpose::Reminder, MessageState::Delivered, 0, Some(3), Channel::Sms),
            (Channel::Email, MessagePurpose::Receipt, MessageState::Sent, 4, None, Channel::Sms),
            (Channel::Email, MessagePurpose::Reminder, MessageState::Queued, 4, Some(4), Channel::Email),
        ] {
            let hours = |hours: i64| NOW + Duration::hours(hours);
            let message = Message::new(MessageData {
                id: id(),
                channel,
                purpose: Some(purpose),
                state,
                written_at: hours(written),
                began_at: begun.map(hours),
                internet_id: None,
                reply_token: None,
                ..(*outgoing(scope.id, contact.id, "ada@example.com")).clone()
            });
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            tx.messages().insert(&message, &[about.id]).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(last().await, Some(expected), "{channel:?} {purpose:?} {state:?}");
        }
        assert_eq!(reads.channel_of_link(scope.id, another.id).await.unwrap(), None);
        assert_eq!(reads.channel_of_link(other.id, about.id).await.unwrap(), None);
    });
}

#[test]
fn text_about_several_invoices_sent_the_link_of_the_one_that_it_contains() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (contact, [linked, named]) = two_invoices(store, &scope).await;
        let reads = &store.communications_reads;
        let link = format!("https://books.example/pay/{}", linked.pay_token.reveal());
        let sent = |channel, hours, text: &str| {
            Message::new(MessageData {
                id: id(),
                channel,
                text: text.to_owned(),
                began_at: Some(NOW + Duration::hours(hours)),
                internet_id: None,
                reply_token: None,
                ..(*outgoing(scope.id, contact.id, "ada@example.com")).clone()
            })
        };
        let text = format!("Acme: 2 invoices are due: RE-1, RE-2. Pay: {link} Reply STOP to opt out");
        for (message, expected) in [
            (sent(Channel::Sms, 1, &text), [Some(Channel::Sms), None]),
            (sent(Channel::Email, 2, &text), [Some(Channel::Email); 2]),
            (sent(Channel::Sms, 3, &text), [Some(Channel::Sms), Some(Channel::Email)]),
        ] {
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            tx.messages().insert(&message, &[linked.id, named.id]).await.unwrap();
            tx.commit().await.unwrap();
            let last = async |invoice: &Invoice| reads.channel_of_link(scope.id, invoice.id).await.unwrap();
            assert_eq!([last(&linked).await, last(&named).await], expected);
        }
    });
}

#[test]
fn mails_about_an_invoice_that_went_to_an_address_are_found_oldest_first() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let (contact, [about, another]) = two_invoices(store, &scope).await;
        let ada = "ada@example.com";
        for (name, channel, state, address, invoices) in [
            ("one", Channel::Email, MessageState::Sent, ada, vec![about.id]),
            ("two", Channel::Email, MessageState::Delivered, ada, vec![another.id, about.id]),
            ("of-another-invoice", Channel::Email, MessageState::Sent, ada, vec![another.id]),
            ("elsewhere", Channel::Email, MessageState::Sent, "bob@example.com", vec![about.id]),
            ("waiting", Channel::Email, MessageState::Queued, ada, vec![about.id]),
            ("failed", Channel::Email, MessageState::Failed, ada, vec![about.id]),
            ("text", Channel::Sms, MessageState::Sent, ada, vec![about.id]),
            ("three", Channel::Email, MessageState::Sent, ada, vec![about.id]),
        ] {
            let message = Message::new(MessageData {
                id: id(),
                channel,
                state,
                internet_id: Some(name.to_owned()),
                reply_token: None,
                ..(*outgoing(scope.id, contact.id, address)).clone()
            });
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            tx.messages().insert(&message, &invoices).await.unwrap();
            tx.commit().await.unwrap();
        }
        let ada = Address::parse(Channel::Email, ada).unwrap();
        let reads = &store.communications_reads;
        let mails = async |account, limit| reads.mails_about(account, about.id, &ada, limit).await.unwrap();
        assert_eq!(mails(scope.id, 30).await, ["one", "two", "three"]);
        assert_eq!(mails(scope.id, 2).await, ["two", "three"], "the latest");
        assert_eq!(mails(other.id, 30).await, [""; 0]);
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
            // No other test has messages this old, so a batch contains no others.
            data.written_at = NOW - Duration::days(10_000 - days);
            data.state = state;
            Message::new(data)
        };
        let old = [0, 1, 2].map(|days| at(days, MessageState::Sent));
        let (waiting, young) = (at(0, MessageState::Queued), at(3, MessageState::Handled));
        for message in old.iter().chain([&waiting, &young]) {
            insert(store, message).await;
        }
        let before = young.written_at;
        for (limit, removed) in [(2, 2), (2, 1), (2, 0)] {
            assert_eq!(retention.remove_texts(before, NOW, limit).await.unwrap(), removed);
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
        message.transition_to(MessageState::Delivered, None, NOW).unwrap();
        tx.messages().update(&message).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(retention.remove_texts(before, NOW, 2).await.unwrap(), 0, "it stays removed");
    });
}

/// A queued text message.
fn queued_text(account: AccountId, contact: contacts::ContactId) -> Message {
    let way = (Channel::Sms, Address::parse(Channel::Sms, "+61400000001").unwrap());
    let data = MessageData::outgoing(id(), account, MessagePurpose::Answer, way, NOW);
    Message::new(MessageData { contact: Some(contact), ..data })
}

#[test]
fn no_more_texts_are_queued_at_the_same_time_than_the_account_may_send() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let two = AccountChange::MonthlyMessageLimit(Some(2));
        store.operator.change_account(OPERATOR, scope.id, two, NOW).await.unwrap();
        let contact = stored_contact(store, scope.id).await;
        let queue = async || {
            let text = queued_text(scope.id, contact.id);
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            if !tx.messages().lock_texts_left(NOW).await.unwrap() {
                return None;
            }
            tx.messages().insert(&text, &[]).await.unwrap();
            tx.commit().await.unwrap();
            Some(text.id)
        };
        let queued: Vec<MessageId> =
            join_all([queue(), queue(), queue(), queue()]).await.into_iter().flatten().collect();
        assert_eq!(queued.len(), 2);
        let has_texts_left = async |on_its_way| {
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let locked = tx.reminders().lock_all(&[contact.id], on_its_way, NOW).await.unwrap();
            locked.unwrap().0.has_texts_left(NOW.date())
        };
        assert!(!has_texts_left(None).await);
        assert!(has_texts_left(Some(queued[1])).await, "the last that is allowed may be sent");
    });
}
