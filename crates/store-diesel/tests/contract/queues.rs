//! Queue figures: the number of unfinished jobs, and when the first is due.

use diesel::prelude::*;
use diesel::sql_types::Text;
use outbox::{NewJob, Outcome};
use partner_accounts::AccountChange;
use store_diesel::{QueueFigures, Store};
use time::{Duration, OffsetDateTime};

use crate::communications::inbox_item;
use crate::database::{on_both, on_sqlite};
use crate::fixtures::{NOW, OPERATOR, tenant};
use crate::jobs::{job_of, lease, queue, queue_job};
use crate::webhook_deliveries::{publish_at, subscribed};

fn figures(queue: &str, waiting: u64, first_due_at: Option<OffsetDateTime>) -> QueueFigures {
    QueueFigures { queue: queue.to_owned(), waiting, first_due_at }
}

/// Three mails, queued a minute apart, one ledger job, one delivery, and one inbound message.
async fn fill(store: &Store) {
    let account = subscribed(store).await;
    publish_at(store, account, NOW).await;
    let mut tx = store.invoicing.begin(account).await.unwrap();
    for minutes in [2, 0, 1] {
        let mail = NewJob { queued_at: NOW + Duration::minutes(minutes), ..job_of(account) };
        tx.jobs().queue(mail).await.unwrap();
    }
    let task =
        NewJob { kind: "ledger", queued_at: NOW - Duration::HOUR, to_customer: false, ..job_of(account) };
    tx.jobs().queue(task).await.unwrap();
    tx.commit().await.unwrap();
    store.inbox.store(&inbox_item()).await.unwrap();
}

#[test]
fn what_is_not_finished_is_counted_and_the_first_due_is_known() {
    on_both(async |db| {
        let store = &db.store;
        let all = async || {
            let mut figures = store.queues.figures().await.unwrap();
            figures.sort_by(|a, b| a.queue.cmp(&b.queue));
            figures
        };
        assert_eq!(all().await, []);
        fill(store).await;
        let inbound = || figures("inbound", 1, Some(NOW));
        let ledger = || figures("ledger", 1, Some(NOW - Duration::HOUR));
        let webhooks = || figures("webhooks", 1, Some(NOW));
        assert_eq!(all().await, [inbound(), ledger(), figures("mail", 3, Some(NOW)), webhooks()]);
        let overdue = async |before| {
            let mut overdue = store.queues.overdue(before).await.unwrap();
            overdue.sort();
            overdue
        };
        assert_eq!(overdue(NOW - Duration::HOUR).await, Vec::<String>::new());
        assert_eq!(overdue(NOW).await, ["ledger"]);
        assert_eq!(overdue(NOW + Duration::SECOND).await, ["inbound", "ledger", "mail", "webhooks"]);
        // A leased job still waits, and is due when its lease ends.
        let leased = lease(store, NOW, 1).await;
        let next = Some(NOW + Duration::MINUTE);
        assert_eq!(all().await, [inbound(), ledger(), figures("mail", 3, next), webhooks()]);
        store.jobs.record(leased[0].lease, &Outcome::Done { at: NOW }).await.unwrap();
        assert_eq!(all().await, [inbound(), ledger(), figures("mail", 2, next), webhooks()]);
    });
}

#[test]
fn held_mail_waits_and_is_not_due() {
    on_both(async |db| {
        let store = &db.store;
        let (off, on) = (tenant(store).await.id, tenant(store).await.id);
        queue(store, off).await;
        let change = AccountChange::OffByOperator(true);
        store.operator.change_account(OPERATOR, off, change, NOW).await.unwrap();
        assert_eq!(store.queues.figures().await.unwrap(), [figures("mail", 1, None)]);
        let later = NOW + Duration::HOUR;
        queue_job(store, NewJob { queued_at: later, ..job_of(on) }).await;
        assert_eq!(store.queues.figures().await.unwrap(), [figures("mail", 2, Some(later))]);
    });
}

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = Text)]
    detail: String,
}

#[test]
fn counting_reads_the_index_of_what_is_waiting_and_no_table() {
    on_sqlite(async |db| {
        let path = db.url.strip_prefix("sqlite://").unwrap();
        let mut connection = SqliteConnection::establish(path).unwrap();
        for (table, state, group) in [
            ("jobs", "waiting", "GROUP BY kind"),
            ("webhook_deliveries", "pending", "HAVING count(*) > 0"),
            ("inbound_messages", "stored", "HAVING count(*) > 0"),
        ] {
            let explain = format!(
                "EXPLAIN QUERY PLAN SELECT count(*), min(due_at) FROM {table} WHERE state = '{state}' {group}"
            );
            let steps = diesel::sql_query(explain).load::<Step>(&mut connection);
            let steps: Vec<String> = steps.unwrap().into_iter().map(|step| step.detail).collect();
            assert_eq!(steps, [format!("SCAN {table} USING COVERING INDEX {table}_due")]);
        }
    });
}
