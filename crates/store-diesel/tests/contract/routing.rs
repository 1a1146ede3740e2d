//! On a cluster each statement of a request goes to one server, and its commit to that one alone.
//!
//! The coordinator writes down what it sends (`citus.log_remote_commands`). What only the coordinator knows,
//! such as accounts and their keys, it reads there itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use access::{ApiKey, Authenticator};
use contacts::{ContactInput, ContactReference, ContactService, FoundOrCreated};
use idempotency::{Endpoint, Once, Ticket};
use invoices::{Invoice, InvoiceFilter, NewPayment, PaymentMethod, RecordedBy};
use kernel::{AccountScope, Field, FieldErrors, PageSize};
use store_diesel::Store;
use testkit::StillClock;
use testkit::citus::Cluster;
use time::Duration;

use crate::database::{TestDatabase, on_citus};
use crate::fixtures::{
    NOW, answer, email, fresh, input, invoice, line, new_account, partner, store_invoices, stored,
    stored_contact, ticket,
};

/// What one operation had the coordinator send.
#[derive(Debug, Default)]
struct Sent {
    servers: BTreeSet<String>,
    statements: usize,
    is_two_phase: bool,
}

/// The log of one database, from where it was read last.
struct Log<'a> {
    cluster: &'static Cluster,
    database: &'a str,
    read: usize,
}

impl Log<'_> {
    fn sent(&mut self) -> Sent {
        let log = self.cluster.log();
        let new = log.get(self.read..).unwrap_or_default();
        let mut sent = Sent::default();
        for line in new.lines().filter(|line| line.contains(&format!("db={} ", self.database))) {
            if let Some((_, server)) = line.split_once("DETAIL:  on server ") {
                let server = server.split_whitespace().next().unwrap_or_default();
                sent.servers.insert(server.to_owned());
                sent.statements += 1;
            }
            sent.is_two_phase |= line.contains("issuing PREPARE TRANSACTION");
        }
        self.read = log.len();
        sent
    }
}

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

    async fn create(&self, contact: ContactInput, send: bool) {
        self.authenticate().await;
        let invoicing = crate::fixtures::invoicing(&self.store, StillClock::default());
        let mut input = input(3);
        input.contact = Field::Value(contact);
        input.send_invoice = Field::Value(send);
        let present = |invoice: &Invoice| answer(invoice.number.as_str());
        let ticket = ticket(&format!("k{}", fresh()), "{}");
        let once = Once { ticket: Some(&ticket), present: &present };
        invoicing.create(&self.scope, input, FieldErrors::default(), &once).await.unwrap();
    }

    async fn find_or_create_contact(&self, reference: &ContactReference) {
        self.authenticate().await;
        let book = ContactService {
            store: self.store.contacts.clone(),
            reads: self.store.contact_reads.clone(),
            clock: Arc::new(StillClock::default()),
            ids: Arc::new(kernel::SystemIds::default()),
        };
        let ticket = Ticket { endpoint: Endpoint::CreateContact, ..ticket(&format!("k{}", fresh()), "{}") };
        let present = |found: &FoundOrCreated| answer(&found.contact.id.to_string());
        let once = Once { ticket: Some(&ticket), present: &present };
        book.find_or_create(&self.scope, reference, &once).await.unwrap();
    }

    async fn record_payment(&self, raised: &Invoice) {
        let new = NewPayment {
            amount: "0.01".to_owned(),
            method: PaymentMethod::Cash,
            reference: None,
            received_at: None,
            recorded_by: RecordedBy::Operator,
        };
        let invoicing = crate::fixtures::invoicing(&self.store, StillClock::default());
        invoicing.record_payment(self.scope.id, raised.id, &new).await.unwrap();
    }
}

async fn prepared(db: &TestDatabase) -> (Requests, Invoice, contacts::Contact, sessions::AccountToken) {
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
    // Each statement of the coordinator's is written down from here on, on new connections.
    let name = db.url.rsplit('/').next().unwrap();
    db.execute(&format!(
        "ALTER DATABASE {name} SET citus.log_remote_commands = on; \
         ALTER DATABASE {name} SET client_min_messages = warning; \
         ALTER DATABASE {name} SET log_min_messages = notice"
    ))
    .await;
    let requests = Requests { store: db.another_process().await, key, scope: caller.scope().clone() };
    (requests, raised, contact, session)
}

#[test]
fn each_operation_of_a_request_goes_to_one_server() {
    on_citus(async |db| {
        let (requests, raised, contact, session) = prepared(db).await;
        let database = db.url.rsplit('/').next().unwrap();
        let mut log = Log { cluster: testkit::citus::cluster().unwrap(), database, read: 0 };
        let known = || ContactInput { id: Field::Value(contact.id), ..ContactInput::default() };
        let existing = ContactReference { id: Some(contact.id), ..ContactReference::default() };
        let new = ContactReference {
            name: Some(line("New")),
            email: Some(email(&format!("new{}@example.com", fresh()))),
            ..ContactReference::default()
        };
        let (store, id) = (&requests.store, requests.scope.id);
        let (any, size) = (InvoiceFilter::default(), PageSize::of(25).unwrap());
        let mut counts = Vec::new();
        macro_rules! operation {
            ($name:literal, $statements:expr, $work:expr) => {{
                log.sent();
                $work;
                let sent = log.sent();
                assert!(sent.servers.len() <= 1, "{}: {sent:?}", $name);
                assert!(!sent.is_two_phase, "{}: {sent:?}", $name);
                assert_eq!(sent.statements > 0, $statements, "{}: {sent:?}", $name);
                counts.push(($name, sent.statements));
            }};
        }
        requests.create(known(), false).await;
        operation!("authentication", false, requests.authenticate().await);
        operation!("a session", true, {
            store.sessions.standing(&session).await.unwrap().unwrap();
        });
        operation!("POST /invoices", true, requests.create(known(), false).await);
        operation!("POST /invoices, sent", true, requests.create(known(), true).await);
        operation!("GET /invoices/{id}", true, {
            store.invoice_reads.get(id, raised.id).await.unwrap().unwrap();
        });
        operation!("GET /invoices", true, {
            store.invoice_reads.list(id, &any, size, None).await.unwrap();
        });
        operation!("recording a payment", true, requests.record_payment(&raised).await);
        operation!("GET /pay/{token}", true, {
            store.payer_reads.by_pay_token(&raised.pay_token, NOW).await.unwrap().unwrap();
        });
        operation!("POST /contacts, new", true, requests.find_or_create_contact(&new).await);
        operation!("POST /contacts, existing", true, requests.find_or_create_contact(&existing).await);
        operation!("GET /contacts/{id}", true, {
            store.contact_reads.get(id, contact.id).await.unwrap().unwrap();
        });
        operation!("the overview", true, {
            let days = [0, 30, 60, 90].map(|days| NOW.date() - Duration::days(days));
            store.overview.owed(id, days, NOW - Duration::days(30)).await.unwrap();
            store.overview.latest_payments(id, 5).await.unwrap();
        });
        operation!("the account of an owner", false, {
            store.own_accounts.get(id).await.unwrap().unwrap();
        });
        println!("{counts:#?}");
    });
}
