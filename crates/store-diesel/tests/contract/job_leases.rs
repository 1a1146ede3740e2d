//! Which jobs are leased first, and what a lease reads.

use outbox::NewJob;
use time::Duration;

use crate::database::{on_both, on_postgres};
use crate::fixtures::{NOW, tenant};
use crate::jobs::{job_of, lease, queue, queue_job};
use crate::plans::{capture_statements, captured_with, explain_on_postgres};

#[test]
fn mail_to_owners_is_leased_before_mail_to_customers_that_waits() {
    on_both(async |db| {
        let store = &db.store;
        let account = tenant(store).await.id;
        for _ in 0..3 {
            queue(store, account).await;
        }
        let later = NOW + Duration::MINUTE;
        let asked_for = NewJob { to_customer: false, queued_at: later, ..job_of(account) };
        queue_job(store, asked_for.clone()).await;
        let leased = lease(store, later, 2).await;
        assert_eq!((leased.len(), leased[0].lease.id), (2, asked_for.id));
        assert_eq!(lease(store, later, 10).await.len(), 2);
    });
}

#[test]
fn lease_among_many_accounts_reads_those_that_are_switched_off() {
    on_postgres(async |db| {
        capture_statements();
        let store = db.another_process().await;
        let account = tenant(&store).await.id;
        for _ in 0..100 {
            queue(&store, account).await;
        }
        let as_many = "INSERT INTO accounts SELECT (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), \
            'external_id', NULL, 'payment_slug', 'slug-' || n))).* FROM accounts AS one, generate_series(1, 20000) AS n";
        for statement in [as_many, "ANALYZE"] {
            db.execute(statement).await;
        }
        assert_eq!(lease(&store, NOW, 8).await.len(), 8);
        let of_one_server = "communications_enabled))) ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED";
        let leasing =
            captured_with("WITH due AS MATERIALIZED (SELECT account_id, id FROM jobs ", &[of_one_server]);
        let plan = explain_on_postgres(&db.url, &leasing, "'mail', now(), now(), 8, now()").await;
        assert!(
            plan.contains("using accounts_switched_off") && !plan.contains("Seq Scan on accounts"),
            "{plan}"
        );
        let owners = captured_with(
            "WITH due AS MATERIALIZED (SELECT account_id, id FROM jobs ",
            &["AND NOT to_customer ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED"],
        );
        let plan = explain_on_postgres(&db.url, &owners, "'mail', now(), now(), 8, now()").await;
        assert!(plan.contains("using jobs_due_to_owners"), "{plan}");
    });
}
