//! Contacts: look-ups, inserts, and races for one address.

use contacts::{Contact, ContactReference, PostalAddress};
use futures_util::future::join_all;
use idempotency::Claim;
use kernel::AccountId;
use store_diesel::Store;

use crate::database::on_both;
use crate::fixtures::{contact, email, fresh, id, line, stored_contact, tenant, ticket};

async fn insert(store: &Store, account: AccountId, contact: &Contact) -> bool {
    let mut tx = store.contacts.begin(account).await.unwrap();
    let inserted = tx.contacts().insert_new(contact).await.unwrap();
    tx.commit().await.unwrap();
    inserted
}

#[test]
fn a_contact_comes_back_as_it_went_in() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mut bare = contact(account);
        (bare.email, bare.external_id) = (None, None);
        let mut full = contact(account);
        full.phone = Some(line("+61 400 000 000"));
        full.address = Some(PostalAddress {
            line1: Some(line(&"ß".repeat(200))),
            country: Some(line("\"quoted\" \\ 日本")),
            ..PostalAddress::default()
        });
        for contact in [bare, full] {
            assert!(insert(store, account, &contact).await);
            let read = store.contact_reads.get(account, contact.id).await.unwrap();
            let read = read.unwrap();
            assert_eq!(read, contact);
            let spelled = |contact: &Contact| contact.email.as_ref().map(|e| e.as_str().to_owned());
            assert_eq!(spelled(&read), spelled(&contact));
        }
    });
}

/// A look-up sent with the claim saves a round trip, and changes nothing else.
#[test]
fn contacts_read_with_the_claim_equal_those_read_after_it() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        let known = stored_contact(store, account).await;
        let by_email = ContactReference { email: known.email.clone(), ..ContactReference::default() };
        let by_id = ContactReference { id: Some(known.id), ..ContactReference::default() };
        let anybody = ContactReference::default();
        for (account, reference, found) in [
            (account, &by_email, vec![known.clone()]),
            (account, &by_id, vec![known.clone()]),
            (account, &anybody, vec![]),
            (other, &by_email, vec![]),
            (other, &by_id, vec![]),
        ] {
            let mut tx = store.contacts.begin(account).await.unwrap();
            let mine = ticket(&format!("k{}", fresh()), "{}");
            let claimed = tx.contacts().claim_and_lock(&mine, reference).await.unwrap();
            assert_eq!(claimed, (Claim::Fresh, found));
            // Changes made by the transaction itself are visible.
            let new = contact(account);
            assert!(tx.contacts().insert_new(&new).await.unwrap());
            let by_new_id = ContactReference { id: Some(new.id), ..ContactReference::default() };
            assert_eq!(tx.contacts().matching(&by_new_id).await.unwrap(), [new]);
        }
    });
}

#[test]
fn a_reference_finds_all_that_it_may_mean() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mut stored = Vec::new();
        for _ in 0..4 {
            stored.push(stored_contact(store, account).await);
        }
        let mut tx = store.contacts.begin(account).await.unwrap();
        let reference = ContactReference {
            id: Some(stored[0].id),
            external_id: stored[1].external_id.clone(),
            email: Some(email(&stored[2].email.as_ref().unwrap().as_str().to_uppercase())),
            ..ContactReference::default()
        };
        let mut found = tx.contacts().matching(&reference).await.unwrap();
        found.sort_by_key(|contact| contact.id);
        assert_eq!(found, stored[..3]);
        let nothing = ContactReference::default();
        assert!(tx.contacts().matching(&nothing).await.unwrap().is_empty());
        let spelled_otherwise = ContactReference {
            external_id: Some(line(&stored[1].external_id.as_ref().unwrap().as_str().to_uppercase())),
            ..ContactReference::default()
        };
        let found = tx.contacts().matching(&spelled_otherwise).await.unwrap();
        assert!(found.is_empty(), "external ids are compared exactly");
    });
}

#[test]
fn a_taken_address_or_external_id_changes_nothing_and_the_transaction_goes_on() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let first = stored_contact(store, account).await;
        let mut tx = store.contacts.begin(account).await.unwrap();
        let mut same_email = contact(account);
        same_email.email = Some(email(&first.email.as_ref().unwrap().as_str().to_lowercase()));
        let mut same_external_id = contact(account);
        same_external_id.external_id = first.external_id.clone();
        assert!(!tx.contacts().insert_new(&same_email).await.unwrap());
        assert!(!tx.contacts().insert_new(&same_external_id).await.unwrap());
        let reference = ContactReference { email: same_email.email.clone(), ..ContactReference::default() };
        let first_external_id = first.external_id.clone().unwrap();
        assert_eq!(tx.contacts().matching(&reference).await.unwrap(), [first]);
        // External ids are compared as they are written.
        let mut free = contact(account);
        free.external_id = Some(line(&first_external_id.as_str().to_uppercase()));
        assert!(tx.contacts().insert_new(&free).await.unwrap());
        tx.commit().await.unwrap();
        assert!(store.contact_reads.get(account, free.id).await.unwrap().is_some());
        assert_eq!(store.contact_reads.get(account, same_email.id).await.unwrap(), None);
    });
}

