//! How often a request waits for PostgreSQL, counted on the wire.
//!
//! The store is connected through a relay that delays each response. A round trip begins when something is
//! sent while no response is outstanding; everything sent before that response arrives belongs to it.

mod relay;

use std::sync::Arc;

use access::{ApiKey, Authenticator};
use contacts::{ContactInput, ContactReference, ContactService, FoundOrCreated};
use idempotency::{IdempotentOperation, IdempotentOutcome, Once, Ticket};
use invoices::{Invoice, InvoiceFilter, InvoiceId, NewPayment, PayToken, PaymentMethod, RecordedBy};
use kernel::{AccountScope, Field, FieldErrors, PageSize};
pub(crate) use relay::Relay;
use sessions::{AccountToken, Sessions};
use store_diesel::{Store, StoreOptions};
use testkit::FixedClock;

use crate::database::on_postgres;
use crate::fixtures::{
    NOW, email, fresh, input, invoice, line, new_account, partner, store_invoices, stored, stored_contact,
    stored_response, ticket,
};
use crate::online_payments::{Paying, online_payments};

/// The steps of requests, from the API key to the response.
struct Requests {
    store: Store,
    key: ApiKey,
    scope: AccountScope,
}

impl Requests {
    async fn authenticate(&self) {
        let authenticator = Authenticator::new(self.store.credentials.clone());
        authenticator.account(self.key.reveal()).await.unwrap();
    }

    async fn find(&self, session: &AccountToken) {
        let clock = Arc::new(FixedClock::default());
        let sessions = Sessions { store: self.store.sessions.clone(), clock };
        sessions.authenticate(session.reveal()).await.unwrap();
    }

    async fn create_invoice(&self, ticket: &Ticket, contact: ContactInput) -> IdempotentOutcome {
        self.create(ticket, contact, false).await
    }

    async fn create(&self, ticket: &Ticket, contact: ContactInput, send: bool) -> IdempotentOutcome {
        self.authenticate().await;
        let invoicing = crate::fixtures::invoicing(&self.store, FixedClock::default());
        let mut input = input(3);
        input.contact = Field::Value(contact);
        input.send_invoice = Field::Value(send);
        let present = |invoice: &Invoice| stored_response(invoice.number.as_str());
        let once = Once { ticket: Some(ticket), present: &present };
        let created = invoicing.create(&self.scope, input, FieldErrors::default(), &once);
        created.await.unwrap()
    }

    async fn find_or_create_contact(&self, reference: &ContactReference) {
        self.authenticate().await;
        let book = ContactService {
            store: self.store.contacts.clone(),
            reads: self.store.contact_reads.clone(),
            clock: Arc::new(FixedClock::default()),
            ids: Arc::new(kernel::SystemIds::default()),
        };
        let ticket = Ticket {
            operation: IdempotentOperation::CreateContact,
            ..ticket(&format!("k{}", fresh()), "{}")
        };
        let present = |found: &FoundOrCreated| stored_response(&found.contact.id.to_string());
        let once = Once { ticket: Some(&ticket), present: &present };
        let found = book.find_or_create(&self.scope, reference, &once).await;
        assert!(matches!(found.unwrap(), IdempotentOutcome::Fresh(_)));
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

        let raised = invoice(caller.scope(), "N", Some(contact.clone()), input(3));
        store_invoices(&db.store, account.id, std::slice::from_ref(&raised)).await;

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
        let mut counts = Vec::new();
        for _ in 0..3 {
            let mine = ticket(&format!("k{}", fresh()), "{}");
            counts = vec![
                ("authentication alone", relay.count(&requests.store, requests.authenticate()).await),
                ("authentication by a session", relay.count(&requests.store, requests.find(&session)).await),
                (
                    "POST /invoices",
                    relay.count(&requests.store, requests.create_invoice(&mine, known())).await,
                ),
                (
                    "POST /invoices, sent",
                    relay
                        .count(&requests.store, async {
                            let ticket = ticket(&format!("k{}", fresh()), "{}");
                            requests.create(&ticket, known(), true).await;
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
                    relay.count(&requests.store, record_payment(&requests, raised.id)).await,
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
                            let replayed = requests.create_invoice(&mine, known()).await;
                            assert!(matches!(replayed, IdempotentOutcome::Replayed(_)));
                        })
                        .await,
                ),
            ];
        }
        println!("{counts:#?}");
        assert_eq!(
            counts,
            [
                ("authentication alone", 1),
                ("authentication by a session", 1),
                ("POST /invoices", 4),
                ("POST /invoices, sent", 4),
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

/// By the operator's command line, with an endpoint subscribed to the event.
async fn show_to_payer(requests: &Requests, token: &PayToken) {
    let shown = requests.store.payer_reads.by_pay_token(token, NOW).await.unwrap().unwrap();
    online_payments(&requests.store).for_payer(&shown).await.unwrap();
}

async fn record_payment(requests: &Requests, id: InvoiceId) {
    let new = NewPayment {
        amount: "0.01".to_owned(),
        currency: None,
        method: PaymentMethod::Cash,
        reference: None,
        received_at: None,
        recorded_by: RecordedBy::Operator,
    };
    let invoicing = crate::fixtures::invoicing(&requests.store, FixedClock::default());
    let recorded = invoicing.record_payment(requests.scope.id, id, &new);
    recorded.await.unwrap();
}
