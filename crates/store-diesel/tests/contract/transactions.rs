//! Transactions: all or nothing, and nothing left behind.

use std::cell::RefCell;
use std::error::Error;
use std::pin::pin;
use std::time::Duration;

use contacts::ContactReference;
use futures_util::poll;
use invoices::Stored;
use kernel::{StoreError, is_contended, retry_contended};

use crate::database::{on_both, on_postgres, on_sqlite, open, runtime};
use crate::fixtures::{contact, id, input, invoice, next_position, stored_contact, tenant};
use crate::pipelining::on_a_serving_thread;

#[test]
fn a_dropped_transaction_leaves_nothing_and_locks_nothing() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mine = contact(scope.id);
        // More rounds than there are connections: no connection is lost, and none keeps a lock.
        for _ in 0..40 {
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
            assert!(tx.contacts().insert_new(&mine).await.unwrap());
            let raised = invoice(&scope, "N", Some(mine.clone()), input(1));
            tx.invoices().insert(&raised).await.unwrap();
        }
        let read = store.contact_reads.get(scope.id, mine.id).await.unwrap();
        assert_eq!(read, None);
        let status = store.upkeep.pool_status();
        assert_eq!(status.waiting, 0);
    });
}

/// Whether a use case with this error is retried after contention, and only then.
fn is_tried_again<E: From<StoreError> + Error + 'static>() -> bool {
    let contended = E::from(StoreError::contended("deadlock"));
    is_contended(&contended) && !is_contended(&E::from(StoreError::Failed("no room".into())))
}

#[test]
fn every_use_case_is_tried_again_where_it_ran_into_another() {
    let tried_again = [
        is_tried_again::<contacts::AmendContactError>(),
        is_tried_again::<contacts::FindOrCreateError>(),
        is_tried_again::<escalations::RaiseError>(),
        is_tried_again::<escalations::ResolveError>(),
        is_tried_again::<invoices::AmendInvoiceError>(),
        is_tried_again::<invoices::CancelInvoiceError>(),
        is_tried_again::<invoices::CreateInvoiceError>(),
        is_tried_again::<invoices::PromiseError>(),
        is_tried_again::<invoices::RecordPaymentError>(),
        is_tried_again::<invoices::ReplacePayLinkError>(),
        is_tried_again::<partner_accounts::AmendAccountError>(),
        is_tried_again::<partner_accounts::AmendProfileError>(),
        is_tried_again::<partner_accounts::OwnAccountError>(),
        is_tried_again::<partner_accounts::ProvisionError>(),
        is_tried_again::<partner_accounts::RotateKeyError>(),
        is_tried_again::<communications::AnswerError>(),
        is_tried_again::<communications::ConversationError>(),
        is_tried_again::<communications::HandleError>(),
        is_tried_again::<communications::PauseError>(),
    ];
    assert_eq!(tried_again, [true; 19]);
}

#[test]
fn a_transaction_that_is_given_up_in_the_middle_of_a_statement_locks_nothing() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        for _ in 0..40 {
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let next = next_position(&mut *tx);
            let gone = tokio::time::timeout(Duration::from_micros(300), next).await;
            drop((gone, tx));
        }
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
        tx.commit().await.unwrap();
    });
}

#[test]
fn a_transaction_that_does_nothing_takes_no_connection() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mut idle = Vec::new();
        for _ in 0..40 {
            idle.push(store.invoicing.begin(scope.id).await.unwrap());
        }
        // The only writer, and every connection, is free for transactions that run statements.
        stored_contact(store, scope.id).await;
        for tx in idle {
            tx.commit().await.unwrap();
        }
    });
}

#[test]
fn after_a_failed_statement_nothing_more_is_done() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mine = contact(scope.id);
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        assert!(tx.contacts().insert_new(&mine).await.unwrap());
        // An invoice cannot refer to a contact that does not exist.
        let mut stranger = contact(scope.id);
        stranger.id = id();
        let wrong = invoice(&scope, "N", Some(stranger), input(1));
        assert!(tx.invoices().insert(&wrong).await.is_err());
        assert!(next_position(&mut *tx).await.is_err());
        assert!(tx.commit().await.is_err());
        let read = store.contact_reads.get(scope.id, mine.id).await.unwrap();
        assert_eq!(read, None);
    });
}

