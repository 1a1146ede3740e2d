//! An account whose rows cannot be written does not stop the background work for the others.
//!
//! The service works account by account on a database that it takes for a cluster. A PostgreSQL that refuses
//! to change the rows of one account stands for a cluster on which that account's server has no space left.

use kernel::AccountId;
use outbox::{Due, LEASE, LeaseRequest, Outcome, Unrecorded};
use partner_accounts::AccountChange;
use store_diesel::{Layout, Store};
use time::{Duration, OffsetDateTime};
use webhooks::{DeliveryOutcome, DeliverySchedule, DeliveryState, LeasedDelivery};

use crate::database::{TestDatabase, on_postgres, open_as};
use crate::fixtures::{NOW, OPERATOR, new_account, partner, stored, tenant};
use crate::jobs;
use crate::webhook_deliveries::{self as deliveries, only, publish_at, settled, subscribed};

const LATER: OffsetDateTime = NOW.saturating_add(Duration::HOUR);

fn on_a_cluster(test: impl AsyncFn(&TestDatabase, &Store)) {
    on_postgres(async |db| test(db, &open_as(&db.url, Layout::ByAccount).await).await);
}

async fn refuse_changes(db: &TestDatabase, table: &str, account: AccountId) {
    db.execute(&format!(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device'; END $$; \
         CREATE TRIGGER refuse BEFORE UPDATE ON {table} FOR EACH ROW WHEN (OLD.account_id = '{account}') \
         EXECUTE FUNCTION refuse()"
    ))
    .await;
}

async fn allow_changes(db: &TestDatabase) {
    db.execute("DROP FUNCTION refuse CASCADE").await;
}

/// Three accounts with a delivery each, due in this order.
async fn three_deliveries(store: &Store) -> [AccountId; 3] {
    let mut accounts = [subscribed(store).await, subscribed(store).await, subscribed(store).await];
    for (seconds, account) in (0..).zip(&mut accounts) {
        publish_at(store, *account, NOW + Duration::seconds(seconds)).await;
    }
    accounts
}

fn accounts_of(leased: &[LeasedDelivery]) -> Vec<AccountId> {
    leased.iter().map(|one| one.lease.account).collect()
}

#[test]
fn deliveries_of_other_accounts_are_leased_and_returned() {
    on_a_cluster(async |db, store| {
        let [first, faulty, last] = three_deliveries(store).await;
        refuse_changes(db, "webhook_deliveries", faulty).await;
        let leased = deliveries::lease(store, LATER).await;
        assert_eq!(accounts_of(&leased), [first, last]);
        allow_changes(db).await;
        let leased = deliveries::lease(&open_as(&db.url, Layout::ByAccount).await, LATER).await;
        assert_eq!(accounts_of(&leased), [faulty]);
        assert_eq!(leased[0].lease.attempt, 1, "nothing was counted");
    });
}

#[test]
fn oldest_deliveries_that_cannot_be_leased_hide_others_once() {
    on_a_cluster(async |db, store| {
        let (faulty, other) = (subscribed(store).await, subscribed(store).await);
        for _ in 0..3 {
            publish_at(store, faulty, NOW).await;
        }
        publish_at(store, other, NOW + Duration::SECOND).await;
        refuse_changes(db, "webhook_deliveries", faulty).await;
        let schedule = DeliverySchedule::default();
        let request = LeaseRequest { now: LATER, limit: 2, per_lane: 2, rooms: &[] };
        assert!(store.delivery_queue.lease_due(request, &schedule).await.is_err());
        let leased = store.delivery_queue.lease_due(request, &schedule).await.unwrap().jobs;
        assert_eq!(accounts_of(&leased), [other]);
    });
}

