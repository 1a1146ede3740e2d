use std::sync::{Arc, Mutex};

use access::{PasswordHash, Passwords};
use async_trait::async_trait;
use kernel::{Id, Ids as _, SystemRandom};
use testkit::{CountingIds, StillClock};
use time::{Duration, OffsetDateTime};

use super::*;
use crate::invitation::{Invitation, InvitationHash};
use crate::ports::LoginsStore;

/// One invitation, and the password that was set.
struct Memory(Mutex<(Invitation, Option<PasswordHash>)>);

#[async_trait]
impl LoginsStore for Memory {
    async fn invitation(&self, hash: &InvitationHash) -> Result<Option<Invitation>, StoreError> {
        let kept = self.0.lock().unwrap().0.clone();
        Ok(Some(kept).filter(|invitation| invitation.hash == *hash))
    }

    async fn accept(
        &self,
        _: &Invitation,
        password: &PasswordHash,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut kept = self.0.lock().unwrap();
        let free = kept.0.used_at.is_none();
        if free {
            kept.0.used_at = Some(now);
            kept.1 = Some(password.clone());
        }
        Ok(free)
    }
}

/// Hashes where it stands, and counts how often.
#[derive(Default)]
struct OnTheSpot(Mutex<usize>);

#[async_trait]
impl Passwords for OnTheSpot {
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordError> {
        *self.0.lock().unwrap() += 1;
        password.hash(&SystemRandom::default())
    }

    async fn matches(&self, password: Password, hash: PasswordHash) -> Result<bool, PasswordError> {
        hash.is_of(&password)
    }
}

struct House {
    logins: Logins,
    memory: Arc<Memory>,
    passwords: Arc<OnTheSpot>,
    clock: StillClock,
    token: InvitationToken,
}

fn house() -> House {
    let (clock, ids) = (StillClock::default(), CountingIds::default());
    let id = || ids.uuid_at(StillClock::START);
    let token = InvitationToken::generate(&SystemRandom::default()).unwrap();
    let (id, account) = (Id::from_uuid(id()), Id::from_uuid(id()));
    let invitation = Invitation::new(id, account, &token, StillClock::START);
    let memory = Arc::new(Memory(Mutex::new((invitation, None))));
    let passwords = Arc::new(OnTheSpot::default());
    let logins =
        Logins { store: memory.clone(), passwords: passwords.clone(), clock: Arc::new(clock.clone()) };
    House { logins, memory, passwords, clock, token }
}

const PASSWORD: &str = "correct horse battery";

#[tokio::test]
async fn a_token_and_a_password_make_a_login_once() {
    let house = house();
    let accepted = house.logins.accept_invitation(&house.token, PASSWORD).await;
    let (invitation, hash) = house.memory.0.lock().unwrap().clone();
    assert_eq!(accepted.unwrap(), invitation.account);
    let password = Password::choose(PASSWORD).unwrap();
    let matches = house.passwords.matches(password, hash.unwrap()).await;
    assert!(matches.unwrap());
    let again = house.logins.accept_invitation(&house.token, PASSWORD).await;
    let again = again.unwrap_err();
    assert!(matches!(again, AcceptInvitationError::Refused(InvitationRefused::Used)));
}

#[tokio::test]
async fn a_refusal_hashes_nothing_and_leaves_the_invitation() {
    let house = house();
    let made_up = InvitationToken::presented("x");
    let unknown = house.logins.accept_invitation(&made_up, PASSWORD).await;
    assert!(matches!(unknown, Err(AcceptInvitationError::Unknown)));
    let short = house.logins.accept_invitation(&house.token, "short").await;
    let short = short.unwrap_err();
    assert!(short.to_string().contains("at least 12 characters"));
    house.clock.advance(Duration::days(7));
    let late = house.logins.accept_invitation(&house.token, PASSWORD).await;
    assert!(matches!(late, Err(AcceptInvitationError::Refused(InvitationRefused::Expired))));
    assert_eq!(*house.passwords.0.lock().unwrap(), 0);
    assert!(house.memory.0.lock().unwrap().1.is_none());
}
