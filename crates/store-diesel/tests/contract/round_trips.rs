//! How often a request waits for PostgreSQL, counted on the wire.
//!
//! The store is connected through a relay that delays each response. A round trip begins when something is
//! sent while no response is outstanding; everything sent before that response arrives belongs to it.

mod relay;

use std::sync::Arc;

use access::Authenticator;
use contacts::{ContactInput, ContactReference};
use idempotency::IdempotentOutcome;
use invoices::{InvoiceFilter, InvoiceId, PayToken};
use kernel::{AccountToken, Field, PageSize};
pub(crate) use relay::Relay;
use sessions::Sessions;
use store_diesel::StoreOptions;
use testkit::FixedClock;

use crate::database::on_postgres;
use crate::fixtures::{
    NOW, Requests, email, fresh, fresh_ticket, input, line, new_account, partner, stored, stored_contact,
    stored_invoice,
};
use crate::online_payments::{Paying, online_payments};

impl Requests {
    async fn find(&self, session: &AccountToken) {
        let clock = Arc::new(FixedClock::default());
        let sessions = Sessions { store: self.store.sessions.clone(), clock };
        sessions.authenticate(session.reveal()).await.unwrap();
    }

    async fn list(&self, size: u64) {
        self.authenticate().await;
        let (any, size) = (InvoiceFilter::default(), PageSize::of(size).unwrap());
        let reads = &self.store.invoice_reads;
        let page = reads.list(self.scope.id, &any, size, None).await.unwrap();
        assert!(!page.items.is_empty());
    }
}

fn new_contact() -> ContactReference {
    ContactReference {
        name: Some(line("New")),
        email: Some(email(&format!("new{}@example.com", fresh()))),
        ..ContactReference::default()
    }
}

/// Checks the table in this crate's README.
#[test]
fn no_request_waits_for_the_database_more_often_than_it_may() {
    on_postgres(async |db| {
        let partner = partner(&db.store).await;
        let account = new_account(partner);
        let key = stored(&db.store, partner, &account).await;
        let authenticator = Authenticator::new(db.store.credentials.clone());
        let caller = authenticator.account(key.reveal()).await.unwrap();
        let contact = stored_contact(&db.store, account.id).await;

        let raised = stored_invoice(&db.store, caller.scope(), "N", Some(contact.clone()), input(3)).await;

        crate::webhook_deliveries::register(&db.store, account.id).await;

        let (_, session) = crate::sessions::begin(&db.store, account.id).await;

        let relay = Relay::default();
        let options = StoreOptions {
            // One connection, so that the second run finds the statements prepared by the first.
            max_connections: 1,
            ..StoreOptions::default()
        };
        let store = store_diesel::open(&relay.start(&db.url).await, &options).await;
        let requests = Requests { store: store.unwrap(), key, scope: caller.scope().clone() };
        let known = || ContactInput { id: Field::Value(contact.id), ..ContactInput::default() };
        let paying = Paying::new(&db.store).await;
        let existing = ContactReference { id: Some(contact.id), ..ContactReference::default() };
        let mut rounds = Vec::new();
        for _ in 0..3 {
            let mine = fresh_ticket();
            rounds.push(vec![
                ("authentication alone", relay.count(&requests.store, requests.authenticate()).await),
                ("authentication by a session", relay.count(&requests.store, requests.find(&session)).await),
                (
                    "POST /invoices",
                    relay.count(&requests.store, requests.create_invoice(&mine, known(), false)).await,
                ),
                (
                    "POST /invoices, sent",
                    relay
                        .count(&requests.store, async {
                            requests.create_invoice(&fresh_ticket(), known(), true).await;
                        })
                        .await,
                ),
                ("GET /invoices?limit=1", relay.count(&requests.store, requests.list(1)).await),
                ("GET /invoices?limit=100", relay.count(&requests.store, requests.list(100)).await),
                ("GET /invoices/{id}", relay.count(&requests.store, get_invoice(&requests, raised.id)).await),
                (
                    "GET /pay/{token}",
                    relay.count(&requests.store, show_to_payer(&requests, &raised.pay_token)).await,
                ),
                (
                    "GET /pay/{token}, with a gateway",
                    relay.count(&requests.store, show_to_payer(&requests, &paying.invoice.pay_token)).await,
                ),
                (
                    "recording a payment",
                    relay.count(&requests.store, requests.record_payment(raised.id)).await,
                ),
                (
                    "POST /contacts, new",
                    relay.count(&requests.store, requests.find_or_create_contact(&new_contact())).await,
                ),
                (
                    "POST /contacts, existing",
                    relay.count(&requests.store, requests.find_or_create_contact(&existing)).await,
                ),
                (
                    "GET /contacts/{id}",
                    relay
                        .count(&requests.store, async {
                            requests.authenticate().await;
                            requests.store.contact_reads.get(account.id, contact.id).await.unwrap().unwrap();
                        })
                        .await,
                ),
                (
                    "GET /partner/accounts",
                    relay
                        .count(&requests.store, async {
                            requests.store.account_reads.list(partner, 25, 0).await.unwrap();
                        })
                        .await,
                ),
                (
                    "POST /invoices, replayed",
                    relay
                        .count(&requests.store, async {
                            let replayed = requests.create_invoice(&mine, known(), false).await;
                            assert!(matches!(replayed, IdempotentOutcome::Replayed(_)));
                        })
                        .await,
                ),
            ]);
        }
        // The first round prepares the statements. A machine without a free processor may send in two parts
        // what belongs together.
        let [_, one, other] = &rounds[..] else { unreachable!() };
        let fewest = |(one, other): (&(&'static str, u32), &(_, u32))| (one.0, one.1.min(other.1));
        let counts: Vec<_> = one.iter().zip(other).map(fewest).collect();
        println!("{counts:#?}");
        assert_eq!(
            counts,
            [
                ("authentication alone", 1),
                ("authentication by a session", 1),
                ("POST /invoices", 3),
                ("POST /invoices, sent", 3),
                ("GET /invoices?limit=1", 2),
                ("GET /invoices?limit=100", 2),
                ("GET /invoices/{id}", 2),
                ("GET /pay/{token}", 1),
                ("GET /pay/{token}, with a gateway", 2),
                ("recording a payment", 3),
                ("POST /contacts, new", 4),
                ("POST /contacts, existing", 3),
                ("GET /contacts/{id}", 2),
                ("GET /partner/accounts", 1),
                // The third is the roll-back, which no request waits for.
                ("POST /invoices, replayed", 3),
            ]
        );
    });
}

async fn get_invoice(requests: &Requests, id: InvoiceId) {
    requests.authenticate().await;
    let reads = &requests.store.invoice_reads;
    reads.get(requests.scope.id, id).await.unwrap().unwrap();
}

async fn show_to_payer(requests: &Requests, token: &PayToken) {
    let shown = requests.store.payer_reads.by_pay_token(token, NOW).await.unwrap().unwrap();
    online_payments(&requests.store).for_payer(&shown).await.unwrap();
}
