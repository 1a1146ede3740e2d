//! On a cluster, each statement of a request and its commit go to one server: through the coordinator or,
//! once the store knows which server has the account, directly.
//!
//! Servers log what they send to others (`citus.log_remote_commands`). Tables that are on every server, such
//! as accounts and their keys, are read locally by the server that gets the query.

mod logs;
mod operations;

use std::cell::RefCell;

use idempotency::{Claim, IdempotentOutcome};
use store_diesel::Store;

use crate::database::{TestDatabase, on_citus};
use crate::fixtures::{Requests, fresh_ticket, ticket};
use logs::{Logs, log_what_is_sent};
use operations::{Operations, Prepared, Rows};

#[test]
fn each_operation_goes_from_the_coordinator_to_one_server() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        log_what_is_sent(db).await;
        let requests = &prepared.requests_to(db.a_command().await);
        let wrong = RefCell::new(Vec::new());
        let look = |operation: &str, rows: Rows, sent: &logs::Sent| {
            let servers = match rows {
                Rows::OfAccount | Rows::OfAccountByCoordinator => 1..=1,
                // The lock may be on the server that has the account.
                Rows::OfAccountAndLock => 1..=2,
                Rows::EverywhereRead => 0..=0,
                Rows::EverywhereChanged => 2..=2,
            };
            let is_two_phase = rows == Rows::EverywhereChanged;
            let is_as_said = servers.contains(&sent.servers.len());
            if !is_as_said || sent.by_workers > 0 || sent.is_two_phase != is_two_phase {
                wrong.borrow_mut().push(format!("{operation}: {sent:?}"));
            }
        };
        Operations { requests, prepared: &prepared, logs: Logs::of(db), look }.each().await;
        assert_eq!(wrong.into_inner(), Vec::<String>::new());
    });
}

/// A store that knows which worker has the account.
async fn asks_the_worker(db: &TestDatabase, prepared: &Prepared) -> Store {
    let store = db.another_process().await;
    let mut logs = Logs::of(db);
    // From its first query on, the store looks for the workers in the background.
    for _ in 0..10_000 {
        logs.sent();
        store.invoice_reads.get(prepared.scope.id, prepared.invoice.id).await.unwrap().unwrap();
        if logs.sent().by_coordinator == 0 {
            return store;
        }
    }
    panic!("the coordinator is still asked");
}

#[test]
fn the_worker_that_has_the_account_is_asked_at_once() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        log_what_is_sent(db).await;
        let requests = &prepared.requests_to(asks_the_worker(db, &prepared).await);
        let wrong = RefCell::new(Vec::new());
        let look = |operation: &str, rows: Rows, sent: &logs::Sent| {
            let is_sent = !matches!(rows, Rows::OfAccount | Rows::EverywhereRead);
            if (sent.by_coordinator > 0, sent.by_workers) != (is_sent, 0) {
                wrong.borrow_mut().push(format!("{operation}: {sent:?}"));
            }
            // A statement that names the shards is planned once, instead of by Citus at each request.
            if operation == "GET /invoices/{id}" {
                assert!(sent.names_parts, "{sent:?}");
            }
        };
        Operations { requests, prepared: &prepared, logs: Logs::of(db), look }.each().await;
        assert_eq!(wrong.into_inner(), Vec::<String>::new());
    });
}

#[test]
fn one_in_flight_key_is_held_by_one_process_whichever_server_it_asks() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        let at_once = asks_the_worker(db, &prepared).await;
        let (account, ticket) = (prepared.scope.id, ticket("k", "{}"));
        let mut through_coordinator = db.a_command().await.invoicing.begin(account).await.unwrap();
        let first = through_coordinator.stored_responses().claim(&ticket).await.unwrap();
        assert_eq!(first, Claim::Fresh);
        let mut at_worker = at_once.invoicing.begin(account).await.unwrap();
        let second = at_worker.stored_responses().claim(&ticket).await.unwrap();
        assert_eq!(second, Claim::Taken(IdempotentOutcome::InFlight));
    });
}

/// Moves the account's shard of every table to the other worker.
async fn move_account(db: &TestDatabase, account: kernel::AccountId) {
    let shard = format!("get_shard_id_for_distribution_column('invoices', '{account}'::uuid)");
    db.execute(&format!(
        "SELECT citus_move_shard_placement({shard}, source.nodename, source.nodeport, target.nodename, \
         target.nodeport, shard_transfer_mode := 'block_writes') FROM pg_dist_node AS source, pg_dist_node AS target, \
         pg_dist_placement AS p WHERE p.shardid = {shard} AND source.groupid = p.groupid \
         AND target.groupid NOT IN (0, p.groupid)"
    ))
    .await;
}

#[test]
fn an_account_that_moved_is_read_and_written_where_it_is_now() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        let at_once = prepared.requests_to(asks_the_worker(db, &prepared).await);
        let coordinator = prepared.requests_to(db.a_command().await);
        let (account, id) = (prepared.scope.id, prepared.invoice.id);
        // The store finds a worker with the servers' own hash function; its unit test has the same numbers.
        let hashes = "SELECT count(*) FROM (VALUES ('01a20991-fe62-7748-8393-4c3b5f06d2ff'::uuid, 580627307), \
             ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, -682383255)) AS x(id, hash) WHERE worker_hash(id) = hash";
        assert_eq!(db.count(hashes).await, 2);
        move_account(db, account).await;
        let paid = async |requests: &Requests| {
            let found = requests.store.invoice_reads.get(account, id).await.unwrap().unwrap();
            found.amount_paid.to_string()
        };
        // The previous server keeps the old rows for a while.
        coordinator.record_payment(prepared.invoice.id).await;
        assert_eq!((paid(&at_once).await, paid(&coordinator).await), ("0.01".to_owned(), "0.01".to_owned()));
        at_once.record_payment(prepared.invoice.id).await;
        assert_eq!((paid(&at_once).await, paid(&coordinator).await), ("0.02".to_owned(), "0.02".to_owned()));
        at_once.create_invoice(&fresh_ticket(), prepared.known_contact(), true).await;
    });
}
