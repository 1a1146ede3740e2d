//! Checkouts that are begun while the connection to their gateway ends.

use payments::{GatewayAccount, Intent};
use store_diesel::Store;

use crate::database::on_both;
use crate::fixtures::{NOW, id};
use crate::online_payments::Paying;

/// Another checkout like the stored one.
async fn another(store: &Store) -> Intent {
    let open = store.online_reads.open_intents(None, 1).await.unwrap();
    let (_, Ok(first)) = &open[0] else { panic!("it can be read") };
    Intent { id: id(), checkout: None, ..first.clone() }
}

#[test]
fn undoing_a_key_finds_the_checkout_that_was_begun_before() {
    on_both(async |db| {
        let store = &db.store;
        let paying = Paying::new(store).await;
        let (account, new) = (paying.scope.id, another(store).await);
        let mut begun = store.online_payments.begin(account).await.unwrap();
        assert_eq!(begun.online().gateways().await.unwrap().len(), 1);
        let undo = async {
            let mut tx = store.online_payments.begin(account).await.unwrap();
            tx.online().lock_gateways().await.unwrap();
            tx.online().open_intents_since(paying.gateway.id, NOW).await.unwrap()
        };
        let begin = async {
            begun.online().put_intent(&new).await.unwrap();
            begun.commit().await.unwrap();
        };
        let (found, ()) = tokio::join!(undo, begin);
        assert!(found.contains(&(new.id, new.invoice)), "the lock waited for the checkout");
    });
}

#[test]
fn checkout_that_is_begun_while_its_key_is_undone_sees_that() {
    on_both(async |db| {
        let store = &db.store;
        let paying = Paying::new(store).await;
        let account = paying.scope.id;
        let mut undoing = store.online_payments.begin(account).await.unwrap();
        undoing.online().lock_gateways().await.unwrap();
        let begin = async {
            let mut tx = store.online_payments.begin(account).await.unwrap();
            tx.online().gateways().await.unwrap()
        };
        let undo = async {
            let gone = GatewayAccount { disconnected_at: Some(NOW), ..paying.gateway.clone() };
            undoing.online().put_gateway(&gone).await.unwrap();
            undoing.commit().await.unwrap();
        };
        let (gateways, ()) = tokio::join!(begin, undo);
        assert!(!gateways[0].is_connected(NOW), "the checkout waited for the lock");
    });
}
