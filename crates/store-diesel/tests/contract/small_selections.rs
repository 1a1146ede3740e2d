//! How SQLite, which knows nothing of the number of rows, finds a few of an account's many records: by what
//! they are selected by, and not along all records in the order of the result.

use communications::{Address, Channel, Message, MessageData, MessagePurpose};

use crate::database::{TestDatabase, on_sqlite};
use crate::fixtures::{NOW, id, stored_contact, tenant};
use crate::plans::{capture_statements, captured_with, explain_on_sqlite};

/// Sends every statement once.
async fn ask(db: &TestDatabase) {
    capture_statements();
    let store = db.another_process().await;
    let account = tenant(&store).await.id;
    let contact = stored_contact(&store, account).await;
    let other = stored_contact(&store, account).await;
    let mut tx = store.communications.begin(account).await.unwrap();
    tx.reminders().lock_all(&[contact.id, other.id], None, NOW).await.unwrap();
    tx.reminders().steps_of(id()).await.unwrap();
    let to = (Channel::Email, Address::from(contact.email.as_ref().unwrap()));
    let data = MessageData::outgoing(id(), account, MessagePurpose::Service, to, NOW);
    let message = Message::new(MessageData { contact: Some(contact.id), ..data });
    tx.messages().insert(&message, &[]).await.unwrap();
    tx.messages().erase(contact.id).await.unwrap();
    drop(tx);
    let facts = store.reminder_reads.account(account, NOW).await.unwrap().unwrap();
    store.reminder_reads.contacts(&facts, NOW, None, 25, NOW).await.unwrap();
    store.communications_reads.unread(account, None, 25).await.unwrap();
    let address = Address::parse(Channel::Email, "ada@example.com").unwrap();
    store.communications_reads.mails_about(account, id(), &address, 3).await.unwrap();
    store.communications_reads.channel_of_link(account, id()).await.unwrap();
    store.inbox.count_quarantined().await.unwrap();
    store.online_reads.open_intents(None, 25).await.unwrap();
}

#[test]
fn sqlite_finds_few_records_by_what_selects_them() {
    on_sqlite(async |db| {
        ask(db).await;
        for (beginning, parts, search) in [
            (
                "SELECT",
                vec!["FROM \"invoices\"", "\"contact_id\" IN (?, ?"],
                "invoices_by_contact (account_id=? AND contact_id=?)",
            ),
            (
                "SELECT",
                vec!["FROM \"contacts\"", "invoices.contact_id > ?"],
                "invoices EXISTS USING INDEX invoices_by_contact (account_id=? AND contact_id=?)",
            ),
            ("SELECT", vec!["FROM \"reminder_steps\"", "\"message_id\" = ?"], "reminder_steps_of_message"),
            (
                "SELECT",
                vec!["\"internet_id\" IS NOT NULL", "message_invoices", "LIMIT ?"],
                "message_invoices_by_invoice (account_id=? AND invoice_id=?)",
            ),
            (
                "SELECT",
                vec!["\"pay_token\"", "message_invoices", "LIMIT ?"],
                "message_invoices_by_invoice (account_id=? AND invoice_id=?)",
            ),
            ("SELECT", vec!["AND \"messages\".\"is_unread\"", "LIMIT ?"], "messages_unread (account_id=?)"),
            ("SELECT", vec!["COUNT(*)", "state = 'quarantined'"], "inbound_messages_quarantined"),
            (
                "SELECT",
                vec!["FROM \"payment_intents\"", "state <> 'ended'", "LIMIT ?"],
                "payment_intents_open",
            ),
            ("UPDATE", vec!["\"inbound_messages\"", "\"message_id\" IN (?"], "inbound_messages_of_message"),
        ] {
            let plan = explain_on_sqlite(db, &captured_with(beginning, &parts));
            println!("{parts:?}:\n{plan}\n");
            assert!(plan.contains(search), "{plan}");
        }
    });
}
