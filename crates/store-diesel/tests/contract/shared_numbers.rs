//! Text messages from a number that several accounts may have written to.

use communications::{
    Address, Channel, CloseReason, Incoming, Message, MessageData, MessageId, MessagePurpose, MessageState,
};
use kernel::{AccountId, AccountScope};
use store_diesel::Store;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, fresh, id, inbound, line, stored_contact, tenant};
use crate::messages::insert;

/// Two accounts that sent a text message to the number.
async fn two_that_wrote_to(store: &Store, number: &Address) -> [AccountScope; 2] {
    let accounts = [tenant(store).await, tenant(store).await];
    for account in &accounts {
        let contact = Some(stored_contact(store, account.id).await.id);
        let way = (Channel::Sms, number.clone());
        let data = MessageData::outgoing(id(), account.id, MessagePurpose::Reminder, way, NOW);
        insert(store, &Message::new(MessageData { contact, state: MessageState::Sent, ..data })).await;
    }
    accounts
}

/// Receives a text message from the number.
async fn received(store: &Store, number: &Address, text: &str) -> MessageId {
    let provider_id = Some(format!("SM{}", fresh()));
    let (from, text) = (number.clone(), text.to_owned());
    let text = Incoming::Sms { from, text, attachments: 0, opts_out: false, provider_id };
    let received = inbound(store).receive(text).await.unwrap();
    inbound(store).handle(received).await.unwrap();
    received
}

#[test]
fn opt_out_that_is_assigned_late_leaves_a_number_open_that_was_opened_since() {
    on_both(async |db| {
        let store = &db.store;
        let number = Address::parse(Channel::Sms, "+491701234567").unwrap();
        let [account, other] = two_that_wrote_to(store, &number).await;
        let stop = received(store, &number, "STOP").await;
        let standing = async |account: AccountId| {
            let holds = store.communications_reads.address_holds(account, Channel::Sms, &number).await;
            holds.unwrap().iter().filter(|hold| hold.is_standing()).count()
        };
        assert_eq!((standing(account.id).await, standing(other.id).await), (1, 1));
        let mut tx = store.communications.begin(account.id).await.unwrap();
        let (how, at) = (line("she asked for it"), NOW + Duration::HOUR);
        let out = CloseReason::OptedOut;
        assert!(tx.preferences().open_address((Channel::Sms, &number), out, None, &how, at).await.unwrap());
        tx.commit().await.unwrap();
        inbound(store).assign(stop, account.id).await.unwrap();
        assert_eq!((standing(account.id).await, standing(other.id).await), (0, 1));
        let kept = store.communications_reads.message(account.id, stop).await.unwrap().unwrap();
        assert_eq!(kept.state, MessageState::Handled);
    });
}

#[test]
fn keyword_that_opts_in_again_holds_no_reminders_of_the_accounts() {
    on_both(async |db| {
        let store = &db.store;
        let number = Address::parse(Channel::Sms, "+491701234567").unwrap();
        two_that_wrote_to(store, &number).await;
        for (text, state, candidates) in
            [("START", MessageState::Dropped, 0), ("I paid", MessageState::Quarantined, 2)]
        {
            let item = received(store, &number, text).await;
            assert_eq!(store.inbox.item(item).await.unwrap().unwrap().state, state, "{text}");
            assert_eq!(store.inbox.candidates(item).await.unwrap().len(), candidates, "{text}");
        }
    });
}

/// The number of a text message that was refused may be another account's customer.
#[test]
fn text_message_that_the_provider_refused_was_written_to_nobody() {
    on_both(async |db| {
        let (store, reads) = (&db.store, &db.store.communications_reads);
        let scope = tenant(store).await;
        let to = Address::parse(Channel::Sms, "+491701234568").unwrap();
        let text = |state, began_at, provider_id: Option<&str>, contact| {
            let way = (Channel::Sms, to.clone());
            let data = MessageData::outgoing(id(), scope.id, MessagePurpose::Reminder, way, NOW);
            let provider_id = provider_id.map(str::to_owned);
            Message::new(MessageData { contact: Some(contact), state, began_at, provider_id, ..data })
        };
        let mut expected = Vec::new();
        for accepted in [
            None,
            Some((MessageState::Sent, Some(NOW), Some("SM1"))),
            Some((MessageState::Failed, Some(NOW), None)),
            Some((MessageState::Failed, None, Some("SM1"))),
        ] {
            let contact = stored_contact(store, scope.id).await.id;
            if let Some((state, began_at, provider_id)) = accepted {
                let message = text(state, began_at, provider_id, contact);
                insert(store, &message).await;
                expected.insert(0, message);
            }
            insert(store, &text(MessageState::Failed, None, None, contact)).await;
        }
        assert_eq!(reads.latest_to(Channel::Sms, &to, NOW).await.unwrap(), expected);
        assert_eq!(reads.accounts_that_wrote_to(Channel::Sms, &to).await.unwrap(), [scope.id]);
    });
}
