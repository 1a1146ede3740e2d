//! Background jobs: visible after the commit, leased to one worker, finished once.

use futures_util::future::join_all;
use invoices::Letterhead;
use kernel::{AccountId, Field, FieldErrors, PartnerScope};
use outbox::{Due, Leased, NewJob, Outcome, Queue, Recorded};
use partner_accounts::{AccountChange, AmendmentInput, ProfileInput};
use store_diesel::{Store, StoreOptions};
use time::{Duration, OffsetDateTime};

use crate::database::{on_both, on_postgres, on_sqlite};
use crate::fixtures::{NOW, OPERATOR, id, line, new_account, partner, partner_accounts, stored, tenant};

const LEASE: Duration = Duration::minutes(5);

pub(crate) fn job_of(account: AccountId) -> NewJob {
    NewJob {
        id: id(),
        account,
        kind: "mail",
        resource_id: Some(id::<kernel::scope::AccountEntity>().uuid()),
        to_customer: true,
        payload: r#"{"text":"ünïcode","amount":"110.00"}"#.to_owned(),
        queued_at: NOW,
    }
}

pub(crate) async fn queue(store: &Store, account: AccountId) -> NewJob {
    let job = job_of(account);
    queue_job(store, job.clone()).await;
    job
}

pub(crate) async fn queue_job(store: &Store, job: NewJob) {
    let mut tx = store.invoicing.begin(job.account).await.unwrap();
    tx.jobs().queue(job).await.unwrap();
    tx.commit().await.unwrap();
}

/// Leases jobs of the kind `mail`.
pub(crate) async fn lease(store: &Store, now: OffsetDateTime, limit: u32) -> Vec<Leased> {
    lease_kind(&*store.jobs, "mail", now, limit).await
}

pub(crate) async fn lease_kind(
    jobs: &dyn Queue,
    kind: &'static str,
    now: OffsetDateTime,
    limit: u32,
) -> Vec<Leased> {
    let due = Due { kind, now, lease_for: LEASE, limit, held_at_most: Some(Duration::DAY) };
    jobs.lease_due(due).await.unwrap()
}

/// On SQLite, a statement that may write waits for the lock of the file even if it finds no row, and nothing
/// else of its process is written meanwhile.
#[test]
fn lease_of_nothing_waits_for_no_other_process() {
    on_sqlite(async |db| {
        let account = tenant(&db.store).await.id;
        let other_process = db.another_process().await;
        let mut tx = other_process.invoicing.begin(account).await.unwrap();
        tx.jobs().queue(job_of(account)).await.unwrap();
        assert!(tx.invoices().lock(id()).await.unwrap().is_none());
        assert!(lease(&db.store, NOW, 10).await.is_empty());
        tx.commit().await.unwrap();
        assert_eq!(lease(&db.store, NOW, 10).await.len(), 1);
    });
}

/// The jobs are sent together with COMMIT, which must not overtake any of them. A tokio task sends about 128
/// statements and then yields.
#[test]
fn three_hundred_jobs_of_a_transaction_are_committed_with_it() {
    on_postgres(async |db| {
        let options = StoreOptions { max_connections: 1, ..StoreOptions::default() };
        let store = store_diesel::open(&db.url, &options).await.unwrap();
        let account = tenant(&store).await.id;
        // Prepares the statement on the only connection.
        queue(&store, account).await;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        for _ in 0..300 {
            tx.jobs().queue(job_of(account)).await.unwrap();
        }
        tx.commit().await.unwrap();
        assert_eq!(db.count("SELECT count(*) AS count FROM jobs").await, 301);
        let transactions = "SELECT count(DISTINCT xmin::text) AS count FROM jobs";
        assert_eq!(db.count(transactions).await, 2);
    });
}

