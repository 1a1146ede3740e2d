//! The pipelined connection of a serving thread, shared by its point reads. Only PostgreSQL has one.

use std::num::NonZero;
use std::pin::pin;
use std::time::Duration;

use access::{ApiKey, Authenticator};
use diesel_async::{AsyncConnection as _, AsyncPgConnection, SimpleAsyncConnection as _};
use futures_util::future::{Either, join_all, select};
use invoices::InvoiceId;
use kernel::AccountScope;
use store_diesel::{Store, StoreOptions};
use tokio::time::timeout;

use crate::database::on_postgres;
use crate::fixtures::{new_account, partner, stored, stored_contact, stored_invoice};
use crate::round_trips::Relay;

/// Runs work as a serving thread does: on a thread with a runtime of its own.
pub(crate) async fn on_a_serving_thread<T: Send + 'static>(
    work: impl AsyncFnOnce() -> T + Send + 'static,
) -> T {
    let thread = tokio::task::spawn_blocking(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(work())
    });
    thread.await.unwrap()
}

/// A store with enough connections for a pipelined one on each thread, whatever the number of processors.
async fn open_pipelined(url: &str) -> Store {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let options = StoreOptions { max_connections: processors.saturating_mul(8), ..StoreOptions::default() };
    store_diesel::open(url, &options).await.unwrap()
}

struct Fixture {
    key: ApiKey,
    scope: AccountScope,
    invoice: InvoiceId,
}

async fn known(store: &Store) -> Fixture {
    let partner = partner(store).await;
    let account = new_account(partner);
    let key = stored(store, partner, &account).await;
    let authenticator = Authenticator::new(store.credentials.clone());
    let caller = authenticator.account(key.reveal()).await.unwrap();
    let contact = stored_contact(store, account.id).await;
    let raised = stored_invoice(store, caller.scope(), "N", Some(contact), crate::fixtures::input(3)).await;
    Fixture { key, scope: caller.scope().clone(), invoice: raised.id }
}

async fn read_together(store: &Store, known: &Fixture) -> bool {
    let authenticator = Authenticator::new(store.credentials.clone());
    let (caller, invoice) = tokio::join!(
        authenticator.account(known.key.reveal()),
        store.invoice_reads.get(known.scope.id, known.invoice),
    );
    caller.is_ok() && invoice.is_ok_and(|invoice| invoice.is_some())
}

#[test]
fn point_reads_at_the_same_time_cost_one_round_trip() {
    on_postgres(async |db| {
        let known = known(&db.store).await;
        let relay = Relay::default();
        let url = relay.start(&db.url).await;
        let store = open_pipelined(&url).await;
        let counts = on_a_serving_thread(async move || {
            let store = store.for_thread();
            let mut counts = Vec::new();
            for _ in 0..3 {
                let read = async {
                    assert!(read_together(&store, &known).await);
                    assert!(read_together(&store, &known).await);
                };
                counts.push(relay.count(&store, read).await);
            }
            counts
        });
        // The first call opens the connection and prepares the statements.
        let counts = counts.await;
        assert_eq!(counts[1..], [2, 2], "{counts:?}");
    });
}

#[test]
fn pipelined_connection_terminated_is_replaced() {
    on_postgres(async |db| {
        let known = known(&db.store).await;
        let (url, store) = (db.url.clone(), open_pipelined(&db.url).await);
        on_a_serving_thread(async move || {
            let store = store.for_thread();
            assert!(read_together(&store, &known).await);
            for _ in 0..3 {
                let mut other = AsyncPgConnection::establish(&url).await.unwrap();
                terminate_all_but(&mut other).await;
                // Queries in flight fail; later ones do not.
                let mut tries = 0;
                while !read_together(&store, &known).await {
                    tries += 1;
                    assert!(tries < 5, "the connection is not replaced");
                }
            }
        })
        .await;
    });
}

#[test]
fn pipelined_connection_stalled_is_not_used() {
    on_postgres(async |db| {
        let known = known(&db.store).await;
        let (url, store) = (db.url.clone(), open_pipelined(&db.url).await);
        on_a_serving_thread(async move || {
            let store = store.for_thread();
            assert!(read_together(&store, &known).await);
            let mut other = AsyncPgConnection::establish(&url).await.unwrap();
            let lock = "BEGIN; LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE";
            other.batch_execute(lock).await.unwrap();
            // The reads wait for the lock one after the other, each until the lock timeout.
            let get = || store.invoice_reads.get(known.scope.id, known.invoice);
            let stuck = join_all((0..10).map(|_| get()));
            let authenticator = Authenticator::new(store.credentials.clone());
            let authenticate = || authenticator.account(known.key.reveal());
            let authenticating = async {
                let _timed_out = timeout(Duration::from_millis(500), authenticate()).await;
                authenticate().await
            };
            match select(pin!(stuck), pin!(authenticating)).await {
                Either::Right((authenticated, _stuck)) => assert!(authenticated.is_ok()),
                Either::Left(_) => panic!("a query on another table waits too"),
            }
            other.batch_execute("ROLLBACK").await.unwrap();
            assert!(read_together(&store, &known).await);
        })
        .await;
    });
}

async fn terminate_all_but(own: &mut AsyncPgConnection) {
    let terminate = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    own.batch_execute(terminate).await.unwrap();
}
