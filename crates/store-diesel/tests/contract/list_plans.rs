//! How the databases find pages of escalations and deliveries among thousands: along an index, without
//! sorting.

use escalations::{
    Escalation, EscalationPosition, EscalationStatus, NewEscalation, ResolutionOutcome, Statement,
};
use kernel::AccountId;
use store_diesel::Store;
use time::Duration;
use webhooks::{DeliveryFilter, DeliveryState};

use crate::database::{TestDatabase, on_postgres, on_sqlite};
use crate::fixtures::{IDS, NOW, id, tenant};
use crate::plans::{capture_statements, captured_with, explain_on_postgres, explain_on_sqlite};
use crate::webhook_deliveries::{paid, register};

const LIMIT: usize = 26;

/// Stores thousands of records of one account among as many of another, and sends every statement once.
async fn load_and_ask(db: &TestDatabase) -> AccountId {
    capture_statements();
    let store = db.another_process().await;
    let (account, other) = (tenant(&store).await.id, tenant(&store).await.id);
    for account in [other, account] {
        register(&store, account).await;
        load(&store, account).await;
    }
    db.execute(
        "UPDATE webhook_deliveries SET state = 'abandoned', finished_at = created_at \
         WHERE event_id IN (SELECT id FROM events WHERE kind = 'invoice.payment_recorded' ORDER BY id LIMIT 2000)",
    )
    .await;
    db.execute("ANALYZE").await;
    let reads = &store.escalation_reads;
    for status in [EscalationStatus::Open, EscalationStatus::Resolved] {
        let after = Some(EscalationPosition::beginning(status));
        assert_eq!(reads.list(account, after, LIMIT).await.unwrap().len(), LIMIT);
    }
    let newest = DeliveryFilter::newest(26);
    let abandoned = DeliveryFilter { state: Some(DeliveryState::Abandoned), ..newest };
    assert_eq!(store.delivery_store.list(account, newest).await.unwrap().len(), LIMIT);
    store.delivery_store.list(account, abandoned).await.unwrap();
    account
}

async fn load(store: &Store, account: AccountId) {
    let mut tx = store.escalations.begin(account).await.unwrap();
    for n in 0..2_000 {
        let new = NewEscalation {
            escalation_type: escalations::EscalationType::Dispute,
            channel: escalations::Channel::Email,
            statement: Statement::parse("No.").unwrap(),
            invoice: None,
            contact: None,
        };
        let mut escalation = Escalation::raise(id(), account, new, NOW);
        if n % 2 == 0 {
            escalation.resolve(ResolutionOutcome::Paid, None, NOW).unwrap();
        }
        tx.escalations().insert(&escalation).await.unwrap();
    }
    for n in 0..2_000 {
        let event = paid(account, NOW + Duration::milliseconds(n));
        webhooks::publish(tx.events(), &*IDS, &event).await.unwrap();
    }
    tx.commit().await.unwrap();
}

const ESCALATIONS: &str = "FROM \"escalations\"";
const DELIVERIES: &str = "FROM webhook_deliveries AS d";

#[test]
fn postgres_pages_along_an_index() {
    on_postgres(async |db| {
        let account = load_and_ask(db).await;
        let last = "'ffffffff-ffff-ffff-ffff-ffffffffffff'";
        let first = "'00000000-0000-0000-0000-000000000000'";
        let escalations = format!("'{account}', {last}, 26");
        let deliveries = format!("'{account}', {last}, {last}, {first}, true, {first}, 26");
        for (parts, values, index) in [
            ([ESCALATIONS, "IS NULL", "$3"], &escalations, "escalations_open"),
            ([ESCALATIONS, "IS NOT NULL", "$3"], &escalations, "escalations_resolved"),
            ([DELIVERIES, "LIMIT $7", ") ORDER BY"], &deliveries, "webhook_deliveries_pkey"),
            ([DELIVERIES, "LIMIT $7", "'abandoned' ORDER"], &deliveries, "webhook_deliveries_abandoned"),
        ] {
            let sql = captured_with("SELECT", &parts);
            let plan = explain_on_postgres(&db.url, &sql, values).await;
            println!("{parts:?}:\n{plan}\n");
            assert!(plan.contains(index), "{plan}");
            assert!(!plan.contains("Sort"), "{plan}");
            assert!(!plan.contains("Seq Scan on webhook_deliveries"), "{plan}");
        }
    });
}

#[test]
fn sqlite_pages_along_an_index() {
    on_sqlite(async |db| {
        load_and_ask(db).await;
        for (parts, index) in [
            ([ESCALATIONS, "IS NULL", "LIMIT ?"], "escalations_open"),
            ([ESCALATIONS, "IS NOT NULL", "LIMIT ?"], "escalations_resolved"),
            ([DELIVERIES, "LIMIT $7", ") ORDER BY"], "sqlite_autoindex_webhook_deliveries"),
            ([DELIVERIES, "LIMIT $7", "'abandoned' ORDER"], "webhook_deliveries_abandoned"),
        ] {
            let plan = explain_on_sqlite(db, &captured_with("SELECT", &parts));
            println!("{parts:?}:\n{plan}\n");
            assert!(plan.contains(index), "{plan}");
            // Scanning the few endpoints for each delivery is allowed.
            assert!(!plan.contains("SCAN d") && !plan.contains("SCAN escalations"), "{plan}");
            assert!(!plan.contains("TEMP B-TREE"), "{plan}");
        }
    });
}