#[test]
fn of_those_that_race_for_one_address_or_external_id_one_wins_and_the_others_see_it() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        for by_email in [true, false] {
            let race = (0..8).map(async |_| {
                let mut mine = contact(account);
                let mut reference = ContactReference::default();
                if by_email {
                    mine.email = Some(email("the-one@example.com"));
                    reference.email = mine.email.clone();
                } else {
                    mine.external_id = Some(line("the one"));
                    reference.external_id = mine.external_id.clone();
                }
                let mut tx = store.contacts.begin(account).await.unwrap();
                if tx.contacts().insert_new(&mine).await.unwrap() {
                    tx.commit().await.unwrap();
                    return mine.id;
                }
                let found = tx.contacts().matching(&reference).await.unwrap();
                assert_eq!(found.len(), 1);
                found[0].id
            });
            let ids = join_all(race).await;
            assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        }
    });
}

#[test]
fn look_up_matches_every_given_value() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let (ada, eve) = (stored_contact(store, account).await, stored_contact(store, account).await);
        let reads = &store.contact_reads;
        let shouted = email(&ada.email.as_ref().unwrap().as_str().to_uppercase());
        let found = reads.look_up(account, Some(&shouted), None).await.unwrap();
        assert_eq!(found.as_ref(), Some(&ada));
        let found = reads.look_up(account, None, ada.external_id.as_ref()).await.unwrap();
        assert_eq!(found.as_ref(), Some(&ada));
        let both = reads.look_up(account, Some(&shouted), ada.external_id.as_ref());
        assert_eq!(both.await.unwrap().as_ref(), Some(&ada));
        let mixed = reads.look_up(account, Some(&shouted), eve.external_id.as_ref());
        assert_eq!(mixed.await.unwrap(), None);
        assert_eq!(reads.look_up(account, None, None).await.unwrap(), None);
    });
}

#[test]
fn a_contact_is_found_by_every_spelling_of_its_domain() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mut ada = contact(account);
        ada.email = Some(email("ada@bücher.example"));
        let mut tx = store.contacts.begin(account).await.unwrap();
        assert!(tx.contacts().insert_new(&ada).await.unwrap());
        let mut same = contact(account);
        same.email = Some(email("ada@xn--bcher-kva.example"));
        assert!(!tx.contacts().insert_new(&same).await.unwrap());
        let reference = ContactReference { email: same.email.clone(), ..ContactReference::default() };
        assert_eq!(tx.contacts().matching(&reference).await.unwrap(), [ada.clone()]);
        tx.commit().await.unwrap();
        let found = store.contact_reads.look_up(account, same.email.as_ref(), None).await.unwrap().unwrap();
        assert_eq!((found.id, found.email.unwrap().as_str()), (ada.id, "ada@bücher.example"));
    });
}

#[test]
fn another_accounts_contacts_are_not_there() {
    on_both(async |db| {
        let store = &db.store;
        let (mine, theirs) = (tenant(store).await.id, tenant(store).await.id);
        let hidden = stored_contact(store, theirs).await;
        let reads = &store.contact_reads;
        assert_eq!(reads.get(mine, hidden.id).await.unwrap(), None);
        let (name, other) = (hidden.name.to_string(), id());
        assert_eq!(reads.names(mine, &[hidden.id]).await.unwrap(), []);
        assert_eq!(reads.names(theirs, &[hidden.id, other]).await.unwrap(), [(hidden.id, name)]);
        assert_eq!(reads.names(theirs, &[]).await.unwrap(), []);
        let looked_up = reads.look_up(mine, hidden.email.as_ref(), None).await;
        assert_eq!(looked_up.unwrap(), None);
        let looked_up = reads.look_up(mine, None, hidden.external_id.as_ref()).await;
        assert_eq!(looked_up.unwrap(), None);
        let reference = ContactReference {
            id: Some(hidden.id),
            external_id: hidden.external_id.clone(),
            email: hidden.email.clone(),
            ..ContactReference::default()
        };
        let mut tx = store.contacts.begin(mine).await.unwrap();
        assert!(tx.contacts().matching(&reference).await.unwrap().is_empty());
        // Contacts of the other account do not occupy addresses of this one.
        let mut same = hidden.clone();
        (same.account, same.id) = (mine, id());
        assert!(tx.contacts().insert_new(&same).await.unwrap());
    });
}
