//! Messages that the owner gives another type.

use communications::{
    Address, Channel, ConversationError, Corrected, Message, MessageData, MessageType, Understood,
};
use contacts::ContactId;
use kernel::AccountId;
use time::macros::date;

use crate::database::on_both;
use crate::fixtures::{NOW, conversations, id, input, stored_contact, stored_invoice, tenant};
use crate::messages::{insert, understood};

/// A message of a contact.
fn incoming(account: AccountId, contact: ContactId) -> MessageData {
    let from = Address::parse(Channel::Email, "ada@example.com").unwrap();
    let data = MessageData::incoming(id(), account, (Channel::Email, from), NOW);
    MessageData { contact: Some(contact), ..data }
}

#[test]
fn promise_that_the_owner_recognizes_is_not_stored_for_an_invoice_of_another_contact() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let (own, other) = (stored_contact(store, scope.id).await, stored_contact(store, scope.id).await);
        for (number, invoiced, followed, promised) in [
            ("A-1", other, Corrected::PromiseToEnter, None),
            ("A-2", own.clone(), Corrected::ActedOn, Some(date!(2026 - 12 - 04))),
        ] {
            let invoice = stored_invoice(store, &scope, number, Some(invoiced), input(1)).await;
            let unsure = Understood { sure: false, ..understood() };
            let (of, understood) = (Some(invoice.id), Some(unsure));
            let data = MessageData { invoice: of, understood, ..incoming(scope.id, own.id) };
            let message = Message::new(data);
            insert(store, &message).await;
            for _ in 0..2 {
                let corrected =
                    conversations(store).correct(&scope, message.id, MessageType::Promise, None).await;
                assert_eq!(corrected.unwrap(), followed, "{number}");
            }
            let promises = store.payment_page_history.promises(scope.id, invoice.id).await.unwrap();
            assert_eq!(promises.first().map(|promise| promise.promised_on), promised, "{number}");
        }
    });
}

#[test]
fn automatic_message_has_no_type_that_the_owner_could_correct() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let automatic = Message::new(incoming(scope.id, contact.id));
        insert(store, &automatic).await;
        let corrected = conversations(store).correct(&scope, automatic.id, MessageType::Hardship, None).await;
        assert!(matches!(corrected, Err(ConversationError::MessageNotFound)));
        assert_eq!(store.escalation_reads.list(scope.id, None, 10).await.unwrap(), []);
    });
}
