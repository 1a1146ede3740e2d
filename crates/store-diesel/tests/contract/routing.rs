//! On a cluster each statement of a request goes to one server, and its commit to that one alone: through the
//! coordinator, or at once once it is known which server has the account.
//!
//! Servers write down what they send to others (`citus.log_remote_commands`). What is on every server, such
//! as accounts and their keys, the one that is asked reads itself.

use std::collections::BTreeSet;
use std::sync::Arc;

use access::{ApiKey, Authenticator};
use contacts::{ContactInput, ContactReference, ContactService, FoundOrCreated};
use idempotency::{Claim, Endpoint, IdempotentOutcome, Once, Ticket};
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

/// What one operation had servers send to others.
#[derive(Debug, Default)]
struct Sent {
    servers: BTreeSet<String>,
    by_coordinator: usize,
    by_workers: usize,
    is_two_phase: bool,
}

/// The logs of one database, from where they were read last.
struct Logs<'a> {
    cluster: &'static Cluster,
    database: &'a str,
    read: [usize; 3],
}

impl<'a> Logs<'a> {
    fn of(db: &'a TestDatabase) -> Self {
        let cluster = testkit::citus::cluster().unwrap();
        Self { cluster, database: name(db), read: cluster.logs().map(|log| log.len()) }
    }

    fn sent(&mut self) -> Sent {
        let logs = self.cluster.logs();
        let mut sent = Sent::default();
        for (server, log) in logs.iter().enumerate() {
            let new = log.get(self.read[server]..).unwrap_or_default();
            for line in new.lines().filter(|line| line.contains(&format!("db={} ", self.database))) {
                if let Some((_, to)) = line.split_once("DETAIL:  on server ") {
                    sent.servers.insert(to.split_whitespace().next().unwrap_or_default().to_owned());
                    *if server == 0 { &mut sent.by_coordinator } else { &mut sent.by_workers } += 1;
                }
                sent.is_two_phase |= line.contains("issuing PREPARE TRANSACTION");
            }
        }
        self.read = logs.map(|log| log.len());
        sent
    }
}

fn name(db: &TestDatabase) -> &str {
    db.url.rsplit('/').next().unwrap()
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

/// An account with what the operations need.
struct Prepared {
    key: ApiKey,
    scope: AccountScope,
    invoice: Invoice,
    contact: contacts::Contact,
    session: sessions::AccountToken,
}

impl Prepared {
    async fn of(db: &TestDatabase) -> Self {
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
        Self { key, scope: caller.scope().clone(), invoice: raised, contact, session }
    }

    fn requests_to(&self, store: Store) -> Requests {
        Requests { store, key: self.key.clone(), scope: self.scope.clone() }
    }
}

/// Has each server write down, on connections that are opened from here on, what it sends to others.
async fn log_what_is_sent(db: &TestDatabase) {
    for setting in
        ["citus.log_remote_commands = on", "client_min_messages = warning", "log_min_messages = notice"]
    {
        let set = format!("ALTER DATABASE {} SET {setting}", name(db));
        db.execute(&format!("{set}; SELECT run_command_on_workers('{set}')")).await;
    }
}

/// Does each operation, and has its name, whether it is about rows of the account, and what was sent looked
/// at.
async fn each_operation(
    requests: &Requests,
    prepared: &Prepared,
    logs: &mut Logs<'_>,
    look: impl Fn(&str, bool, &Sent),
) {
    let Prepared { invoice: raised, contact, session, .. } = prepared;
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
        ($name:literal, $is_about_rows:expr, $work:expr) => {{
            logs.sent();
            $work;
            let sent = logs.sent();
            look($name, $is_about_rows, &sent);
            counts.push(($name, sent.by_coordinator));
        }};
    }
    requests.create(known(), false).await;
    operation!("authentication", false, requests.authenticate().await);
    operation!("a session", true, {
        store.sessions.standing(session).await.unwrap().unwrap();
    });
    operation!("POST /invoices", true, requests.create(known(), false).await);
    operation!("POST /invoices, sent", true, requests.create(known(), true).await);
    operation!("GET /invoices/{id}", true, {
        store.invoice_reads.get(id, raised.id).await.unwrap().unwrap();
    });
    operation!("GET /invoices", true, {
        store.invoice_reads.list(id, &any, size, None).await.unwrap();
    });
    operation!("recording a payment", true, requests.record_payment(raised).await);
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
}

