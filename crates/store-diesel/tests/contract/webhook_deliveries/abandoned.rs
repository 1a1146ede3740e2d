//! The owner's mail about abandoned deliveries: queued with the abandonment, at most once a day for an
//! endpoint.

use mail::{OwnerNotice, SilencedNotices};
use time::{Duration, OffsetDateTime};
use webhooks::{DeliveryOutcome, DeliveryState, EndpointChange};

use super::{DAY, administration, all, lease, only, publish_at, record, register, settled};
use crate::database::{TestDatabase, on_both};
use crate::fixtures::{NOW, tenant};

/// How many mails are queued for owners.
async fn mails(db: &TestDatabase) -> usize {
    let mails =
        "SELECT count(*) AS count FROM jobs WHERE kind = 'mail' AND NOT to_customer AND state = 'waiting'";
    usize::try_from(db.count(mails).await).unwrap()
}

pub(super) async fn abandon_all(db: &TestDatabase, at: OffsetDateTime) {
    let leased = lease(&db.store, at).await;
    let told: Vec<_> = leased.iter().map(|one| settled(one, DeliveryOutcome::Abandoned(at))).collect();
    db.store.delivery_queue.record(&told).await.unwrap();
    // The response to a recording may be lost, so the same is recorded again.
    db.store.delivery_queue.record(&told).await.unwrap();
}

#[test]
fn owner_gets_one_mail_a_day_for_each_endpoint() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let (one, _two) = (register(store, account).await, register(store, account).await);
        for n in 0..5 {
            publish_at(store, account, NOW + Duration::seconds(n)).await;
        }
        abandon_all(db, NOW + Duration::MINUTE).await;
        assert_eq!(mails(db).await, 2);
        let leased = crate::jobs::lease(store, NOW + DAY, 10).await;
        let mine = leased.iter().find(|job| job.payload.contains(&one.id.to_string())).unwrap();
        assert_eq!(mine.lease.account, account);
        assert!(mine.payload.contains(r#""template":"owner_notice""#), "{}", mine.payload);
        publish_at(store, account, NOW + Duration::HOUR).await;
        abandon_all(db, NOW + DAY).await;
        assert_eq!(mails(db).await, 2);
        publish_at(store, account, NOW + DAY).await;
        abandon_all(db, NOW + DAY + Duration::MINUTE).await;
        assert_eq!(mails(db).await, 4);
    });
}

#[test]
fn event_of_a_later_version_is_abandoned_without_a_mail() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        register(store, account).await;
        publish_at(store, account, NOW).await;
        db.execute("UPDATE events SET kind = 'invoice.later'").await;
        publish_at(store, account, NOW + Duration::SECOND).await;
        abandon_all(db, NOW + Duration::MINUTE).await;
        assert_eq!(mails(db).await, 1, "about the event that is known");
        let abandoned = "SELECT count(*) AS count FROM webhook_deliveries WHERE state = 'abandoned'";
        assert_eq!(db.count(abandoned).await, 2);
    });
}

#[test]
fn silenced_owner_and_owner_of_a_disabled_endpoint_get_no_mail() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        register(store, account).await;
        let off = register(store, other).await;
        let silenced = SilencedNotices::of([OwnerNotice::AbandonedDeliveries]);
        assert!(store.own_accounts.silence(account, SilencedNotices::NONE, silenced).await.unwrap());
        for account in [account, other] {
            publish_at(store, account, NOW).await;
        }
        let leased = lease(store, NOW).await;
        administration(store).change(other, off.id, EndpointChange::Disable).await.unwrap();
        for one in &leased {
            record(store, one, DeliveryOutcome::Abandoned(NOW)).await;
        }
        assert_eq!(only(store, account).await.state, DeliveryState::Abandoned);
        assert_eq!(only(store, other).await.state, DeliveryState::Stopped);
        assert_eq!(mails(db).await, 0);
    });
}

#[test]
fn mail_is_queued_for_what_is_abandoned_and_not_for_what_was_delivered_late() {
    on_both(async |db| {
        let store = &db.store;
        let (account, other) = (tenant(store).await.id, tenant(store).await.id);
        for account in [account, other] {
            register(store, account).await;
            publish_at(store, account, NOW).await;
        }
        // The attempt was the last one, and its process is gone.
        let leased = lease(store, NOW).await;
        let late = leased.iter().find(|one| one.lease.account == other).unwrap();
        record(store, late, DeliveryOutcome::Succeeded(NOW)).await;
        record(store, late, DeliveryOutcome::Abandoned(NOW)).await;
        assert_eq!(mails(db).await, 0);
        assert_eq!(store.delivery_queue.finish_lost(NOW + DAY, 1, 10).await.unwrap(), 1);
        assert_eq!(only(store, account).await.state, DeliveryState::Abandoned);
        assert_eq!(mails(db).await, 1);
        assert_eq!(all(store, other).await[0].state, DeliveryState::Succeeded);
    });
}
