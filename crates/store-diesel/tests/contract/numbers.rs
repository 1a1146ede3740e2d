//! Sequence numbers: no duplicates, no gaps.

use futures_util::future::join_all;
use invoices::{Invoice, InvoiceNumber, Numbered, Stored};
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{
    NOW, input, invoice, invoice_at, next_number, store_invoices, stored_contact, stored_invoice, tenant,
};

#[test]
fn fifty_creations_at_once_take_one_to_fifty() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let other = db.another_process().await;
        let creations = (0..50).map(async |n: u32| {
            let store = if n.is_multiple_of(2) { store } else { &other };
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let number = next_number(&mut *tx, &scope).await.unwrap();
            if n.is_multiple_of(5) {
                drop(tx);
                return None;
            }
            tx.commit().await.unwrap();
            Some(number)
        });
        let mut taken: Vec<u64> = join_all(creations).await.into_iter().flatten().collect();
        taken.sort_unstable();
        assert_eq!(taken, (1..=40).collect::<Vec<_>>());
    });
}

#[test]
fn a_roll_back_gives_the_number_back_and_each_account_counts_for_itself() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (tenant(store).await, tenant(store).await);
        for _ in 0..3 {
            let mut tx = store.invoicing.begin(one.id).await.unwrap();
            assert_eq!(next_number(&mut *tx, &one).await.unwrap(), 1);
            assert_eq!(next_number(&mut *tx, &one).await.unwrap(), 2);
        }
        let mut tx = store.invoicing.begin(other.id).await.unwrap();
        assert_eq!(next_number(&mut *tx, &other).await.unwrap(), 1);
        tx.commit().await.unwrap();
        let mut tx = store.invoicing.begin(one.id).await.unwrap();
        assert_eq!(next_number(&mut *tx, &one).await.unwrap(), 1);
    });
}

#[test]
fn numbers_that_were_chosen_are_skipped() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let chosen: Vec<_> = (2..=60)
            .map(|n| invoice(&scope, &format!("INV-{n:04}"), Some(contact.clone()), input(1)))
            .collect();
        store_invoices(store, scope.id, &chosen).await;
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        assert_eq!(next_number(&mut *tx, &scope).await.unwrap(), 1);
        let second = invoice(&scope, "blank", Some(contact), input(2));
        let taken = tx.invoices().insert_next(&second, "INV-").await.unwrap();
        assert_eq!(taken, Numbered::Taken(2));
        let free = tx.numbers().first_free_in_sequence("INV-", 3).await;
        assert_eq!(free.unwrap(), 61);
        assert_eq!(next_number(&mut *tx, &scope).await.unwrap(), 62);
        let free = tx.numbers().first_free_in_sequence("A-", 3).await;
        assert_eq!(free.unwrap(), 3);
        tx.commit().await.unwrap();
        let read = store.invoice_reads.get(scope.id, second.id).await.unwrap();
        assert_eq!(read, None, "nothing of it was inserted");
    });
}

#[test]
fn a_taken_number_changes_nothing_and_the_transaction_goes_on() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        stored_invoice(store, &scope, "A", Some(contact.clone()), input(2)).await;
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let refused = invoice(&scope, "A", Some(contact.clone()), input(2));
        let inserted = tx.invoices().insert(&refused).await.unwrap();
        assert_eq!(inserted, Stored::NumberTaken);
        let free = invoice(&scope, "a", Some(contact), input(2));
        assert_eq!(tx.invoices().insert(&free).await.unwrap(), Stored::Done);
        tx.commit().await.unwrap();
        let read = store.invoice_reads.get(scope.id, refused.id).await.unwrap();
        assert_eq!(read, None);
        let read = store.invoice_reads.get(scope.id, free.id).await.unwrap();
        assert_eq!(read, Some(free));
        // The other account has a sequence of its own.
        let theirs = stored_contact(store, other.id).await;
        let same = invoice(&other, "A", Some(theirs), input(1));
        store_invoices(store, other.id, &[same]).await;
    });
}

#[test]
fn invoices_are_counted_from_an_instant_on() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        let contact = stored_contact(store, scope.id).await;
        let microsecond = Duration::microseconds(1);
        let instants = [NOW - microsecond, NOW, NOW + microsecond, NOW + Duration::days(1)];
        let invoices: Vec<_> = (0..)
            .zip(instants)
            .map(|(n, now)| {
                let contact = Some(contact.clone());
                invoice_at(now, &scope, &format!("N{n}"), contact, input(1))
            })
            .collect();
        store_invoices(store, scope.id, &invoices).await;
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        for (since, count) in
            [(NOW - Duration::days(1), 4), (NOW, 3), (NOW + microsecond, 2), (NOW + Duration::days(2), 0)]
        {
            let counted = tx.numbers().count_created_since(since).await.unwrap();
            assert_eq!(counted, count);
        }
        drop(tx);
        let mut tx = store.invoicing.begin(other.id).await.unwrap();
        assert_eq!(tx.numbers().count_created_since(NOW).await.unwrap(), 0);
    });
}

#[test]
fn concurrent_creations_never_exceed_the_counted_limit() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let creations = (0..12).map(async |n| {
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            if tx.numbers().count_created_since(NOW).await.unwrap() >= 3 {
                return 0;
            }
            let invoice = invoice(&scope, &format!("N{n}"), Some(contact.clone()), input(1));
            tx.invoices().insert(&invoice).await.unwrap();
            tx.commit().await.unwrap();
            1
        });
        assert_eq!(join_all(creations).await.into_iter().sum::<i32>(), 3);
    });
}

#[test]
fn the_next_number_is_written_as_the_domain_writes_it() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        for (next, prefix) in [(1, "INV-"), (9_999, ""), (10_000, "Ä 'x' "), (123_456, "%s")] {
            store.bulk.set_sequence(scope.id, next).await.unwrap();
            let raised = invoice(&scope, "blank", Some(contact.clone()), input(3));
            let mut tx = store.invoicing.begin(scope.id).await.unwrap();
            let numbered = tx.invoices().insert_next(&raised, prefix).await.unwrap();
            let number = InvoiceNumber::generated(prefix, next);
            assert_eq!(numbered, Numbered::As(number.clone()));
            tx.commit().await.unwrap();
            let read = store.invoice_reads.get(scope.id, raised.id).await.unwrap();
            let mut expected = (*raised).clone();
            expected.number = number;
            assert_eq!(read, Some(Invoice::from_stored(expected)), "{prefix}");
        }
    });
}
