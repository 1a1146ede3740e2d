//! The line of a serving thread, down which its point reads go together. PostgreSQL alone has such lines.

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

use crate::ground::on_postgres;
use crate::make::{invoice, new_account, partner, store_invoices, stored, stored_contact};
use crate::round_trips::Relay;

/// Runs work as a thread that serves requests does: on a runtime of its own, which drives its connections.
pub(crate) async fn on_a_serving_thread<T: Send + 'static>(
    work: impl AsyncFnOnce() -> T + Send + 'static,
) -> T {
    let thread = tokio::task::spawn_blocking(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(work())
    });
    thread.await.unwrap()
}

/// A store with connections enough for each thread to have a line, however many processors there are.
async fn with_lines(url: &str) -> Store {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let options = StoreOptions {
        max_connections: processors.saturating_mul(8),
        ..StoreOptions::default()
    };
    store_diesel::open(url, &options).await.unwrap()
}

struct Known {
    key: ApiKey,
    scope: AccountScope,
    invoice: InvoiceId,
}

async fn known(store: &Store) -> Known {
    let partner = partner(store).await;
    let account = new_account(partner);
    let key = stored(store, partner, &account).await;
    let authenticator = Authenticator::new(store.credentials.clone());
    let caller = authenticator.account(key.reveal()).await.unwrap();
    let contact = stored_contact(store, account.id).await;
    let raised = invoice(caller.scope(), "N", Some(contact), crate::make::input(3));
    store_invoices(store, account.id, std::slice::from_ref(&raised)).await;
    Known {
        key,
        scope: caller.scope().clone(),
        invoice: raised.id,
    }
}

async fn read_together(store: &Store, known: &Known) -> bool {
    let authenticator = Authenticator::new(store.credentials.clone());
    let (caller, invoice) = tokio::join!(
        authenticator.account(known.key.reveal()),
        store.invoice_reads.get(known.scope.id, known.invoice),
    );
    caller.is_ok() && invoice.is_ok_and(|invoice| invoice.is_some())
}

#[test]
fn what_is_asked_at_once_costs_one_round_trip_whatever_it_is() {
    on_postgres(async |ground| {
        let known = known(&ground.store).await;
        let relay = Relay::default();
        let url = relay.start(&ground.url).await;
        let store = with_lines(&url).await;
        let counts = on_a_serving_thread(async move || {
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
        // The first opens the line, and prepares.
        let counts = counts.await;
        assert_eq!(counts[1..], [2, 2], "{counts:?}");
    });
}

#[test]
fn a_line_that_is_cut_is_laid_anew() {
    on_postgres(async |ground| {
        let known = known(&ground.store).await;
        let (url, store) = (ground.url.clone(), with_lines(&ground.url).await);
        on_a_serving_thread(async move || {
            assert!(read_together(&store, &known).await);
            for _ in 0..3 {
                let mut other = AsyncPgConnection::establish(&url).await.unwrap();
                cut_all_but(&mut other).await;
                // Whoever was on the line then learns of it, and nobody after them.
                let mut tries = 0;
                while !read_together(&store, &known).await {
                    tries += 1;
                    assert!(tries < 5, "the line stays cut");
                }
            }
        })
        .await;
    });
}

#[test]
fn a_line_that_stands_still_is_passed_by() {
    on_postgres(async |ground| {
        let known = known(&ground.store).await;
        let (url, store) = (ground.url.clone(), with_lines(&ground.url).await);
        on_a_serving_thread(async move || {
            assert!(read_together(&store, &known).await);
            let mut other = AsyncPgConnection::establish(&url).await.unwrap();
            let lock = "BEGIN; LOCK TABLE invoices IN ACCESS EXCLUSIVE MODE";
            other.batch_execute(lock).await.unwrap();
            // One behind the other, they wait for the lock until each is told that it waits for too long.
            let get = || store.invoice_reads.get(known.scope.id, known.invoice);
            let stuck = join_all((0..10).map(|_| get()));
            let authenticator = Authenticator::new(store.credentials.clone());
            let enter = || authenticator.account(known.key.reveal());
            let entering = async {
                let _in_vain = timeout(Duration::from_millis(500), enter()).await;
                enter().await
            };
            match select(pin!(stuck), pin!(entering)).await {
                Either::Right((entered, _stuck)) => assert!(entered.is_ok()),
                Either::Left(_) => panic!("who asks for nothing that is locked waits too"),
            }
            other.batch_execute("ROLLBACK").await.unwrap();
            assert!(read_together(&store, &known).await);
        })
        .await;
    });
}

async fn cut_all_but(own: &mut AsyncPgConnection) {
    let cut = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
               WHERE datname = current_database() AND pid <> pg_backend_pid()";
    own.batch_execute(cut).await.unwrap();
}
