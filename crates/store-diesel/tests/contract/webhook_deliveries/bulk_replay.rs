//! Replays of all deliveries that were abandoned since an instant.

use std::sync::Arc;

use testkit::FixedClock;
use time::Duration;
use webhooks::WebhookAdministration;

use super::abandoned::abandon_all;
use super::{DAY, administration, id, publish_at, register};
use crate::database::on_both;
use crate::fixtures::{NOW, tenant};

#[test]
fn replay_that_is_under_way_is_not_begun_again() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        register(store, account).await;
        publish_at(store, account, NOW).await;
        abandon_all(db, NOW).await;
        let webhooks = administration(store);
        let begin = async |since| webhooks.begin_bulk_replay(account, since).await.unwrap();
        let first = begin(NOW - Duration::HOUR).await.unwrap();
        assert_eq!(begin(NOW - Duration::MINUTE).await, Some(first), "the first covers it");
        let wider = begin(NOW - Duration::DAY).await.unwrap();
        assert_ne!(wider, first);
        // What was abandoned after its request is not left to it.
        publish_at(store, account, NOW).await;
        abandon_all(db, NOW + Duration::SECOND).await;
        let clock = Arc::new(FixedClock::at(NOW + Duration::SECOND));
        let later = WebhookAdministration { clock, ..administration(store) };
        let begin_later =
            async || later.begin_bulk_replay(account, NOW - Duration::HOUR).await.unwrap().unwrap();
        let second = begin_later().await;
        assert!(second != first && second != wider);
        assert_eq!(begin_later().await, second);
        for begun in [first, wider, second] {
            let replay = webhooks.bulk_replay(account, begun).await.unwrap().unwrap();
            webhooks.deliveries.advance_bulk_replay(&replay, &[id(), id()], NOW).await.unwrap();
        }
        abandon_all(db, NOW).await;
        let again = begin(NOW - Duration::HOUR).await.unwrap();
        assert!(![first, wider, second].contains(&again), "what was abandoned since is replayed");
    });
}

#[test]
fn replay_counts_what_it_makes_and_leaves_out_what_is_abandoned_after_its_request() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        register(store, account).await;
        for n in 0..3 {
            publish_at(store, account, NOW - Duration::seconds(n)).await;
        }
        abandon_all(db, NOW).await;
        let webhooks = administration(store);
        let begun = webhooks.begin_bulk_replay(account, NOW).await.unwrap().unwrap();
        let replay = async || webhooks.bulk_replay(account, begun).await.unwrap().unwrap();
        let advance = async |now| {
            let new = [id(), id()];
            webhooks.deliveries.advance_bulk_replay(&replay().await, &new, now).await.unwrap()
        };
        assert_eq!((replay().await.total, replay().await.made), (3, 0));
        assert_eq!(advance(NOW).await, 2);
        assert_eq!((replay().await.made, replay().await.finished_at), (2, None));
        // The process was away for hours: what it made is abandoned already.
        let later = NOW + DAY;
        abandon_all(db, later).await;
        assert_eq!(advance(later).await, 1);
        assert_eq!((replay().await.made, replay().await.finished_at), (3, Some(later)));
        abandon_all(db, later).await;
        assert_eq!(advance(later).await, 0);
        assert_eq!(replay().await.made, 3);
    });
}
