//! Accounts with their related records: created, amended and switched off over real stores.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use kernel::{AccountId, Clock as _, Field, FieldErrors, HttpsUrl, PartnerScope};
use partner_accounts::{
    AmendAccountError, AmendmentInput, PartnerAccounts, ProfileAmendment, ProfileInput, Provisioned,
};
use testkit::FixedClock;
use time::Duration;

use crate::database::on_both;
use crate::fixtures::{NOW, email, fresh, line, partner, partner_accounts, slug};
use crate::jobs::lease;
use crate::own_account::own_accounts;

fn hook(path: &str) -> Field<HttpsUrl> {
    Field::Value(HttpsUrl::parse(&format!("https://hooks.example.com/{path}")).unwrap())
}

fn profile(webhook_url: Field<HttpsUrl>) -> ProfileInput {
    ProfileInput { webhook_url, ..ProfileInput::default() }
}

fn amendment(profile: ProfileInput) -> AmendmentInput {
    AmendmentInput { profile, ..AmendmentInput::default() }
}

async fn account(accounts: &PartnerAccounts, partner: PartnerScope, url: Field<HttpsUrl>) -> AccountId {
    let input = ProfileInput {
        company_name: Field::Value(line("Acme")),
        email: Field::Value(email(&format!("owner{}@acme.example.com", fresh()))),
        ..profile(url)
    };
    let made = accounts.provision(partner, input, FieldErrors::default()).await;
    match made.unwrap() {
        Provisioned::New(new) => new.account.id,
        Provisioned::Matched(_) => panic!("it has no external id"),
    }
}

