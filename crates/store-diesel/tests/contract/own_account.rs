//! An account, changed by its owner: profile, key, notices.

use std::sync::Arc;

use access::KeyUse;
use futures_util::future::join_all;
use kernel::{AccountId, Field, FieldErrors, HttpsUrl, SingleLine};
use mail::{OwnerNotice, SilencedNotices};
use partner_accounts::{
    Account, AmendProfileError, OwnAccountError, OwnAccounts, ProfileAmendment, ProfileInput,
};
use serde_json::json;
use store_diesel::Store;
use testkit::FixedClock;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, audit_entry, email, id, line, new_account, partner, stored};

pub(crate) fn own_accounts(store: &Store, clock: FixedClock) -> OwnAccounts {
    OwnAccounts {
        store: store.own_accounts.clone(),
        clock: Arc::new(clock),
        ids: Arc::new(kernel::SystemIds::default()),
        random: Arc::new(kernel::SystemRandom::default()),
        logos: crate::logos::logos(store),
        urls: kernel::PublicUrls::new("https://books.example"),
    }
}

async fn account(store: &Store) -> Account {
    let partner = partner(store).await;
    let account = new_account(partner);
    stored(store, partner, &account).await;
    account
}

pub(crate) fn named(name: &str) -> ProfileInput {
    ProfileInput { company_name: Field::Value(line(name)), ..ProfileInput::default() }
}

async fn amend(
    own: &OwnAccounts,
    account: AccountId,
    amendment: ProfileAmendment,
) -> Result<Account, AmendProfileError> {
    own.amend_profile(account, amendment, FieldErrors::default()).await
}

#[test]
fn owner_changes_the_profile_and_nothing_that_is_not_the_owners() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let (one, other) = (account(store).await, account(store).await);
        let own = own_accounts(store, clock.clone());
        clock.advance(Duration::HOUR);
        let fields = ProfileInput {
            phone: Field::Value(line("+61 2")),
            email: Field::Value(email("another@example.com")),
            external_id: Field::Value(line("another")),
            webhook_url: Field::Value(HttpsUrl::parse("https://example.com").unwrap()),
            payment_slug: Field::Value(SingleLine::parse(other.payment_slug.as_str()).unwrap()),
            ..named("Acme Two")
        };
        let changed = amend(&own, one.id, ProfileAmendment { fields, ..ProfileAmendment::default() }).await;
        let changed = changed.unwrap();
        assert_eq!(changed, own.get(one.id).await.unwrap());
        let mut wanted = own.get(one.id).await.unwrap();
        wanted.profile = one.profile.clone();
        wanted.profile.company_name = line("Acme Two");
        wanted.profile.phone = Some(line("+61 2"));
        assert_eq!(changed, wanted);
        assert_eq!((&changed.email, &changed.external_id), (&one.email, &one.external_id));
        assert_eq!((changed.webhook, changed.updated_at), (None, NOW + Duration::HOUR));
        assert_eq!(changed.payment_slug.as_str(), format!("{}-2", other.payment_slug.as_str()));
        let untouched = own.get(other.id).await.unwrap();
        assert_eq!((untouched.profile, untouched.updated_at), (other.profile, NOW));
    });
}

#[test]
fn audit_entry_of_a_profile_has_the_fields_that_changed() {
    on_both(async |db| {
        let store = &db.store;
        let id = account(store).await.id;
        let save = async |fields| {
            let audited = store.audited(audit_entry(id, "profile.changed"));
            let amendment = ProfileAmendment { fields, ..ProfileAmendment::default() };
            amend(&own_accounts(&audited, FixedClock::default()), id, amendment).await.unwrap();
        };
        save(named("Acme Two")).await;
        let fields = ProfileInput {
            phone: Field::Value(line("+61 2")),
            communications_enabled: Field::Value(false),
            ..named("Acme Two")
        };
        save(fields.clone()).await;
        // Saved again, nothing changes.
        save(fields).await;
        let entries = store.audit.list(id, None, 10).await.unwrap();
        let [second, first] = &entries[..] else { panic!("{entries:?}") };
        assert_eq!(first.after, Some(json!({"company_name": "Acme Two"})));
        assert_eq!(second.before, Some(json!({"phone": null, "communications_enabled": true})));
        assert_eq!(second.after, Some(json!({"phone": "+61 2", "communications_enabled": false})));
    });
}