#[test]
fn results_of_other_accounts_are_recorded_and_the_rest_is_returned() {
    on_a_cluster(async |db, store| {
        let [first, faulty, last] = three_deliveries(store).await;
        let leased = deliveries::lease(store, LATER).await;
        let results: Vec<_> =
            leased.iter().map(|one| settled(one, DeliveryOutcome::Succeeded(LATER))).collect();
        refuse_changes(db, "webhook_deliveries", faulty).await;
        let failed = store.delivery_queue.record(&results).await.unwrap_err();
        for (account, expected) in [
            (first, DeliveryState::Succeeded),
            (faulty, DeliveryState::Pending),
            (last, DeliveryState::Succeeded),
        ] {
            assert_eq!(only(store, account).await.state, expected);
        }
        let [Unrecorded { results, .. }] = &failed[..] else { panic!("{failed:?}") };
        assert_eq!(results.iter().map(|one| one.lease.account).collect::<Vec<_>>(), [faulty]);
        // Its lease has ended, and its server works again before the result is recorded.
        allow_changes(db).await;
        let much_later = LATER + Duration::DAY;
        assert_eq!(accounts_of(&deliveries::lease(store, much_later).await), []);
        store.delivery_queue.record(results).await.unwrap();
        let recorded = only(store, faulty).await;
        assert_eq!((recorded.state, recorded.attempts.len()), (DeliveryState::Succeeded, 1));
        publish_at(store, faulty, much_later).await;
        assert_eq!(accounts_of(&deliveries::lease(store, much_later).await), [faulty]);
    });
}

#[test]
fn jobs_of_other_accounts_are_leased_and_returned() {
    on_a_cluster(async |db, store| {
        let accounts = [tenant(store).await.id, tenant(store).await.id];
        let [faulty, other] = accounts;
        for account in [faulty, other, faulty] {
            jobs::queue(store, account).await;
        }
        refuse_changes(db, "jobs", faulty).await;
        let leased = jobs::lease(store, NOW, 10).await;
        assert_eq!(leased.iter().map(|one| one.lease.account).collect::<Vec<_>>(), [other]);
        let done = Outcome::Done { at: NOW };
        store.jobs.record(leased[0].lease, &done).await.unwrap();
        jobs::queue(store, other).await;
        let leased = jobs::lease(store, NOW, 1).await;
        assert_eq!(leased.len(), 1, "the older ones of the faulty account are left out");
        allow_changes(db).await;
        let another = open_as(&db.url, Layout::ByAccount).await;
        assert_eq!(jobs::lease(&another, NOW, 10).await.len(), 2);
    });
}

#[test]
fn job_whose_outcome_cannot_be_recorded_is_not_leased_until_it_is() {
    on_a_cluster(async |db, store| {
        let account = tenant(store).await.id;
        jobs::queue(store, account).await;
        let leased = jobs::lease(store, NOW, 1).await;
        refuse_changes(db, "jobs", account).await;
        let retry = Outcome::Retry { at: NOW, next_attempt_at: NOW, reason: "451 later".to_owned() };
        store.jobs.record(leased[0].lease, &retry).await.unwrap_err();
        allow_changes(db).await;
        assert_eq!(jobs::lease(store, NOW + LEASE, 1).await, []);
        store.jobs.record(leased[0].lease, &retry).await.unwrap();
        assert_eq!(jobs::lease(store, NOW, 1).await[0].lease.attempt, 2);
    });
}

/// Also on one server: jobs that are held are leased by a statement of their own.
#[test]
fn leased_jobs_are_returned_although_held_ones_cannot_be_leased() {
    on_postgres(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let (off, on) = (new_account(partner), new_account(partner));
        for account in [&off, &on] {
            stored(store, partner, account).await;
            jobs::queue(store, account.id).await;
        }
        let change = AccountChange::OffByOperator(true);
        store.operator.change_account(OPERATOR, off.id, change, NOW).await.unwrap();
        refuse_changes(db, "jobs", off.id).await;
        let too_late = NOW + Duration::hours(25);
        let leased = jobs::lease(store, too_late, 10).await;
        assert_eq!(leased.iter().map(|one| one.lease.account).collect::<Vec<_>>(), [on.id]);
        let held_at_most = Some(Duration::DAY);
        let due = Due { kind: "mail", now: too_late, lease_for: LEASE, limit: 10, held_at_most };
        assert!(store.jobs.lease_due(due).await.is_err(), "nothing else was leased");
    });
}
