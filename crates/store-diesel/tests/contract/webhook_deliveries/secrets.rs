//! Secrets under a new master key.

use kernel::SealingKeys;
use webhooks::EndpointChange;

use super::{administration, administration_with, lease, publish, register, register_for};
use crate::database::on_both;
use crate::fixtures::{NOW, OPERATOR, tenant};

#[test]
fn every_secret_is_sealed_anew_and_stays_the_same() {
    on_both(async |db| {
        let store = &db.store;
        let mut known = Vec::new();
        for _ in 0..3 {
            let account = tenant(store).await.id;
            for _ in 0..2 {
                known.push(register_for(store, account, webhooks::Subscriptions::ALL).await);
            }
            let deleted = register(store, account).await;
            administration(store).change(account, deleted.id, EndpointChange::Delete).await.unwrap();
        }
        let both = || SealingKeys::new(&[8; 32], Some(&[7; 32]));
        let rekey = administration_with(store, both());
        let key_prefix = both().present_key_prefix();
        let port = &store.sealed_secrets;
        let page = port.sealed_under_other_keys(OPERATOR, &key_prefix, None, 4).await.unwrap();
        let after = page.last().map(|(account, endpoint, _)| (*account, *endpoint));
        let rest = port.sealed_under_other_keys(OPERATOR, &key_prefix, after, 4).await.unwrap();
        assert_eq!((page.len(), rest.len()), (4, 2));
        // An endpoint whose secret has changed meanwhile is left alone.
        let (account, endpoint, _) = page[0].clone();
        let wrong = webhooks::SealedSecret(vec![1]);
        let stale = [(account, endpoint, wrong.clone(), wrong)];
        assert_eq!(port.replace(OPERATOR, &stale).await.unwrap(), 0);
        assert_eq!(rekey.rekey(OPERATOR).await.unwrap(), 6);
        assert_eq!(rekey.rekey(OPERATOR).await.unwrap(), 0);
        let new = SealingKeys::new(&[8; 32], None);
        for (endpoint, secret) in &known {
            publish(store, endpoint.account).await;
            let leased = lease(store, NOW).await;
            let one = leased.iter().find(|one| one.endpoint == endpoint.id);
            let opened = one.unwrap().secret.open(&new, endpoint.account, endpoint.id);
            assert_eq!(opened.unwrap().reveal(), secret.reveal());
        }
        let lost = administration_with(store, SealingKeys::new(&[9; 32], None));
        assert!(lost.rekey(OPERATOR).await.is_err());
    });
}