#[test]
fn name_of_the_payment_page_that_is_sent_back_is_kept_even_if_a_shorter_one_is_free_again() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let (one, other) = (account(store).await, account(store).await);
        let own = own_accounts(store, clock);
        let rename = async |id, to: &str| {
            let payment_slug = Field::Value(SingleLine::parse(to).unwrap());
            let fields =
                ProfileInput { payment_slug, phone: Field::Value(line("9")), ..ProfileInput::default() };
            let amendment = ProfileAmendment { fields, ..ProfileAmendment::default() };
            amend(&own, id, amendment).await.unwrap().payment_slug.as_str().to_owned()
        };
        let name = "s".repeat(60);
        assert_eq!(rename(one.id, &name).await, name);
        let suffixed = rename(other.id, &name).await;
        assert_eq!(suffixed, format!("{name}-2"));
        rename(one.id, "renamed").await;
        assert_eq!(rename(other.id, &suffixed).await, suffixed);
    });
}

#[test]
fn profile_that_was_changed_meanwhile_is_not_overwritten() {
    on_both(async |db| {
        let (store, clock) = (&db.store, FixedClock::default());
        let seen = account(store).await;
        let id = seen.id;
        // The clock stands still: only the content differs between the versions.
        let own = own_accounts(store, clock.clone());
        let amending = (0..6).map(async |n| {
            let fields = named(&format!("Company of {n}"));
            let version = Some(seen.version());
            let amendment = ProfileAmendment { fields, version, ..ProfileAmendment::default() };
            amend(&own, id, amendment).await
        });
        let mut changed = Vec::new();
        for amended in join_all(amending).await {
            match amended {
                Ok(account) => changed.push(account),
                Err(AmendProfileError::Changed) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(changed, [own.get(id).await.unwrap()]);
        let unknown = amend(&own, crate::fixtures::id(), ProfileAmendment::default()).await;
        assert!(matches!(unknown, Err(AmendProfileError::NotFound)));
    });
}

#[test]
fn logo_is_uploaded_or_fetched_and_the_one_before_is_removed() {
    on_both(async |db| {
        let store = &db.store;
        let id = account(store).await.id;
        let own = own_accounts(store, FixedClock::default());
        let picture = include_bytes!("../../../pdf-krilla/tests/sample/logo.png").to_vec();
        let upload = ProfileAmendment { logo: Some(picture), ..ProfileAmendment::default() };
        let uploaded = amend(&own, id, upload).await.unwrap().logo.unwrap();
        let address = |url: &str| ProfileAmendment {
            fields: ProfileInput {
                logo_url: Field::Value(HttpsUrl::parse(url).unwrap().into()),
                ..ProfileInput::default()
            },
            ..ProfileAmendment::default()
        };
        let same = amend(&own, id, address(&own.urls.logo(&uploaded))).await.unwrap();
        assert_eq!(same.logo, Some(uploaded.clone()));
        let fetched = amend(&own, id, address("https://acme.example/logo")).await.unwrap().logo.unwrap();
        assert_ne!(fetched, uploaded);
        let broken = ProfileAmendment { logo: Some(b"GIF89a".to_vec()), ..ProfileAmendment::default() };
        let Err(AmendProfileError::Invalid(faults)) = amend(&own, id, broken).await else { panic!() };
        let faults: Vec<_> = faults.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(faults, ["is a GIF image, which is not taken; only PNG and JPEG images are"]);
        let missing = amend(&own, id, address("https://acme.example/missing")).await;
        assert!(matches!(missing, Err(AmendProfileError::Invalid(faults)) if faults.names("logo_url")));
        assert_eq!(own.get(id).await.unwrap().logo, Some(fetched));
        let due = store.logo_removals.begin(NOW, NOW + Duration::HOUR, 10).await.unwrap();
        assert_eq!(due, [uploaded]);
    });
}

#[test]
fn new_key_revokes_the_earlier_ones_of_its_account_alone() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let (one, other) = (new_account(partner), new_account(partner));
        let (old, others) = (stored(store, partner, &one).await, stored(store, partner, &other).await);
        let own = own_accounts(store, FixedClock::default());
        let new_keys = [(); 4].map(|()| own.new_key());
        for put in join_all(new_keys.iter().map(|(_, record)| own.put_key(one.id, record, None))).await {
            put.unwrap();
        }
        let mut valid = 0;
        for (key, _) in &new_keys {
            let found = store.credentials.account_key(&key.hash()).await.unwrap();
            valid += usize::from(found.is_some());
        }
        assert_eq!(valid, 1);
        assert!(store.credentials.account_key(&old.hash()).await.unwrap().is_none());
        assert!(store.credentials.account_key(&others.hash()).await.unwrap().is_some());
        let present = own.get(one.id).await.unwrap().key.unwrap().last_four;
        for (replaced, is_done) in [("", false), ("none", false), (&*present, true), (&*present, false)] {
            let put = own.put_key(one.id, &own.new_key().1, Some(replaced)).await;
            assert_eq!(put.is_ok(), is_done, "{replaced}: {put:?}");
            assert!(is_done || matches!(put, Err(OwnAccountError::Changed)));
        }
        let unknown = own.put_key(id(), &own.new_key().1, None).await;
        assert!(matches!(unknown, Err(OwnAccountError::NotFound)));
    });
}

