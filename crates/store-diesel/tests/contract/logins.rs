//! Invitations: found by their token, accepted once.

use access::Password;
use futures_util::future::join_all;
use kernel::SystemRandom;
use partner_accounts::{Invitation, InvitationToken};
use time::Duration;

use crate::database::{TestDatabase, on_both};
use crate::fixtures::{NOW, id, new_account, partner, stored};

async fn invitation(db: &TestDatabase) -> (Invitation, InvitationToken) {
    let store = &db.store;
    let partner = partner(store).await;
    let account = new_account(partner);
    stored(store, partner, &account).await;
    let token = InvitationToken::generate(&SystemRandom::default()).unwrap();
    let invitation = Invitation::new(id(), account.id, &token, NOW);
    let mut tx = store.provisioning.begin(partner).await.unwrap();
    tx.invitations().insert(&invitation).await.unwrap();
    tx.commit().await.unwrap();
    (invitation, token)
}

#[test]
fn an_invitation_is_found_by_its_token_and_accepted_by_one() {
    on_both(async |db| {
        let (invitation, token) = invitation(db).await;
        let other = db.another_process().await;
        let found = other.logins.invitation(&token.hash()).await.unwrap();
        assert_eq!(found, Some(invitation.clone()));
        let made_up = InvitationToken::presented("made up").hash();
        assert_eq!(other.logins.invitation(&made_up).await.unwrap(), None);

        let password = Password::choose("correct horse battery").unwrap();
        let hash = password.hash(&SystemRandom::default()).unwrap();
        let later = NOW + Duration::hours(1);
        let accepting = (0..8).map(async |n| {
            let store = if n % 2 == 0 { &db.store } else { &other };
            let accepted = store.logins.accept(&invitation, &hash, later).await;
            accepted.unwrap()
        });
        let accepted = join_all(accepting).await;
        assert_eq!(accepted.iter().filter(|one| **one).count(), 1);
        let found = other.logins.invitation(&token.hash()).await.unwrap();
        assert_eq!(found.unwrap().used_at, Some(later));
    });
}

#[test]
fn nobody_invites_to_another_partners_account() {
    on_both(async |db| {
        let (first, token) = invitation(db).await;
        let other = partner(&db.store).await;
        let smuggled = Invitation::new(id(), first.account, &token, NOW);
        let mut tx = db.store.provisioning.begin(other).await.unwrap();
        assert!(tx.invitations().insert(&smuggled).await.is_err());
    });
}
