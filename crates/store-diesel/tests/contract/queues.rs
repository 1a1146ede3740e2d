//! How the queues stand: everything that is not finished, and when the first of it is due.

use diesel::prelude::*;
use diesel::sql_types::Text;
use invoices::{LedgerTask, LedgerWork};
use mail::{NewMail, Outcome};
use store_diesel::{QueueFigures, Store};
use time::{Duration, OffsetDateTime};

use crate::ground::{on_both, on_sqlite};
use crate::make::{NOW, id, tenant};

const LEASE: Duration = Duration::minutes(5);

fn figures(queue: &str, waiting: u64, first_due_at: Option<OffsetDateTime>) -> QueueFigures {
    QueueFigures { queue: queue.to_owned(), waiting, first_due_at }
}

/// Three mails, queued a minute apart, and one task of the ledger.
async fn fill(store: &Store) {
    let account = tenant(store).await.id;
    let mut tx = store.invoicing.begin(account).await.unwrap();
    for minutes in [2, 0, 1] {
        let mail =
            NewMail { queued_at: NOW + Duration::minutes(minutes), ..crate::outgoing_mail::mail_of(account) };
        tx.outgoing().queue(mail).await.unwrap();
    }
    let task = LedgerTask {
        id: id(),
        account,
        invoice: id(),
        what: LedgerWork::Push,
        queued_at: NOW - Duration::HOUR,
    };
    tx.ledger().queue(&task).await.unwrap();
    tx.commit().await.unwrap();
}

#[test]
fn what_is_not_finished_is_counted_and_the_first_due_is_known() {
    on_both(async |ground| {
        let store = &ground.store;
        let webhooks = || figures("webhooks", 0, None);
        let empty = store.queues.figures().await.unwrap();
        assert_eq!(empty, [figures("mail", 0, None), figures("ledger", 0, None), webhooks()]);
        fill(store).await;
        let ledger = || figures("ledger", 1, Some(NOW - Duration::HOUR));
        let full = store.queues.figures().await.unwrap();
        assert_eq!(full, [figures("mail", 3, Some(NOW)), ledger(), webhooks()]);
        let overdue = async |before| store.queues.overdue(before).await.unwrap();
        assert_eq!(overdue(NOW - Duration::HOUR).await, Vec::<String>::new());
        assert_eq!(overdue(NOW).await, ["ledger"]);
        assert_eq!(overdue(NOW + Duration::SECOND).await, ["mail", "ledger"]);
        // One that somebody is at waits still, and is due when its lease ends.
        let leased = store.mail_queue.lease_due(NOW, LEASE, 1).await.unwrap();
        let next = Some(NOW + Duration::MINUTE);
        let one_leased = store.queues.figures().await.unwrap();
        assert_eq!(one_leased, [figures("mail", 3, next), ledger(), webhooks()]);
        let sent = Outcome::Done { at: NOW };
        let mail_queue = &store.mail_queue;
        mail_queue.record(leased[0].lease(), &sent).await.unwrap();
        let one_sent = store.queues.figures().await.unwrap();
        assert_eq!(one_sent, [figures("mail", 2, next), ledger(), webhooks()]);
    });
}

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[test]
fn counting_reads_the_index_of_what_is_waiting_and_no_table() {
    on_sqlite(async |ground| {
        let path = ground.url.strip_prefix("sqlite://").unwrap();
        let mut connection = SqliteConnection::establish(path).unwrap();
        for (table, state) in
            [("outgoing_mail", "waiting"), ("ledger_tasks", "waiting"), ("webhook_deliveries", "pending")]
        {
            let explain = format!(
                "EXPLAIN QUERY PLAN SELECT count(*), min(due_at) FROM {table} WHERE state = '{state}'"
            );
            let steps = diesel::sql_query(explain).load::<Step>(&mut connection);
            let steps: Vec<String> = steps.unwrap().into_iter().map(|step| step.detail).collect();
            assert_eq!(steps, [format!("SCAN {table} USING COVERING INDEX {table}_due")]);
        }
    });
}
