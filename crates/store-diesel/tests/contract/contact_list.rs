//! Contacts: listed, searched and amended.

use std::sync::Arc;

use contacts::{AmendContactError, Contact, ContactAmendment, ContactService, SearchText};
use futures_util::future::join_all;
use kernel::{AccountId, Cursor, Field, FieldErrors, PageSize};
use store_diesel::Store;
use testkit::FixedClock;

use crate::database::on_both;
use crate::fixtures::{NOW, contact, email, line, stored_contact, tenant};

fn service(store: &Store) -> ContactService {
    ContactService {
        store: store.contacts.clone(),
        reads: store.contact_reads.clone(),
        clock: Arc::new(FixedClock::at(NOW)),
        ids: Arc::new(kernel::SystemIds::default()),
    }
}

async fn stored(store: &Store, account: AccountId, name: &str, address: &str) -> Contact {
    let contact = Contact { name: line(name), email: Some(email(address)), ..contact(account) };
    let mut tx = store.contacts.begin(account).await.unwrap();
    assert!(tx.contacts().insert_new(&contact).await.unwrap());
    tx.commit().await.unwrap();
    contact
}

/// The names of the contacts that match a search.
async fn found(store: &Store, account: AccountId, search: &str) -> Vec<String> {
    let search = SearchText::parse(search);
    let page = store.contact_reads.list(account, search.as_ref(), PageSize::MAX, None).await.unwrap();
    assert_eq!(page.next, None);
    page.items.into_iter().map(|contact| contact.name.into_string()).collect()
}

#[test]
fn contacts_are_listed_newest_first_page_by_page() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let mut stored = Vec::new();
        for _ in 0..5 {
            stored.insert(0, stored_contact(store, account).await);
        }
        stored_contact(store, other).await;
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page =
                store.contact_reads.list(account, None, PageSize::of(2).unwrap(), after).await.unwrap();
            seen.extend(page.items);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, stored);
        let last = Some(Cursor { after: stored[4].id.uuid() });
        let behind = store.contact_reads.list(account, None, PageSize::DEFAULT, last).await.unwrap();
        assert!(behind.items.is_empty());
    });
}

#[test]
fn search_finds_a_number_by_its_words_and_by_its_digits() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        for (account, name, phone) in [
            (account, "Ada", "(02) 9123-4567"),
            (account, "Grace", "+61 412 345 678"),
            (other, "Bob", "9123 4567"),
        ] {
            let contact = Contact { name: line(name), phone: Some(line(phone)), ..contact(account) };
            let mut tx = store.contacts.begin(account).await.unwrap();
            assert!(tx.contacts().insert_new(&contact).await.unwrap());
            tx.commit().await.unwrap();
        }
        for (search, names) in [
            ("02 9123 45", &["Ada"][..]),
            ("9123 4567", &["Ada"]),
            ("+61-412-345", &["Grace"]),
            ("412 345 678", &["Grace"]),
            ("Ada 412", &[]),
        ] {
            assert_eq!(found(store, account, search).await, names, "{search}");
        }
    });
}

#[test]
fn search_finds_contacts_by_the_beginnings_of_all_its_words() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        stored(store, account, "Ada Lovelace", "ada@example.com").await;
        stored(store, account, "Brightwater (Électrique) Pty", "Accounts@Brightwater.example").await;
        stored(store, account, "100% _Pure_ Ltd", "pure@example.com").await;
        stored(store, other, "Ada Other", "other@example.com").await;
        for (search, names) in [
            ("ada", vec!["Ada Lovelace"]),
            ("LOVE", vec!["Ada Lovelace"]),
            ("love ada", vec!["Ada Lovelace"]),
            ("ada pty", vec![]),
            ("électr", vec!["Brightwater (Électrique) Pty"]),
            ("accounts@bright", vec!["Brightwater (Électrique) Pty"]),
            ("%", vec![]),
            ("100%", vec!["100% _Pure_ Ltd"]),
            ("_pure", vec!["100% _Pure_ Ltd"]),
            ("ovelace", vec![]),
            ("' OR 1=1 --", vec![]),
            ("c-", vec!["100% _Pure_ Ltd", "Brightwater (Électrique) Pty", "Ada Lovelace"]),
        ] {
            assert_eq!(found(store, account, search).await, names, "{search}");
        }
    });
}