#[test]
fn last_use_of_a_key_is_the_latest_that_was_stored() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        let secret = stored(store, partner, &account).await;
        let key_record = store.credentials.account_key(&secret.hash()).await.unwrap().unwrap();
        let own = own_accounts(store, FixedClock::default());
        let last_used = async || own.get(account.id).await.unwrap().key.unwrap().last_used_at;
        assert_eq!(last_used().await, None);
        let used = |at| KeyUse { account: account.id, key: key_record.key, at };
        for (at, wanted) in
            [(NOW, NOW), (NOW + Duration::HOUR, NOW + Duration::HOUR), (NOW, NOW + Duration::HOUR)]
        {
            store.key_uses.record_uses(&[used(at)]).await.unwrap();
            assert_eq!(last_used().await, Some(wanted));
        }
        store.key_uses.record_uses(&[]).await.unwrap();
        let foreign = KeyUse { account: id(), ..used(NOW + Duration::DAY) };
        store.key_uses.record_uses(&[foreign]).await.unwrap();
        assert_eq!(last_used().await, Some(NOW + Duration::HOUR));
    });
}

#[test]
fn notices_are_switched_off_from_what_the_owner_saw() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (account(store).await.id, account(store).await.id);
        let own = own_accounts(store, FixedClock::default());
        let none = SilencedNotices::NONE;
        let some = SilencedNotices::of([OwnerNotice::Escalations]);
        assert_eq!(own.silenced(one).await.unwrap(), none);
        own.silence(one, none, some).await.unwrap();
        assert_eq!((own.silenced(one).await.unwrap(), own.silenced(other).await.unwrap()), (some, none));
        assert!(matches!(own.silence(one, none, none).await, Err(OwnAccountError::Changed)));
        assert!(matches!(own.silenced(id()).await, Err(OwnAccountError::NotFound)));
        // Other changes of the account leave the setting unchanged.
        let renamed = ProfileAmendment { fields: named("Acme Two"), ..ProfileAmendment::default() };
        amend(&own, one, renamed).await.unwrap();
        assert_eq!(own.silenced(one).await.unwrap(), some);
    });
}
