//! Requests on PostgreSQL find rows by index even while the tables are almost empty: a connection keeps its
//! plans while they grow.

use std::time::Duration;

use idempotency::{IdempotentOutcome, IdempotentResponse};
use invoices::{Invoice, InvoiceFilter};
use kernel::{FieldErrors, PageSize};
use store_diesel::Store;
use testkit::FixedClock;

use crate::database::{TestDatabase, on_postgres};
use crate::fixtures::{input, invoicing, stored_response, tenant, ticket};

/// Creates an invoice with an idempotency key, does so again, and reads it.
async fn create_and_read(store: &Store, key: &str) {
    let scope = tenant(store).await;
    let invoicing = invoicing(store, FixedClock::default());
    let ticket = ticket(key, "{}");
    let present = |invoice: &Invoice| stored_response(&invoice.id.to_string());
    let idempotent_response = IdempotentResponse { ticket: Some(&ticket), present: &present };
    for _ in 0..2 {
        let created =
            invoicing.create(&scope, input(2), FieldErrors::default(), &idempotent_response).await.unwrap();
        assert!(matches!(created, IdempotentOutcome::Fresh(_) | IdempotentOutcome::Replayed(_)));
    }
    let all = InvoiceFilter::default();
    let page = store.invoice_reads.list(scope.id, &all, PageSize::DEFAULT, None).await.unwrap();
    assert!(store.invoice_reads.get(scope.id, page.items[0].id).await.unwrap().is_some());
}

/// The service's open connections to this database.
async fn connections(db: &TestDatabase) -> i64 {
    db.count(
        "SELECT count(*) AS count FROM pg_stat_activity \
        WHERE datname = current_database() AND application_name = 'countinghouse'",
    )
    .await
}

#[test]
fn table_that_is_almost_empty_is_not_read_whole() {
    on_postgres(async |db| {
        let before = connections(db).await;
        let store = db.another_process().await;
        create_and_read(&store, "before").await;
        // The planner believes in a table's size once the table was analyzed.
        db.execute("VACUUM ANALYZE").await;
        create_and_read(&store, "after").await;
        drop(store);
        // A connection reports its statistics at its end at the latest.
        let ended = async { while connections(db).await > before {} };
        tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
        for table in [
            "account_keys", "accounts", "contacts", "idempotency_keys", "invoice_sequences", "invoices",
            "line_items", "partners", "payments",
        ] {
            let scans =
                format!("SELECT seq_scan AS count FROM pg_stat_user_tables WHERE relname = '{table}'");
            assert_eq!(db.count(&scans).await, 0, "{table}");
        }
    });
}
