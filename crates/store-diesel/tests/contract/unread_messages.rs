//! Mails to owners about unread messages.

use std::sync::Arc;

use communications::{
    CommunicationsStore, CommunicationsTx, Direction, Message, MessageState, UnreadService,
};
use kernel::{AccountId, StoreError, StoreResult};
use mail::{OwnerNotice, SilencedNotices};
use store_diesel::Store;
use testkit::FixedClock;
use time::{Duration, OffsetDateTime};

use crate::database::{TestDatabase, on_both};
use crate::fixtures::{NOW, stored_contact, tenant};
use crate::messages::{insert, outgoing};

/// An unread inbound message, received at an instant.
async fn unread(store: &Store, account: AccountId, at: OffsetDateTime) -> Message {
    let contact = stored_contact(store, account).await;
    let mut data = (*outgoing(account, contact.id, "ada@example.com")).clone();
    (data.direction, data.purpose, data.state) = (Direction::In, None, MessageState::Handled);
    (data.written_at, data.state_at, data.is_unread) = (at, at, true);
    let message = Message::new(data);
    insert(store, &message).await;
    message
}

/// The number of queued mails about unread messages that contain a text.
async fn notices(db: &TestDatabase, says: &str) -> i64 {
    let query = format!("SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND payload LIKE '%{says}%'");
    db.count(&query).await
}

#[test]
fn owner_is_notified_of_unread_messages_after_a_day_once_and_once_a_day() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let service = |now: OffsetDateTime| UnreadService {
            store: store.communications.clone(),
            unread: store.unread.clone(),
            clock: Arc::new(FixedClock::at(now)),
            ids: Arc::new(kernel::SystemIds::default()),
        };
        let notify = async |at: OffsetDateTime| service(at).notify_owners(1_000).await.unwrap();
        let first = unread(store, scope.id, NOW).await;
        unread(store, scope.id, NOW + Duration::HOUR).await;
        let day = Duration::DAY;
        assert_eq!(notify(NOW + day - Duration::SECOND).await, 0, "it does not wait for a day yet");
        let (one, other) = (service(NOW + day), service(NOW + day));
        let (one, other) = tokio::join!(one.notify_owners(1_000), other.notify_owners(1_000));
        assert_eq!(one.unwrap() + other.unwrap(), 1, "two processes mail once");
        assert_eq!(notices(db, "A message from a customer").await, 1);
        let soon = NOW + day + Duration::hours(2);
        assert_eq!(notify(soon).await, 0, "another message waits for a day, but the last mail was today");
        assert_eq!(notify(NOW + day * 2).await, 1);
        assert_eq!(notices(db, "2 messages from customers").await, 1, "all that wait are counted");
        assert_eq!(notify(NOW + day * 9).await, 0, "the owner was told of both");
        let mut tx = store.communications.begin(scope.id).await.unwrap();
        let mut message = tx.messages().lock(first.id).await.unwrap().unwrap();
        assert!(message.mark_read());
        tx.messages().update(&message).await.unwrap();
        tx.commit().await.unwrap();
        unread(store, scope.id, NOW + day * 9).await;
        assert_eq!(notify(NOW + day * 10).await, 1);
        assert_eq!(notices(db, "2 messages from customers").await, 2);
    });
}

#[test]
fn silenced_owner_is_not_notified_of_unread_messages() {
    on_both(async |db| {
        let store = &db.store;
        let scope = tenant(store).await;
        let silenced = SilencedNotices::of([OwnerNotice::UnreadMessages]);
        let none = SilencedNotices::NONE;
        assert!(store.own_accounts.silence(scope.id, none, silenced).await.unwrap());
        unread(store, scope.id, NOW).await;
        let service = UnreadService {
            store: store.communications.clone(),
            unread: store.unread.clone(),
            clock: Arc::new(FixedClock::at(NOW + Duration::DAY)),
            ids: Arc::new(kernel::SystemIds::default()),
        };
        assert_eq!(service.notify_owners(1_000).await.unwrap(), 0);
        assert!(store.own_accounts.silence(scope.id, silenced, none).await.unwrap());
        assert_eq!(service.notify_owners(1_000).await.unwrap(), 1);
    });
}

/// A store that cannot read one account.
struct OneUnreadable {
    store: Arc<dyn CommunicationsStore>,
    unreadable: AccountId,
}

#[async_trait::async_trait]
impl CommunicationsStore for OneUnreadable {
    async fn begin(&self, account: AccountId) -> StoreResult<Box<dyn CommunicationsTx>> {
        if account == self.unreadable {
            return Err(StoreError::Failed("a row of the account cannot be read".into()));
        }
        self.store.begin(account).await
    }
}

#[test]
fn owners_of_other_accounts_are_notified_when_one_account_cannot_be_read() {
    on_both(async |db| {
        let store = &db.store;
        let scopes = [tenant(store).await, tenant(store).await, tenant(store).await];
        for scope in &scopes {
            unread(store, scope.id, NOW).await;
        }
        let broken = OneUnreadable { store: store.communications.clone(), unreadable: scopes[1].id };
        let service = UnreadService {
            store: Arc::new(broken),
            unread: store.unread.clone(),
            clock: Arc::new(FixedClock::at(NOW + Duration::DAY)),
            ids: Arc::new(kernel::SystemIds::default()),
        };
        let notified = service.notify_owners(1_000).await;
        assert!(matches!(notified, Err(StoreError::Failed(_))), "{notified:?}");
        assert_eq!(notices(db, "A message from a customer").await, 2);
    });
}