#[test]
fn contacts_loaded_in_bulk_are_found() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        store.bulk.contacts(&[Contact { name: line("Bulk Loaded"), ..contact(account) }]).await.unwrap();
        assert_eq!(found(store, account, "loaded").await, ["Bulk Loaded"]);
    });
}

#[test]
fn amended_contact_is_read_back_and_found_by_its_new_words_alone() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let before = stored(store, scope.id, "Ada Byron", "ada@example.com").await;
        let amendment = ContactAmendment { name: Field::Value(line("Ada Lovelace")), ..Default::default() };
        let service = service(store);
        let amend =
            |version| service.amend(&scope, before.id, version, amendment.clone(), FieldErrors::default());
        let version = before.version();
        let amended = amend(&version).await.unwrap();
        assert_eq!(amended.name.as_str(), "Ada Lovelace");
        assert_eq!(store.contact_reads.get(scope.id, before.id).await.unwrap(), Some(amended));
        assert!(found(store, scope.id, "byron").await.is_empty());
        assert_eq!(found(store, scope.id, "lovelace").await, ["Ada Lovelace"]);
        let stale = amend(&version).await;
        assert!(matches!(stale, Err(AmendContactError::Changed)), "{stale:?}");
    });
}

#[test]
fn address_of_another_contact_is_a_fault_and_changes_nothing() {
    on_both(async |db| {
        let store = &db.store;
        let (scope, other) = (tenant(store).await, tenant(store).await);
        stored(store, scope.id, "Ada", "ada@example.com").await;
        let eve = stored(store, scope.id, "Eve", "eve@example.com").await;
        let service = service(store);
        let taking =
            |address: &str| ContactAmendment { email: Field::Value(email(address)), ..Default::default() };
        let version = eve.version();
        let taken =
            service.amend(&scope, eve.id, &version, taking("ADA@example.com"), FieldErrors::default()).await;
        let Err(AmendContactError::Invalid(faults)) = taken else { panic!("{taken:?}") };
        assert!(faults.names("email"));
        // A fault of another field does not hide it.
        let nameless = ContactAmendment { name: Field::Null, ..taking("ada@example.com") };
        let both = service.amend(&scope, eve.id, &version, nameless, FieldErrors::default()).await;
        let Err(AmendContactError::Invalid(faults)) = both else { panic!("{both:?}") };
        assert!(faults.names("name") && faults.names("email"), "{faults:?}");
        let nameless = ContactAmendment { name: Field::Null, ..taking("EVE@example.com") };
        let own = service.amend(&scope, eve.id, &version, nameless, FieldErrors::default()).await;
        let Err(AmendContactError::Invalid(faults)) = own else { panic!("{own:?}") };
        assert!(faults.names("name") && !faults.names("email"), "{faults:?}");
        assert_eq!(store.contact_reads.get(scope.id, eve.id).await.unwrap(), Some(eve.clone()));
        let foreign =
            service.amend(&other, eve.id, &version, taking("x@example.com"), FieldErrors::default()).await;
        assert!(matches!(foreign, Err(AmendContactError::NotFound)), "{foreign:?}");
        // Its own address in another letter case.
        let own =
            service.amend(&scope, eve.id, &version, taking("EVE@example.com"), FieldErrors::default()).await;
        assert_eq!(own.unwrap().email.unwrap().as_str(), "EVE@example.com");
    });
}

#[test]
fn of_two_contacts_that_race_for_one_address_one_gets_it() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let mut contacts = Vec::new();
        for _ in 0..4 {
            contacts.push(stored_contact(store, scope.id).await);
        }
        let race = contacts.iter().map(async |contact| {
            let amendment =
                ContactAmendment { email: Field::Value(email("one@example.com")), ..Default::default() };
            let version = contact.version();
            match service(store).amend(&scope, contact.id, &version, amendment, FieldErrors::default()).await
            {
                Ok(_) => true,
                Err(AmendContactError::Invalid(faults)) if faults.names("email") => false,
                Err(error) => panic!("{error:?}"),
            }
        });
        let won = join_all(race).await;
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "{won:?}");
    });
}