#[test]
fn an_account_its_invitation_its_mail_and_its_endpoint_are_made_together() {
    on_both(async |db| {
        let store = &db.store;
        let (accounts, partner) = (partner_accounts(store), partner(store).await);
        let id = account(&accounts, partner, hook("one")).await;
        let endpoints = store.endpoints.list(id).await.unwrap().unwrap();
        assert_eq!(endpoints.len(), 1);
        assert!(endpoints[0].enabled && endpoints[0].provisioned);
        assert_eq!(endpoints[0].events, webhooks::Subscriptions::ALL);
        let read = store.account_reads.get(partner, id).await.unwrap().unwrap();
        assert_eq!(read.webhook.as_ref(), hook("one").as_value());
        let listed = store.account_reads.list(partner, 10, 0).await.unwrap();
        assert_eq!(listed.items, [read]);
        let mails = lease(store, NOW, 10).await;
        assert_eq!((mails.len(), mails[0].lease.account), (1, id));
        assert!(mails[0].payload.contains(r#""template":"invitation""#));
    });
}

#[test]
fn an_endpoint_is_repointed_disabled_and_enabled_again() {
    on_both(async |db| {
        let store = &db.store;
        let clock = FixedClock::default();
        let accounts = PartnerAccounts { clock: Arc::new(clock.clone()), ..partner_accounts(store) };
        let partner = partner(store).await;
        let id = account(&accounts, partner, Field::Absent).await;
        let mut secrets = 0;
        for (wish, enabled) in
            [(hook("one"), true), (hook("two"), true), (Field::Null, false), (hook("three"), true)]
        {
            clock.advance(Duration::HOUR);
            let input = amendment(profile(wish.clone()));
            let amended = accounts.amend(partner, id, input, FieldErrors::default()).await;
            let amended = amended.unwrap();
            secrets += usize::from(amended.signing_secret.is_some());
            let read = store.account_reads.get(partner, id).await.unwrap().unwrap();
            assert_eq!(read, amended.account);
            assert_eq!(read.webhook.as_ref(), wish.as_value());
            let endpoints = store.endpoints.list(id).await.unwrap().unwrap();
            assert_eq!((endpoints.len(), endpoints[0].enabled), (1, enabled));
            assert_eq!(endpoints[0].updated_at, clock.now());
        }
        assert_eq!(secrets, 1);
    });
}

#[test]
fn many_that_make_an_endpoint_make_one() {
    on_both(async |db| {
        let store = &db.store;
        let (accounts, partner) = (partner_accounts(store), partner(store).await);
        let id = account(&accounts, partner, Field::Absent).await;
        let amending = (0..6).map(async |_| {
            let input = amendment(profile(hook("one")));
            let amended = accounts.amend(partner, id, input, FieldErrors::default()).await;
            amended.unwrap().signing_secret.is_some()
        });
        let made = join_all(amending).await;
        assert_eq!(made.iter().filter(|made| **made).count(), 1);
        let endpoints = store.endpoints.list(id).await.unwrap().unwrap();
        assert_eq!(endpoints.len(), 1);
    });
}

#[test]
fn the_sixth_enabled_endpoint_is_refused_and_nothing_else_changes() {
    on_both(async |db| {
        let store = &db.store;
        let (accounts, partner) = (partner_accounts(store), partner(store).await);
        let id = account(&accounts, partner, Field::Absent).await;
        let mut tx = store.endpoints.begin(id).await.unwrap();
        tx.endpoints().lock_all(id).await.unwrap();
        for _ in 0..5 {
            let endpoint = webhooks::Endpoint {
                id: crate::fixtures::id(),
                account: id,
                url: HttpsUrl::parse("https://other.example.com").unwrap(),
                events: webhooks::Subscriptions::ALL,
                enabled: true,
                provisioned: false,
                created_at: NOW,
                updated_at: NOW,
            };
            let secret = webhooks::SealedSecret(vec![1]);
            tx.endpoints().insert(&endpoint, &secret).await.unwrap();
        }
        tx.commit().await.unwrap();
        let input = amendment(ProfileInput { phone: Field::Value(line("1")), ..profile(hook("six")) });
        let refused = accounts.amend(partner, id, input, FieldErrors::default()).await;
        assert!(matches!(refused, Err(AmendAccountError::TooManyEnabled)));
        let read = store.account_reads.get(partner, id).await.unwrap().unwrap();
        assert_eq!((read.profile.phone, read.webhook), (None, None));
    });
}

#[test]
fn two_that_amend_one_account_lose_nothing_of_each_other() {
    on_both(async |db| {
        let store = &db.store;
        let other = db.another_process().await;
        let (one, two) = (partner_accounts(store), partner_accounts(&other));
        let partner = partner(store).await;
        let id = account(&one, partner, Field::Absent).await;
        let amending = (0..10).map(async |n| {
            let mut input = ProfileInput::default();
            let value = Field::Value(line(&format!("{n}")));
            *[
                &mut input.phone, &mut input.abn, &mut input.first_name, &mut input.last_name,
                &mut input.address_city,
            ][n % 5] = value;
            let accounts = if n % 2 == 0 { &one } else { &two };
            let input = amendment(input);
            accounts.amend(partner, id, input, FieldErrors::default()).await.unwrap();
        });
        join_all(amending).await;
        let read = store.account_reads.get(partner, id).await.unwrap().unwrap();
        let all = read.profile;
        for field in [all.phone, all.abn, all.first_name, all.last_name, all.address_city] {
            assert!(field.is_some());
        }
    });
}

#[test]
fn a_failure_at_the_last_step_leaves_nothing_of_an_account() {
    on_both(async |db| {
        let store = &db.store;
        let (accounts, partner) = (partner_accounts(store), partner(store).await);
        let rename = "ALTER TABLE webhook_endpoints RENAME COLUMN";
        db.execute(&format!("{rename} secret TO gone")).await;
        let input = ProfileInput {
            company_name: Field::Value(line("Last Step")),
            email: Field::Value(email("last.step@example.com")),
            ..profile(hook("one"))
        };
        let failed = accounts.provision(partner, input.clone(), FieldErrors::default());
        assert!(failed.await.is_err());
        let listed = store.account_reads.list(partner, 10, 0).await.unwrap();
        assert_eq!(listed.total, 0);
        assert_eq!(lease(store, NOW, 10).await, []);
        db.execute(&format!("{rename} gone TO secret")).await;
        let made = accounts.provision(partner, input, FieldErrors::default()).await;
        let Provisioned::New(made) = made.unwrap() else {
            panic!("its address is free");
        };
        assert_eq!(made.account.payment_slug.as_str(), "last-step");
    });
}

#[test]
fn many_accounts_that_take_one_name_at_once_get_one_each() {
    on_both(async |db| {
        let store = &db.store;
        let (accounts, partner) = (partner_accounts(store), partner(store).await);
        let own = own_accounts(store, FixedClock::default());
        let renamed =
            || ProfileInput { payment_slug: Field::Value(line("One Name")), ..ProfileInput::default() };
        let ids = join_all((0..12).map(|_| account(&accounts, partner, Field::Absent))).await;
        let renaming = ids.iter().enumerate().map(async |(n, id)| match n % 2 {
            0 => {
                let input = amendment(renamed());
                accounts.amend(partner, *id, input, FieldErrors::default()).await.unwrap().account
            }
            _ => {
                let input = ProfileAmendment { fields: renamed(), ..ProfileAmendment::default() };
                own.amend_profile(*id, input, FieldErrors::default()).await.unwrap()
            }
        });
        let taken: BTreeSet<_> = join_all(renaming).await.into_iter().map(|one| one.payment_slug).collect();
        let wanted = (1..=12).map(|n| slug("one-name").with_suffix(n)).collect();
        assert_eq!(taken, wanted);
    });
}
