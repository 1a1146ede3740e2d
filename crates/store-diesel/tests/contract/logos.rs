//! Copies of logos: recorded before they are stored, then adopted or removed, never both.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use kernel::{Field, FieldErrors, HttpsUrl, LogoKey, LogoKind, PublicUrls, SystemRandom};
use partner_accounts::{
    Account, AmendAccountError, AmendmentInput, LogoAddress, LogoFetchError, LogoSource, LogoStore,
    LogoStoreError, Logos, PartnerAccounts, ProfileInput, Provisioned,
};
use store_diesel::Store;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, email, fresh, line, new_account, partner, partner_accounts, stored};

/// A source that has a picture at every address except one, and a store that accepts everything.
struct Everywhere;

#[async_trait]
impl LogoSource for Everywhere {
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        if url.as_str().contains("missing") {
            return Err(LogoFetchError::Status(404));
        }
        Ok(include_bytes!("../../../pdf-krilla/tests/sample/logo.png").to_vec())
    }
}

#[async_trait]
impl LogoStore for Everywhere {
    async fn put(&self, _: &LogoKey, _: Vec<u8>) -> Result<(), LogoStoreError> {
        Ok(())
    }

    async fn get(&self, _: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError> {
        Ok(None)
    }

    async fn remove(&self, _: &LogoKey) -> Result<(), LogoStoreError> {
        Ok(())
    }
}

pub(crate) fn logos(store: &Store) -> Logos {
    Logos { source: Arc::new(Everywhere), store: Arc::new(Everywhere), removals: store.logo_removals.clone() }
}

fn key() -> LogoKey {
    LogoKey::generate(LogoKind::Png, &SystemRandom::default())
}

/// The keys that are removed within a day.
async fn removed(store: &Store) -> Vec<LogoKey> {
    let tomorrow = NOW + Duration::days(1);
    let begun = store.logo_removals.begin(tomorrow, tomorrow + Duration::DAY, 100);
    begun.await.unwrap()
}

#[test]
fn scheduled_removal_is_due_once_for_one_process() {
    on_both(async |db| {
        let ledger = &db.store.logo_removals;
        let (first, second) = (key(), key());
        ledger.schedule(&first, NOW + Duration::HOUR).await.unwrap();
        ledger.schedule(&second, NOW + Duration::DAY).await.unwrap();
        let at = async |now| ledger.begin(now, now + Duration::MINUTE, 9).await.unwrap();
        assert_eq!(at(NOW).await, []);
        let due = NOW + Duration::HOUR;
        let all = join_all((0..5).map(|_| at(due))).await;
        assert_eq!(all.concat(), std::slice::from_ref(&first));
        // The process that had begun the removal did not finish.
        let later = due + Duration::MINUTE;
        assert_eq!(at(later).await, std::slice::from_ref(&first));
        ledger.done(&first).await.unwrap();
        assert_eq!(at(later + Duration::HOUR).await, []);
        assert_eq!(at(NOW + Duration::days(2)).await, [second]);
    });
}

#[test]
fn adopted_logo_stays_and_one_under_removal_is_not_adopted() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let (kept, lost, gone) = (key(), key(), key());
        for key in [&kept, &lost, &gone] {
            store.logo_removals.schedule(key, NOW).await.unwrap();
        }
        let mut tx = store.provisioning.begin(partner).await.unwrap();
        assert!(tx.logos().adopt(&kept).await.unwrap());
        assert!(!tx.logos().adopt(&kept).await.unwrap());
        tx.commit().await.unwrap();
        // A transaction that is dropped without commit leaves the record in place.
        let mut tx = store.provisioning.begin(partner).await.unwrap();
        assert!(tx.logos().adopt(&lost).await.unwrap());
        drop(tx);
        // The roll-back runs in the background, and rows that it still locks are skipped.
        let mut begun = removed(store).await;
        for _ in 0..10_000 {
            if begun.len() < 2 {
                begun.extend(removed(store).await);
            }
        }
        begun.sort();
        let mut expected = vec![lost.clone(), gone.clone()];
        expected.sort();
        assert_eq!(begun, expected);
        let mut tx = store.provisioning.begin(partner).await.unwrap();
        assert!(!tx.logos().adopt(&gone).await.unwrap());
    });
}

