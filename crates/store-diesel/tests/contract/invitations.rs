//! Invitations of a partner's new accounts.

use kernel::{AccountToken, SystemRandom};
use partner_accounts::Invitation;

use crate::database::on_both;
use crate::fixtures::{NOW, id, new_account, partner, stored};

#[test]
fn a_partner_invites_to_its_own_accounts_only() {
    on_both(async |db| {
        let (own, other) = (partner(&db.store).await, partner(&db.store).await);
        let account = new_account(own);
        stored(&db.store, own, &account).await;
        let token = AccountToken::generate(account.id, &SystemRandom::default());
        let invitation = Invitation::new(id(), &token, NOW);
        let mut tx = db.store.provisioning.begin(other).await.unwrap();
        assert!(tx.invitations().insert(&invitation).await.is_err());
        drop(tx);
        let mut tx = db.store.provisioning.begin(own).await.unwrap();
        tx.invitations().insert(&invitation).await.unwrap();
        tx.commit().await.unwrap();
        let found = db.store.sessions.invitation(&token).await.unwrap();
        assert_eq!(found, Some(invitation));
    });
}
