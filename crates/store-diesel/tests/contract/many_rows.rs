//! Contacts with more rows than a statement of SQLite has parameters.

use communications::{Channel, Decision, HoldReason, NewDecision, StepDecision, StepKey};

use crate::database::{TestDatabase, on_sqlite};
use crate::erasure::{erase, invoiced, send_invoice};
use crate::fixtures::{IDS, NOW, fresh};
use crate::messages::outgoing;

const MANY: usize = 33_000;

/// Stores copies of the only row of a table, which differ from it in these columns.
async fn multiply(db: &TestDatabase, table: &str, columns: &str) {
    db.execute(&format!(
        "CREATE TEMP TABLE copies AS SELECT t.* FROM {table} AS t, (WITH RECURSIVE numbers (n) AS \
         (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < {MANY}) SELECT n FROM numbers); \
         UPDATE copies SET id = randomblob(16){columns}; INSERT INTO {table} SELECT * FROM copies;"
    ))
    .await;
}

#[test]
fn reminders_of_many_invoices_of_a_contact_are_decided() {
    on_sqlite(async |db| {
        let store = &db.store;
        let (scope, contact, _) = invoiced(store).await;
        multiply(db, "invoices", ", number = rowid, pay_token = rowid").await;
        let key = StepKey { days: 1, channel: Channel::Email };
        for reason in [HoldReason::QuietHours, HoldReason::Promise] {
            let decision = Decision::Hold(reason);
            let mut tx = store.communications.begin(scope.id).await.unwrap();
            let (_, locked) = tx.reminders().lock(contact.id, None, NOW).await.unwrap().unwrap();
            assert_eq!(locked.invoices.len(), MANY);
            let decide = |invoice| NewDecision {
                contact: contact.id,
                step: StepDecision { invoice, key, due_at: NOW, decision },
                message: None,
            };
            let decisions: Vec<_> = locked.invoices.iter().map(|one| decide(one.invoice)).collect();
            tx.reminders().record_all(&decisions, NOW, &*IDS).await.unwrap();
            tx.commit().await.unwrap();
        }
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let (_, locked) = tx.reminders().lock(contact.id, None, NOW).await.unwrap().unwrap();
        let held = |one: &communications::InvoiceFacts| one.record(key, NOW);
        assert!(
            locked.invoices.iter().all(|one| held(one) == Some(Decision::Hold(HoldReason::Promise))),
            "the later decision about each counts"
        );
    });
}

#[test]
fn contact_with_many_messages_is_erased() {
    on_sqlite(async |db| {
        let store = &db.store;
        let (scope, contact, issued) = invoiced(store).await;
        send_invoice(store, &scope, &issued).await.unwrap();
        db.execute("UPDATE jobs SET state = 'given_up', finished_at = queued_at, last_error = 'no'").await;
        multiply(db, "jobs", "").await;
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let message = outgoing(scope.id, contact.id, &format!("ada{}@example.com", fresh()));
        tx.messages().insert(&message, &[issued.id]).await.unwrap();
        tx.commit().await.unwrap();
        multiply(db, "messages", ", address = 'ada' || rowid || '@example.com'").await;
        erase(store, &scope, contact.id).await;
        assert_eq!(db.count("SELECT count(*) AS count FROM messages").await, 0);
        assert_eq!(db.count("SELECT count(*) AS count FROM message_invoices").await, 0);
        let kept = "SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND payload <> '{}'";
        assert_eq!(db.count(kept).await, 0);
    });
}
