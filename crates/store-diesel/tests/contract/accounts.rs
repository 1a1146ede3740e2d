//! Provisioning accounts, and reading them.

use kernel::{OffsetPage, PartnerScope, StoreResult};
use partner_accounts::{Account, InsertedAccount, PaymentSlug};
use store_diesel::Store;

use crate::database::on_both;
use crate::fixtures::{email, new_account, partner, slug, stored, with_everything};

async fn insert(store: &Store, partner: PartnerScope, account: &Account) -> StoreResult<InsertedAccount> {
    let mut tx = store.provisioning.begin(partner).await?;
    let inserted = tx.accounts().insert_new(account).await?;
    tx.commit().await?;
    Ok(inserted)
}

#[test]
fn an_account_comes_back_as_it_went_in() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let mut bare = new_account(partner);
        bare.external_id = None;
        let mut full = new_account(partner);
        full.profile = with_everything(full.profile);
        full.monthly_invoice_limit = Some(1);
        full.monthly_message_limit = Some(2);
        full.switches.disabled_by_operator = true;
        for account in [bare, full] {
            assert_eq!(insert(store, partner, &account).await.unwrap(), InsertedAccount::Done);
            let read = store.account_reads.get(partner, account.id).await.unwrap();
            let read = read.unwrap();
            assert_eq!(read, account);
            assert_eq!(read.email.as_str(), account.email.as_str());
        }
    });
}

#[test]
fn taken_values_are_reported_and_the_transaction_continues() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (partner(store).await, partner(store).await);
        let first = new_account(one);
        stored(store, one, &first).await;

        let mut tx = store.provisioning.begin(other).await.unwrap();
        // Taken in any letter case, and also under another partner.
        let mut same_email = new_account(other);
        same_email.email = email(&first.email.as_str().to_uppercase());
        let mut same_slug = new_account(other);
        same_slug.payment_slug = first.payment_slug.clone();
        for taken in [&same_email, &same_slug] {
            let inserted = tx.accounts().insert_new(taken).await.unwrap();
            assert_eq!(inserted, InsertedAccount::Taken);
        }
        assert!(tx.accounts().email_is_taken(&same_email.email).await.unwrap());
        assert!(!tx.accounts().email_is_taken(&email("nobody@example.com")).await.unwrap());
        let mut same_external_id = new_account(other);
        same_external_id.external_id = first.external_id.clone();
        let inserted = tx.accounts().insert_new(&same_external_id).await.unwrap();
        assert_eq!(inserted, InsertedAccount::Done, "external ids are the partner's own");
        let mut again = new_account(other);
        again.external_id = first.external_id.clone();
        let inserted = tx.accounts().insert_new(&again).await.unwrap();
        assert_eq!(inserted, InsertedAccount::Taken);
        tx.commit().await.unwrap();

        // A refused account leaves nothing behind: its address, slug and external id stay free.
        for refused in [&same_email, &same_slug, &again] {
            let read = store.account_reads.get(other, refused.id).await.unwrap();
            assert_eq!(read, None);
        }
        let page = store.account_reads.list(other, 10, 0).await.unwrap();
        assert_eq!(page.items, [same_external_id]);
        same_email.email = email("free@example.com");
        assert_eq!(insert(store, other, &same_email).await.unwrap(), InsertedAccount::Done);
    });
}

#[test]
fn an_address_is_taken_in_every_spelling_of_its_domain() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        for [first, second] in
            [["a@bücher.example", "A@xn--bcher-kva.example"], ["b@XN--BCHER-KVA.example", "b@BÜCHER.example"]]
        {
            let mut account = new_account(partner);
            account.email = email(first);
            stored(store, partner, &account).await;
            let mut same = new_account(partner);
            same.email = email(second);
            let mut tx = store.provisioning.begin(partner).await.unwrap();
            assert!(tx.accounts().email_is_taken(&same.email).await.unwrap(), "{second}");
            assert_eq!(tx.accounts().insert_new(&same).await.unwrap(), InsertedAccount::Taken);
            tx.commit().await.unwrap();
            let login = store.sessions.login_with_email(&same.email).await.unwrap().unwrap();
            assert_eq!((login.login.account, login.login.email.as_str()), (account.id, first));
        }
    });
}

#[test]
fn taken_names_of_payment_pages_are_told_apart() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let mut account = new_account(partner);
        account.payment_slug = slug("acme").with_suffix(2);
        stored(store, partner, &account).await;
        let names: Vec<PaymentSlug> = (1..=3).map(|n| slug("acme").with_suffix(n)).collect();
        let mut tx = store.provisioning.begin(partner).await.unwrap();
        let taken = tx.accounts().taken_slugs(&names).await.unwrap();
        assert_eq!(taken, [slug("acme-2")]);
        assert!(tx.accounts().taken_slugs(&[]).await.unwrap().is_empty());
    });
}

#[test]
fn a_partner_sees_its_own_accounts_newest_first_and_no_others() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (partner(store).await, partner(store).await);
        let mut made = Vec::new();
        for _ in 0..5 {
            let account = new_account(one);
            stored(store, one, &account).await;
            made.insert(0, account.id);
        }
        let reads = &store.account_reads;
        let ids = |page: &OffsetPage<Account>| page.items.iter().map(|a| a.id).collect::<Vec<_>>();
        let first = reads.list(one, 2, 0).await.unwrap();
        assert_eq!((ids(&first), first.total), (made[..2].to_vec(), 5));
        let last = reads.list(one, 2, 4).await.unwrap();
        assert_eq!((ids(&last), last.total), (made[4..].to_vec(), 5));
        let beyond = reads.list(one, 2, u64::MAX).await.unwrap();
        assert_eq!((ids(&beyond), beyond.total), (vec![], 5));

        let seen = reads.get(one, made[0]).await.unwrap().unwrap();
        assert!(seen.key.is_some());
        let external_id = seen.external_id.unwrap();
        let found = reads.with_external_id(one, &external_id).await.unwrap();
        assert_eq!(found.unwrap().id, made[0]);

        assert_eq!(reads.list(other, 2, 0).await.unwrap().total, 0);
        assert_eq!(reads.get(other, made[0]).await.unwrap(), None);
        assert_eq!(reads.with_external_id(other, &external_id).await.unwrap(), None);
        let mut tx = store.provisioning.begin(other).await.unwrap();
        assert_eq!(tx.accounts().with_external_id(&external_id).await.unwrap(), None);
        let smuggled = new_account(one);
        assert!(tx.accounts().insert_new(&smuggled).await.is_err());
    });
}