#[test]
fn each_operation_goes_from_the_coordinator_to_one_server() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        log_what_is_sent(db).await;
        let requests = prepared.requests_to(db.a_command().await);
        each_operation(&requests, &prepared, &mut Logs::of(db), |operation, is_about_rows, sent| {
            assert!(sent.servers.len() <= 1, "{operation}: {sent:?}");
            assert!(!sent.is_two_phase, "{operation}: {sent:?}");
            assert_eq!(
                (sent.by_coordinator > 0, sent.by_workers),
                (is_about_rows, 0),
                "{operation}: {sent:?}"
            );
        })
        .await;
    });
}

/// A store which knows which worker has the account.
async fn asks_the_worker(db: &TestDatabase, prepared: &Prepared) -> Store {
    let store = db.another_process().await;
    let mut logs = Logs::of(db);
    // It looks for the workers in the background, from its first query on.
    for _ in 0..10_000 {
        logs.sent();
        store.invoice_reads.get(prepared.scope.id, prepared.invoice.id).await.unwrap().unwrap();
        if logs.sent().by_coordinator == 0 {
            return store;
        }
    }
    panic!("the coordinator is still asked");
}

#[test]
fn the_worker_that_has_the_account_is_asked_at_once() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        log_what_is_sent(db).await;
        let requests = prepared.requests_to(asks_the_worker(db, &prepared).await);
        each_operation(&requests, &prepared, &mut Logs::of(db), |operation, _, sent| {
            assert_eq!((sent.by_coordinator, sent.by_workers), (0, 0), "{operation}: {sent:?}");
        })
        .await;
    });
}

#[test]
fn one_in_flight_key_is_held_by_one_process_whichever_server_it_asks() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        let at_once = asks_the_worker(db, &prepared).await;
        let (account, ticket) = (prepared.scope.id, ticket("k", "{}"));
        let mut through_coordinator = db.a_command().await.invoicing.begin(account).await.unwrap();
        let first = through_coordinator.stored_responses().claim(&ticket).await.unwrap();
        assert_eq!(first, Claim::Fresh);
        let mut at_worker = at_once.invoicing.begin(account).await.unwrap();
        let second = at_worker.stored_responses().claim(&ticket).await.unwrap();
        assert_eq!(second, Claim::Taken(IdempotentOutcome::InFlight));
    });
}

/// Moves the account's part of every table to the other worker.
async fn move_account(db: &TestDatabase, account: kernel::AccountId) {
    let shard = format!("get_shard_id_for_distribution_column('invoices', '{account}'::uuid)");
    db.execute(&format!(
        "SELECT citus_move_shard_placement({shard}, source.nodename, source.nodeport, target.nodename, \
         target.nodeport, shard_transfer_mode := 'block_writes') FROM pg_dist_node AS source, pg_dist_node AS target, \
         pg_dist_placement AS p WHERE p.shardid = {shard} AND source.groupid = p.groupid \
         AND target.groupid NOT IN (0, p.groupid)"
    ))
    .await;
}

#[test]
fn an_account_that_moved_is_read_and_written_where_it_is_now() {
    on_citus(async |db| {
        let prepared = Prepared::of(db).await;
        let at_once = prepared.requests_to(asks_the_worker(db, &prepared).await);
        let coordinator = prepared.requests_to(db.a_command().await);
        let (account, id) = (prepared.scope.id, prepared.invoice.id);
        // The hash by which the store finds a worker is the servers' own: its unit test has these numbers.
        let hashes = "SELECT count(*) FROM (VALUES ('01a20991-fe62-7748-8393-4c3b5f06d2ff'::uuid, 580627307), \
             ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, -682383255)) AS x(id, hash) WHERE worker_hash(id) = hash";
        assert_eq!(db.count(hashes).await, 2);
        move_account(db, account).await;
        let paid = async |requests: &Requests| {
            let found = requests.store.invoice_reads.get(account, id).await.unwrap().unwrap();
            found.amount_paid.to_string()
        };
        // The server that had it keeps its old rows for a while.
        coordinator.record_payment(&prepared.invoice).await;
        assert_eq!((paid(&at_once).await, paid(&coordinator).await), ("0.01".to_owned(), "0.01".to_owned()));
        at_once.record_payment(&prepared.invoice).await;
        assert_eq!((paid(&at_once).await, paid(&coordinator).await), ("0.02".to_owned(), "0.02".to_owned()));
        at_once
            .create(ContactInput { id: Field::Value(prepared.contact.id), ..ContactInput::default() }, true)
            .await;
    });
}