#[test]
fn what_is_not_committed_is_seen_by_nobody_else() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mine = contact(account);
        let mut tx = store.contacts.begin(account).await.unwrap();
        assert!(tx.contacts().insert_new(&mine).await.unwrap());
        let reference = ContactReference { id: Some(mine.id), ..ContactReference::default() };
        assert_eq!(tx.contacts().matching(&reference).await.unwrap(), std::slice::from_ref(&mine));
        let outside = store.contact_reads.get(account, mine.id).await.unwrap();
        assert_eq!(outside, None);
        tx.commit().await.unwrap();
        let outside = store.contact_reads.get(account, mine.id).await.unwrap();
        assert_eq!(outside, Some(mine));
    });
}

/// The serving threads have single-threaded runtimes, which start and end.
#[test]
fn serving_thread_with_its_own_runtime_leaves_no_lock_when_it_ends() {
    on_both(async |db| {
        let scope = tenant(&db.store).await;
        for patience in [Duration::from_secs(10), Duration::from_micros(200)] {
            let (store, scope) = (db.store.clone(), scope.clone());
            let thread = std::thread::spawn(move || {
                let mut runtime = tokio::runtime::Builder::new_current_thread();
                runtime.enable_all().build().unwrap().block_on(async {
                    let store = store.for_thread();
                    for _ in 0..20 {
                        let work = async {
                            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
                            next_position(&mut *tx).await.unwrap();
                            store.contact_reads.get(scope.id, id()).await.unwrap();
                        };
                        // The short timeout cancels the work at an arbitrary point.
                        let _done_or_not = tokio::time::timeout(patience, work).await;
                    }
                });
            });
            tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap();
        }
        let mut tx = db.store.invoicing.begin(scope.id).await.unwrap();
        assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
    });
}

/// A thread's own connections outlive the runtime that would have rolled back.
#[test]
fn a_transaction_that_nobody_rolls_back_is_not_lent_on() {
    on_postgres(async |db| {
        let account = tenant(&db.store).await.id;
        let (abandoned, kept) = (contact(account), contact(account));
        let (opener, url) = (runtime(), db.url.clone());
        let store = opener.spawn(async move { open(&url).await }).await.unwrap();
        let contacts = (abandoned.clone(), kept.clone());
        on_a_serving_thread(async move || {
            let store = store.for_thread();
            let (abandoned, kept) = contacts;
            let mut tx = store.contacts.begin(account).await.unwrap();
            assert!(tx.contacts().insert_new(&abandoned).await.unwrap());
            opener.shutdown_background();
            drop(tx);
            let mut tx = store.contacts.begin(account).await.unwrap();
            assert!(tx.contacts().insert_new(&kept).await.unwrap());
            tx.commit().await.unwrap();
        })
        .await;
        let there = async |id| db.store.contact_reads.get(account, id).await.unwrap();
        assert_eq!(there(abandoned.id).await, None);
        assert_eq!(there(kept.id).await, Some(kept));
    });
}

/// The group's COMMIT may fail after the error was returned.
#[test]
fn error_that_depends_on_an_uncommitted_invoice_is_decided_again_when_that_is_committed() {
    on_sqlite(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = Some(stored_contact(store, scope.id).await);
        let first = invoice(&scope, "N", contact.clone(), input(1));
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let inserted = tx.invoices().insert(&first).await.unwrap();
        assert_eq!(inserted, Stored::Done);
        let attempts = RefCell::new(Vec::new());
        let mut refused = pin!(retry_contended(async || {
            let mut tx = store.invoicing.begin(scope.id).await?;
            let rival = invoice(&scope, "N", contact.clone(), input(1));
            let inserted = tx.invoices().insert(&rival).await?;
            let is_committed = store.invoice_reads.get(scope.id, first.id).await?.is_some();
            attempts.borrow_mut().push((inserted, is_committed));
            Ok::<_, StoreError>(())
        }));
        assert!(poll!(&mut refused).is_pending());
        let (committed, refused) = tokio::join!(tx.commit(), refused);
        committed.unwrap();
        refused.unwrap();
        let expected = [(Stored::NumberTaken, false), (Stored::NumberTaken, true)];
        assert_eq!(*attempts.borrow(), expected);
    });
}
