//! Replacing keys.

use access::KeySpace;
use futures_util::future::join_all;

use crate::database::on_both;
use crate::fixtures::{OPERATOR, id, key, new_account, partner, stored};

#[test]
fn concurrent_rotations_leave_one_live_key() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let rotations = (0..10).map(async |n| {
            let (secret, record) = key(KeySpace::Account);
            if n % 2 == 0 {
                let put = store.operator.put_account_key(OPERATOR, account.id, &record);
                assert!(put.await.unwrap());
            } else {
                let mut tx = store.provisioning.begin(partner).await.unwrap();
                assert!(tx.accounts().put_key(account.id, &record).await.unwrap());
                tx.commit().await.unwrap();
            }
            secret
        });
        let mut live = 0;
        for secret in join_all(rotations).await {
            let found = store.credentials.account_key(&secret.hash()).await.unwrap();
            live += usize::from(found.is_some());
        }
        assert_eq!(live, 1);
    });
}

#[test]
fn a_key_is_put_only_on_an_account_of_the_partner() {
    on_both(async |db| {
        let store = &db.store;
        let (one, other) = (partner(store).await, partner(store).await);
        let account = new_account(one);
        let secret = stored(store, one, &account).await;
        let (_, record) = key(KeySpace::Account);
        let mut tx = store.provisioning.begin(other).await.unwrap();
        assert!(!tx.accounts().put_key(account.id, &record).await.unwrap());
        assert!(!tx.accounts().put_key(id(), &record).await.unwrap());
        tx.commit().await.unwrap();
        let live = store.credentials.account_key(&secret.hash()).await.unwrap();
        assert!(live.is_some());
        let nobody = store.operator.put_account_key(OPERATOR, id(), &record).await;
        assert!(!nobody.unwrap());
        let nobody = store.operator.put_partner_key(OPERATOR, id(), &record).await;
        assert!(!nobody.unwrap());
    });
}
