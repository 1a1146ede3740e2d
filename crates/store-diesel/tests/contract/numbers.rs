//! Sequence numbers: no duplicates, no gaps.

use contacts::{Contact, ContactInput};
use futures_util::future::join_all;
use idempotency::{Claim, IdempotentOutcome, IdempotentResponse};
use invoices::{CreationNeeds, Invoice, InvoiceNumber, Stored};
use kernel::{AccountScope, Field, FieldErrors, is_contended};
use testkit::FixedClock;
use time::Duration;

use crate::database::{on_both, on_postgres};
use crate::fixtures::{
    NOW, contact, email, fresh_ticket, input, invoice, invoice_at, invoicing, line, next_position,
    store_invoices, stored_contact, stored_invoice, stored_response, tenant,
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
            let number = next_position(&mut *tx).await.unwrap();
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
            assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
            assert_eq!(next_position(&mut *tx).await.unwrap(), 2);
        }
        let mut tx = store.invoicing.begin(other.id).await.unwrap();
        assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
        tx.commit().await.unwrap();
        let mut tx = store.invoicing.begin(one.id).await.unwrap();
        assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
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
        assert_eq!(next_position(&mut *tx).await.unwrap(), 1);
        let free = tx.numbers().first_free_in_sequence("INV-", 2).await;
        assert_eq!(free.unwrap(), 61);
        assert_eq!(next_position(&mut *tx).await.unwrap(), 62);
        let free = tx.numbers().first_free_in_sequence("A-", 3).await;
        assert_eq!(free.unwrap(), 3);
    });
}

#[test]
fn generated_number_that_was_chosen_already_is_contention_and_stores_nothing() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        stored_invoice(store, &scope, "INV-0001", Some(contact.clone()), input(1)).await;
        let refused = invoice(&scope, "INV-0001", Some(contact.clone()), input(2));
        let mine = fresh_ticket();
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let needs = CreationNeeds { ticket: Some(&mine), takes_position: true, contact: None };
        let start = tx.invoices().begin_creation(&needs).await.unwrap();
        assert_eq!((start.claim, start.position), (Claim::Fresh, Some(1)));
        tx.invoices().insert_generated(&refused).await.unwrap();
        tx.stored_responses().store(&mine, &stored_response("never")).await.unwrap();
        assert!(is_contended(&tx.commit().await.unwrap_err()));
        let read = store.invoice_reads.get(scope.id, refused.id).await.unwrap();
        assert_eq!(read, None);
        // Neither the response nor the position was kept.
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let start = tx.invoices().begin_creation(&needs).await.unwrap();
        assert_eq!((start.claim, start.position), (Claim::Fresh, Some(1)));
        let free = tx.numbers().first_free_in_sequence("INV-", 1).await.unwrap();
        let inserted = invoice(&scope, "INV-0002", Some(contact), input(3));
        assert_eq!(free, 2);
        tx.invoices().insert_generated(&inserted).await.unwrap();
        tx.stored_responses().store(&mine, &stored_response("second")).await.unwrap();
        tx.commit().await.unwrap();
        let read = store.invoice_reads.get(scope.id, inserted.id).await.unwrap();
        assert_eq!(read, Some(inserted));
        // A replay takes no position.
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        let start = tx.invoices().begin_creation(&needs).await.unwrap();
        let replayed = IdempotentOutcome::Replayed(stored_response("second"));
        assert_eq!((start.claim, start.position), (Claim::Taken(replayed), None));
        drop(tx);
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        assert_eq!(next_position(&mut *tx).await.unwrap(), 3);
    });
}

#[test]
fn request_with_a_key_in_flight_takes_no_position_and_does_not_wait() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mine = fresh_ticket();
        let needs = CreationNeeds { ticket: Some(&mine), takes_position: true, contact: None };
        let mut first = store.invoicing.begin(scope.id).await.unwrap();
        assert_eq!(first.invoices().begin_creation(&needs).await.unwrap().position, Some(1));
        let mut stores = vec![store.clone()];
        if db.is_postgres() {
            stores.push(db.another_process().await);
        }
        for store in &stores {
            let mut twin = store.invoicing.begin(scope.id).await.unwrap();
            let start = twin.invoices().begin_creation(&needs);
            let start = tokio::time::timeout(std::time::Duration::from_secs(2), start).await.unwrap();
            let start = start.unwrap();
            assert_eq!((start.claim, start.position), (Claim::Taken(IdempotentOutcome::InFlight), None));
        }
    });
}

#[test]
fn nothing_is_read_of_invoices_that_wait_for_the_commit() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let contact = stored_contact(store, scope.id).await;
        let waits = invoice(&scope, "INV-0001", Some(contact), input(1));
        let mut tx = store.invoicing.begin(scope.id).await.unwrap();
        tx.invoices().insert_generated(&waits).await.unwrap();
        assert!(tx.invoices().lock(waits.id).await.is_err());
        assert!(tx.invoices().insert_generated(&waits).await.is_err());
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

/// Otherwise two creations with the same new contact could wait for each other.
#[test]
fn creation_with_a_chosen_number_locks_the_sequence_before_its_contact_if_there_is_a_limit() {
    on_postgres(async |db| {
        let store = &db.store;
        let scope = AccountScope { monthly_invoice_limit: Some(9), ..tenant(store).await };
        let mut elsewhere = store.contacts.begin(scope.id).await.unwrap();
        let known = Contact { email: Some(email("ada@example.com")), ..contact(scope.id) };
        assert!(elsewhere.contacts().insert_new(&known).await.unwrap());
        let mut chosen = input(1);
        chosen.invoice_number = Field::Value(InvoiceNumber::parse("A-1").unwrap());
        chosen.contact = Field::Value(ContactInput {
            name: Field::Value(line("Ada")),
            email: Field::Value(email("Ada@example.com")),
            ..ContactInput::default()
        });
        let service = invoicing(store, FixedClock::default());
        let present = |invoice: &Invoice| stored_response(invoice.number.as_str());
        let response = IdempotentResponse { ticket: None, present: &present };
        let creating = service.create(&scope, chosen, FieldErrors::default(), &response);
        let other = async {
            // Until the creation waits for the contact, and this for the sequence.
            loop {
                let mut tx = store.invoicing.begin(scope.id).await.unwrap();
                let position = next_position(&mut *tx);
                if tokio::time::timeout(std::time::Duration::from_millis(200), position).await.is_err() {
                    break;
                }
            }
            elsewhere.commit().await.unwrap();
        };
        let both = async { tokio::join!(creating, other) };
        let limit = std::time::Duration::from_secs(10);
        let (created, ()) = tokio::time::timeout(limit, both).await.expect("the sequence is locked");
        created.unwrap();
    });
}