#[test]
fn a_worker_leases_jobs_of_its_own_kind_only() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        queue(store, account).await;
        let other = NewJob { kind: "ledger", to_customer: false, ..job_of(account) };
        queue_job(store, other.clone()).await;
        let leased = lease_kind(&*store.jobs, "ledger", NOW, 10).await;
        assert_eq!((leased.len(), leased[0].lease.id), (1, other.id));
        assert_eq!((&leased[0].payload, &leased[0].letterhead), (&other.payload, &None));
        assert_eq!(lease_kind(&*store.jobs, "ledger", NOW, 10).await, []);
        assert_eq!(lease(store, NOW, 10).await.len(), 1);
    });
}

#[test]
fn jobs_that_ended_long_ago_are_deleted_and_no_others() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        for _ in 0..4 {
            queue(store, account).await;
        }
        let leased = lease(store, NOW, 3).await;
        let given_up = Outcome::GivenUp { at: NOW, reason: "no".to_owned() };
        let later = Outcome::Done { at: NOW + Duration::HOUR };
        for (job, outcome) in leased.iter().zip([Outcome::Done { at: NOW }, given_up, later]) {
            store.jobs.record(job.lease, &outcome).await.unwrap();
        }
        let prune = async |before, limit| store.queues.prune_jobs(before, limit).await.unwrap();
        assert_eq!(prune(NOW, 10).await, 0);
        let after = NOW + Duration::SECOND;
        assert_eq!([prune(after, 1).await, prune(after, 10).await, prune(after, 10).await], [1, 1, 0]);
        assert_eq!(prune(NOW + Duration::DAY, 10).await, 1);
        assert_eq!(lease(store, NOW + Duration::HOUR, 10).await.len(), 1, "the one that waits stays");
    });
}

#[test]
fn job_is_leased_after_its_commit_with_the_letterhead() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        let mut tx = store.invoicing.begin(account).await.unwrap();
        tx.jobs().queue(job_of(account)).await.unwrap();
        drop(tx);
        assert_eq!(lease(store, NOW, 10).await, []);
        let job = queue(store, account).await;
        let early = NOW - Duration::SECOND;
        assert_eq!(lease(store, early, 10).await, []);
        let leased = lease(store, NOW, 10).await;
        assert_eq!(leased.len(), 1);
        let Leased { lease: first, queued_at, letterhead, payload } = leased[0].clone();
        assert_eq!((first.id, first.account, first.attempt), (job.id, account, 1));
        assert_eq!((queued_at, payload), (NOW, job.payload));
        let letterhead = Letterhead::from_stored(&letterhead.unwrap()).unwrap();
        let current = store.invoice_reads.letterhead(account).await.unwrap();
        assert_eq!(letterhead, current);
        assert_eq!(lease(store, NOW, 10).await, [], "it is leased");
        let later = lease(store, NOW + LEASE, 10).await;
        assert_eq!(later[0].lease.attempt, 2, "a lease that ends unrecorded makes it due again");
    });
}

#[test]
fn postponed_attempt_is_taken_back_and_the_job_is_due_when_it_says() {
    on_both(async |db| {
        let (store, port) = (&db.store, &db.store.jobs);
        queue(store, tenant(store).await.id).await;
        let first = lease(store, NOW, 1).await[0].lease;
        let next_attempt_at = NOW + Duration::MINUTE;
        let postponed = Outcome::Postponed { next_attempt_at, reason: "429".to_owned() };
        for recorded in [Recorded::Done, Recorded::LeaseLost] {
            assert_eq!(port.record(first, &postponed).await.unwrap(), recorded);
        }
        assert_eq!(lease(store, next_attempt_at - Duration::SECOND, 1).await, []);
        assert_eq!(lease(store, next_attempt_at, 1).await[0].lease.attempt, 1);
        let late = Outcome::GivenUp { at: next_attempt_at, reason: "no".to_owned() };
        for outcome in [&postponed, &late] {
            assert_eq!(port.record(first, outcome).await.unwrap(), Recorded::LeaseLost, "same number");
        }
        assert_eq!(lease(store, next_attempt_at + LEASE, 1).await[0].lease.attempt, 2);
    });
}