#[test]
fn logo_of_another_account_is_not_discarded() {
    on_both(async |db| {
        let store = &db.store;
        let (ours, theirs) = (partner(store).await, partner(store).await);
        let mut account = new_account(ours);
        account.logo = Some(key());
        stored(store, ours, &account).await;
        let logo = account.logo.clone().unwrap();
        let read = store.account_reads.get(ours, account.id).await.unwrap();
        assert_eq!(read.unwrap().logo.as_ref(), Some(&logo));
        let letterhead = store.invoice_reads.letterhead(account.id).await.unwrap();
        assert_eq!(letterhead.logo_key.as_ref(), Some(&logo));

        let mut tx = store.provisioning.begin(theirs).await.unwrap();
        assert!(tx.logos().discard(account.id, &logo, NOW).await.is_err());
        drop(tx);
        let mut tx = store.provisioning.begin(ours).await.unwrap();
        assert!(tx.logos().discard(account.id, &key(), NOW).await.is_err());
        drop(tx);
        assert_eq!(removed(store).await, []);
    });
}

#[test]
fn a_logo_is_replaced_and_taken_away_and_what_was_not_used_is_removed() {
    on_both(async |db| {
        let store = &db.store;
        let (accounts, partner) = (partner_accounts(store), partner(store).await);
        let url = |path: &str| HttpsUrl::parse(&format!("https://acme.example/{path}")).unwrap();
        let input = |path: &str| ProfileInput {
            company_name: Field::Value(line("Acme")),
            email: Field::Value(email(&format!("acme{}@example.com", fresh()))),
            logo_url: Field::Value(url(path).into()),
            ..ProfileInput::default()
        };
        let none = accounts.provision(partner, input("missing"), FieldErrors::default());
        assert!(none.await.is_err());
        assert_eq!(store.account_reads.list(partner, 9, 0).await.unwrap().total, 0);

        let made = accounts.provision(partner, input("logo"), FieldErrors::default());
        let Provisioned::New(made) = made.await.unwrap() else {
            panic!("it is new");
        };
        let first = made.account.logo.clone().unwrap();
        let amend = async |logo_url: Field<LogoAddress>| -> Account {
            let profile = ProfileInput { logo_url, ..ProfileInput::default() };
            let input = AmendmentInput { profile, ..AmendmentInput::default() };
            let amended = accounts.amend(partner, made.account.id, input, FieldErrors::default());
            amended.await.unwrap().account
        };
        assert_eq!(removed(store).await, []);
        // An account's own logo URL is not a new logo.
        let own = LogoAddress::read(&accounts.urls.logo(&first));
        assert_eq!(amend(Field::Value(own)).await.logo.as_ref(), Some(&first));
        let second = amend(Field::Value(url("other").into())).await.logo.unwrap();
        assert_ne!(first, second);
        assert_eq!(removed(store).await, [first]);
        assert_eq!(amend(Field::Null).await.logo, None);
        let read = store.account_reads.get(partner, made.account.id).await.unwrap();
        assert_eq!(read.unwrap().logo, None);
        assert_eq!(removed(store).await, [second]);
    });
}

#[test]
fn logo_address_that_is_not_https_is_accepted_only_from_the_account_that_shows_it() {
    on_both(async |db| {
        let (store, partner) = (&db.store, partner(&db.store).await);
        let urls = PublicUrls::new("http://127.0.0.1:8080");
        let accounts = PartnerAccounts { urls, ..partner_accounts(store) };
        let mut account = new_account(partner);
        account.logo = Some(key());
        stored(store, partner, &account).await;
        let amend = async |address: &str| {
            let logo_url = Field::Value(LogoAddress::read(address));
            let profile = ProfileInput { logo_url, ..ProfileInput::default() };
            let input = AmendmentInput { profile, ..AmendmentInput::default() };
            accounts.amend(partner, account.id, input, FieldErrors::default()).await
        };
        let shown = accounts.urls.logo(account.logo.as_ref().unwrap());
        let same = amend(&format!(" {shown} ")).await.unwrap().account;
        assert_eq!((same.logo.as_ref(), same.updated_at), (account.logo.as_ref(), account.updated_at));
        for other in [accounts.urls.logo(&key()), "logo.png".to_owned()] {
            let Err(AmendAccountError::Invalid(faults)) = amend(&other).await else { panic!() };
            let faults: Vec<_> = faults.iter().map(|fault| (&*fault.field, &*fault.message)).collect();
            assert_eq!(faults, [("logo_url", "must be an https:// address")]);
        }
    });
}
