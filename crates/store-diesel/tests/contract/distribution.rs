//! Distributing tables on a cluster: empty ones, ones with rows, and ones that are migrated later.

use kernel::AccountScope;
use store_diesel::{Layout, Store};

use crate::database::{on_both, on_citus, open_as, runtime};
use crate::fixtures::{input, stored_contact, stored_invoice, tenant};

async fn with_invoice(store: &Store) -> (AccountScope, invoices::Invoice) {
    let scope = tenant(store).await;
    let contact = stored_contact(store, scope.id).await;
    let raised = stored_invoice(store, &scope, "N-1", Some(contact), input(3)).await;
    (scope, raised)
}

async fn reads(store: &Store, scope: &AccountScope, raised: &invoices::Invoice) {
    let read = store.invoice_reads.get(scope.id, raised.id).await.unwrap().unwrap();
    assert_eq!(read.lines.len(), raised.lines.len());
    assert_eq!(read.number, raised.number);
}

#[test]
fn tables_are_where_the_layout_says() {
    on_both(async |db| {
        assert!(db.store.upkeep.placement_faults().await.unwrap().is_empty());
        // A second run has nothing to do and undoes nothing.
        assert!(db.store.upkeep.migrate_up().await.unwrap().pending.is_empty());
        assert!(db.store.upkeep.placement_faults().await.unwrap().is_empty());
    });
}

#[test]
fn a_cluster_that_is_not_what_the_settings_say_is_noticed() {
    on_citus(async |db| {
        let unaware = open_as(&db.url, Layout::OneServer).await;
        let faults = unaware.upkeep.placement_faults().await.unwrap();
        assert!(faults.len() == 1 && faults[0].contains("COUNTINGHOUSE_CITUS=true"), "{faults:?}");
        db.execute("ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_account_id_fkey").await;
        db.execute("SELECT undistribute_table('audit_entries')").await;
        let faults = db.store.upkeep.placement_faults().await.unwrap();
        assert_eq!(faults, ["the table audit_entries is not distributed by account"]);
        db.store.upkeep.migrate_up().await.unwrap();
        assert!(db.store.upkeep.placement_faults().await.unwrap().is_empty());
    });
}

#[test]
fn a_database_with_rows_is_converted() {
    let Some(cluster) = testkit::citus::cluster() else {
        return;
    };
    let database = cluster.create_database();
    runtime().block_on(async {
        let before = open_as(&database.url(), Layout::OneServer).await;
        before.upkeep.migrate_up().await.unwrap();
        let (scope, raised) = with_invoice(&before).await;
        let after = open_as(&database.url(), Layout::ByAccount).await;
        let faults = after.upkeep.placement_faults().await.unwrap();
        assert!(faults[0].contains("countinghouse migrate --citus"), "{faults:?}");
        after.upkeep.migrate_up().await.unwrap();
        assert!(after.upkeep.placement_faults().await.unwrap().is_empty());
        reads(&after, &scope, &raised).await;
        let keys =
            "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = 'invoices'::regclass";
        assert_eq!(database.sql(keys).trim(), "2", "the foreign keys are there again");
    });
}

/// Reverts the later migrations and applies them again, on distributed tables.
#[test]
fn migrations_come_to_distributed_tables() {
    on_citus(async |db| {
        let (scope, raised) = with_invoice(&db.store).await;
        let all = db.store.upkeep.migrations().await.unwrap().applied;
        while db.store.upkeep.migrate_down().await.unwrap().applied.len() > 9 {}
        let up = db.store.upkeep.migrate_up().await.unwrap();
        assert_eq!((up.applied, up.pending), (all, Vec::new()));
        assert!(db.store.upkeep.placement_faults().await.unwrap().is_empty());
        reads(&db.store, &scope, &raised).await;
        let referring = db.count(
            "SELECT count(*) AS count FROM pg_constraint WHERE contype = 'f' AND conrelid = 'promises'::regclass",
        );
        assert_eq!(referring.await, 1);
    });
}