#[test]
fn outcome_is_recorded_from_the_latest_lease_only() {
    on_both(async |db| {
        let (store, port) = (&db.store, &db.store.jobs);
        let account = tenant(store).await.id;
        queue(store, account).await;
        let first = lease(store, NOW, 1).await[0].lease;
        let second = lease(store, NOW + LEASE, 1).await[0].lease;
        let next = NOW + Duration::HOUR;
        let retry = Outcome::Retry { at: NOW, next_attempt_at: next, reason: "451 later".to_owned() };
        assert_eq!(port.record(first, &retry).await.unwrap(), Recorded::LeaseLost);
        assert_eq!(port.record(second, &retry).await.unwrap(), Recorded::Done);
        assert_eq!(lease(store, next - Duration::SECOND, 1).await, []);
        let third = lease(store, next, 1).await[0].lease;
        // A sent mail is a fact, and is recorded from any lease.
        assert_eq!(port.record(first, &Outcome::Done { at: next }).await.unwrap(), Recorded::Done);
        let given_up = Outcome::GivenUp { at: next, reason: "no".to_owned() };
        assert_eq!(port.record(third, &given_up).await.unwrap(), Recorded::LeaseLost);
        assert_eq!(lease(store, next + Duration::DAY, 1).await, []);
        queue(store, account).await;
        let last = lease(store, NOW, 1).await[0].lease;
        assert_eq!(port.record(last, &given_up).await.unwrap(), Recorded::Done);
        assert_eq!(lease(store, next + Duration::DAY, 1).await, []);
    });
}

#[test]
fn lease_of_another_account_records_nothing() {
    on_both(async |db| {
        let (store, port) = (&db.store, &db.store.jobs);
        let account = tenant(store).await.id;
        queue(store, account).await;
        let mut foreign = lease(store, NOW, 1).await[0].lease;
        foreign.account = tenant(store).await.id;
        let sent = Outcome::Done { at: NOW };
        assert_eq!(port.record(foreign, &sent).await.unwrap(), Recorded::LeaseLost);
        let again = lease(store, NOW + LEASE, 1).await;
        assert_eq!(again.len(), 1);
    });
}

#[test]
fn several_processes_lease_each_mail_once() {
    on_both(async |db| {
        let store = &db.store;
        let other = db.another_process().await;
        let account = tenant(store).await.id;
        for _ in 0..30 {
            queue(store, account).await;
        }
        let leases = (0..10).map(async |n: u32| {
            let store = if n.is_multiple_of(2) { store } else { &other };
            lease(store, NOW, 4).await
        });
        let mut leased: Vec<_> = join_all(leases).await.into_iter().flatten().collect();
        leased.extend(lease(store, NOW, 30).await);
        let ids: std::collections::BTreeSet<_> = leased.iter().map(|leased| leased.lease.id).collect();
        assert_eq!((leased.len(), ids.len()), (30, 30));
    });
}

#[test]
fn customer_mail_of_a_disabled_account_is_held_and_leased_after_a_day_to_be_given_up() {
    on_both(async |db| {
        let (store, port) = (&db.store, &db.store.jobs);
        let partner = partner(store).await;
        let (first, second) = (new_account(partner), new_account(partner));
        for account in [&first, &second] {
            stored(store, partner, account).await;
            queue(store, account.id).await;
        }
        let switch = async |off, now| {
            let change = AccountChange::OffByOperator(off);
            let changed = store.operator.change_account(OPERATOR, first.id, change, now);
            changed.await.unwrap();
        };
        switch(true, NOW).await;
        let leased = lease(store, NOW, 10).await;
        assert_eq!(leased.len(), 1, "the other account's mail goes");
        assert_eq!(leased[0].lease.account, second.id);
        let at = NOW;
        let done = Outcome::Done { at };
        port.record(leased[0].lease, &done).await.unwrap();

        let later = NOW + Duration::hours(23);
        switch(false, later).await;
        let leased = lease(store, later, 10).await;
        assert_eq!((leased.len(), leased[0].lease.account), (1, first.id));
        switch(true, later).await;
        assert_eq!(lease(store, later + LEASE, 10).await, []);
        let too_late = later + Duration::hours(2);
        let leased = lease(store, too_late, 10).await;
        assert_eq!((leased.len(), leased[0].lease.account), (1, first.id), "to be given up");
        assert!(port.is_held(leased[0].lease).await.unwrap());
    });
}

