//! The ports of a database, all implemented by one type.

use std::sync::Arc;

use store_schema::delivery_notifier::DeliveryNotifier;
use store_schema::in_flight_keys::InFlightKeys;
use store_schema::options::Announce;
use store_schema::store::Store;

use super::database::Database;
use super::faulty_accounts::FaultyAccounts;
use crate::pool::Pool;

/// Builds the ports on a pool.
pub(in super::super) fn store(pool: Pool, announce: Announce) -> Store {
    ports(Database {
        pool,
        in_flight_keys: InFlightKeys::default(),
        delivery_notifier: DeliveryNotifier::new(announce),
        listening: Arc::default(),
        faulty_accounts: FaultyAccounts::default(),
        audit: None,
    })
}

fn ports(database: Database) -> Store {
    let database = Arc::new(database);
    Store {
        for_thread: for_thread(database.clone()),
        audited: {
            let database = database.clone();
            Arc::new(move |entry| {
                ports(Database { audit: Some(Arc::new(entry)), ..Database::clone(&database) })
            })
        },
        credentials: database.clone(),
        key_uses: database.clone(),
        contacts: database.clone(),
        contact_reads: database.clone(),
        invoicing: database.clone(),
        invoice_reads: database.clone(),
        overview: database.clone(),
        timelines: database.clone(),
        payer_reads: database.clone(),
        payment_page_history: database.clone(),
        promise_limits: database.clone(),
        bank_details: database.clone(),
        bank_details_reads: database.clone(),
        online_payments: database.clone(),
        online_reads: database.clone(),
        sandbox_records: database.clone(),
        due_dates: database.clone(),
        jobs: database.clone(),
        endpoints: database.clone(),
        delivery_queue: database.clone(),
        delivery_signal: database.clone(),
        delivery_store: database.clone(),
        sealed_secrets: database.clone(),
        stored_responses: database.clone(),
        submissions: database.clone(),
        provisioning: database.clone(),
        account_reads: database.clone(),
        own_accounts: database.clone(),
        sessions: database.clone(),
        audit: database.clone(),
        sealed_second_factors: database.clone(),
        logo_removals: database.clone(),
        communications: database.clone(),
        communications_reads: database.clone(),
        reminder_reads: database.clone(),
        inbox: database.clone(),
        unread: database.clone(),
        message_retention: database.clone(),
        escalations: database.clone(),
        escalation_reads: database.clone(),
        operator: database.clone(),
        queues: database.clone(),
        upkeep: database.clone(),
        checkup: database.clone(),
        bulk: database,
    }
}

fn for_thread(database: Arc<Database>) -> Arc<dyn Fn() -> Store + Send + Sync> {
    Arc::new(move || ports(Database { pool: database.pool.for_thread(), ..Database::clone(&database) }))
}