#[test]
fn what_was_held_too_long_is_looked_for_once_few_jobs_wait() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let (off, on) = (new_account(partner), new_account(partner));
        for (account, jobs) in [(&off, 1), (&on, 2)] {
            stored(store, partner, account).await;
            for _ in 0..jobs {
                queue(store, account.id).await;
            }
        }
        let change = AccountChange::OffByOperator(true);
        store.operator.change_account(OPERATOR, off.id, change, NOW).await.unwrap();
        let too_late = NOW + Duration::hours(25);
        for account in [on.id, on.id, off.id] {
            let leased = lease(store, too_late, 1).await;
            assert_eq!((leased.len(), leased[0].lease.account), (1, account));
        }
        assert_eq!(lease(store, too_late, 1).await, []);
    });
}

async fn amend(store: &Store, partner: PartnerScope, account: AccountId, profile: ProfileInput) {
    let input = AmendmentInput { profile, ..AmendmentInput::default() };
    let administration = partner_accounts(store);
    let amended = administration.amend(partner, account, input, FieldErrors::default());
    amended.await.unwrap();
}

#[test]
fn customer_mail_is_held_while_communications_are_off_and_owner_mail_is_not() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let communications = async |enabled| {
            let communications_enabled = Field::Value(enabled);
            let profile = ProfileInput { communications_enabled, ..ProfileInput::default() };
            amend(store, partner, account.id, profile).await;
        };
        communications(false).await;
        let change = AccountChange::OffByOperator(true);
        let changed = store.operator.change_account(OPERATOR, account.id, change, NOW);
        changed.await.unwrap();
        let to_customer = queue(store, account.id).await;
        let to_owner = NewJob { to_customer: false, ..job_of(account.id) };
        queue_job(store, to_owner.clone()).await;
        let leased = lease(store, NOW, 10).await;
        let ids: Vec<_> = leased.iter().map(|leased| leased.lease.id).collect();
        assert_eq!(ids, [to_owner.id]);
        assert_eq!(leased[0].letterhead, None);

        let change = AccountChange::OffByOperator(false);
        let changed = store.operator.change_account(OPERATOR, account.id, change, NOW);
        changed.await.unwrap();
        assert_eq!(lease(store, NOW, 10).await, []);
        communications(true).await;
        let leased = lease(store, NOW, 10).await;
        let ids: Vec<_> = leased.iter().map(|leased| leased.lease.id).collect();
        assert_eq!(ids, [to_customer.id]);
        assert!(!store.jobs.is_held(leased[0].lease).await.unwrap());
        communications(false).await;
        assert!(store.jobs.is_held(leased[0].lease).await.unwrap());
    });
}

#[test]
fn letterhead_of_a_mail_is_the_one_of_its_commit() {
    on_both(async |db| {
        let store = &db.store;
        let partner = partner(store).await;
        let account = new_account(partner);
        stored(store, partner, &account).await;
        let before = store.invoice_reads.letterhead(account.id).await.unwrap();
        queue(store, account.id).await;
        let profile = ProfileInput { company_name: Field::Value(line("Renamed")), ..ProfileInput::default() };
        amend(store, partner, account.id, profile).await;
        let leased = lease(store, NOW, 10).await;
        let letterhead = leased[0].letterhead.as_deref().unwrap();
        assert_eq!(Letterhead::from_stored(letterhead).unwrap(), before);
    });
}
