//! How often a request waits for PostgreSQL, counted on the wire.
//!
//! The store talks to the server through a relay that delays each answer. A round trip begins when something is sent while no
//! answer is outstanding; what is sent before an answer arrives belongs to the same one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use access::{ApiKey, Authenticator};
use contacts::{ContactBook, ContactInput, ContactReference, FoundOrCreated};
use idempotency::{Endpoint, Once, Settled, Ticket};
use invoices::{Invoice, InvoiceFilter, InvoiceId};
use kernel::{AccountScope, Field, FieldErrors, PageSize};
use store_diesel::{Store, StoreOptions};
use testkit::StillClock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use crate::ground::on_postgres;
use crate::make::{
    answer, email, fresh, input, invoice, line, new_account, partner, store_invoices, stored,
    stored_contact, ticket,
};

/// Long enough for everything that is sent together to be sent.
const DELAY: Duration = Duration::from_millis(40);

#[derive(Clone, Default)]
struct Relay(Arc<AtomicU32>);

impl Relay {
    /// Starts between the store and the server; returns the address to use in place of the server's.
    async fn start(&self, url: &str) -> String {
        let (host, _) = url.split_once('@').unwrap().1.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (relay, server) = (self.clone(), host.to_owned());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&server).await.unwrap();
                server.set_nodelay(true).unwrap();
                client.set_nodelay(true).unwrap();
                let (asking, answering) = (client.into_split(), server.into_split());
                let waiting = Arc::new(AtomicBool::new(false));
                tokio::spawn(relay.clone().ask(asking.0, answering.1, waiting.clone()));
                tokio::spawn(answer_late(answering.0, asking.1, waiting));
            }
        });
        url.replace(host, &format!("127.0.0.1:{port}"))
    }

    async fn ask(self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf, waiting: Arc<AtomicBool>) {
        let mut bytes = [0; 65_536];
        while let Ok(count @ 1..) = from.read(&mut bytes).await {
            if !waiting.swap(true, Ordering::SeqCst) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
            to.write_all(&bytes[..count]).await.unwrap();
        }
    }

    /// How many round trips a piece of work takes, with those that come behind its answer.
    async fn count(&self, store: &Store, work: impl Future) -> u32 {
        let before = self.0.load(Ordering::SeqCst);
        work.await;
        while store.upkeep.pool_status().available < 1 {
            tokio::task::yield_now().await;
        }
        self.0.load(Ordering::SeqCst) - before
    }
}

async fn answer_late(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, waiting: Arc<AtomicBool>) {
    let mut bytes = [0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        tokio::time::sleep(DELAY).await;
        waiting.store(false, Ordering::SeqCst);
        if to.write_all(&bytes[..count]).await.is_err() {
            return;
        }
    }
}

/// What requests do, from the key to the answer.
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

    async fn create_invoice(&self, ticket: &Ticket, contact: ContactInput) -> Settled {
        self.authenticate().await;
        let invoicing = crate::make::invoicing(&self.store, StillClock::default());
        let mut input = input(3);
        input.contact = Field::Value(contact);
        let present = |invoice: &Invoice| answer(invoice.number.as_str());
        let once = Once {
            ticket: Some(ticket),
            present: &present,
        };
        let created = invoicing.create(&self.scope, input, FieldErrors::default(), &once);
        created.await.unwrap()
    }

    async fn find_or_create_contact(&self, reference: &ContactReference) {
        self.authenticate().await;
        let book = ContactBook {
            store: self.store.contacts.clone(),
            reads: self.store.contact_reads.clone(),
            clock: Arc::new(StillClock::default()),
            ids: Arc::new(kernel::SystemIds::default()),
        };
        let ticket = Ticket {
            endpoint: Endpoint::CreateContact,
            ..ticket(&format!("k{}", fresh()), "{}")
        };
        let present = |found: &FoundOrCreated| answer(&found.contact.id.to_string());
        let once = Once {
            ticket: Some(&ticket),
            present: &present,
        };
        let found = book.find_or_create(&self.scope, reference, &once).await;
        assert!(matches!(found.unwrap(), Settled::Fresh(_)));
    }

    async fn list(&self, size: u64) {
        self.authenticate().await;
        let (any, size) = (InvoiceFilter::default(), PageSize::wish(size).unwrap());
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

/// The table of this crate's README.
#[test]
fn no_request_waits_for_the_database_more_often_than_it_may() {
    on_postgres(async |ground| {
        let partner = partner(&ground.store).await;
        let account = new_account(partner);
        let key = stored(&ground.store, partner, &account).await;
        let authenticator = Authenticator::new(ground.store.credentials.clone());
        let caller = authenticator.account(key.reveal()).await.unwrap();
        let contact = stored_contact(&ground.store, account.id).await;

        let raised = invoice(caller.scope(), "N", Some(contact.clone()), input(3));
        store_invoices(&ground.store, account.id, std::slice::from_ref(&raised)).await;

        let relay = Relay::default();
        let options = StoreOptions {
            // One connection, so that the second run finds its statements prepared by the first.
            max_connections: 1,
            ..StoreOptions::default()
        };
        let store = store_diesel::open(&relay.start(&ground.url).await, &options).await;
        let requests = Requests {
            store: store.unwrap(),
            key,
            scope: caller.scope().clone(),
        };
        let known = || ContactInput {
            id: Field::Value(contact.id),
            ..ContactInput::default()
        };
        let existing = ContactReference {
            id: Some(contact.id),
            ..ContactReference::default()
        };
        let mut counts = Vec::new();
        for _ in 0..3 {
            let mine = ticket(&format!("k{}", fresh()), "{}");
            counts = vec![
                (
                    "authentication alone",
                    relay.count(&requests.store, requests.authenticate()).await,
                ),
                (
                    "POST /invoices",
                    relay
                        .count(&requests.store, requests.create_invoice(&mine, known()))
                        .await,
                ),
                (
                    "GET /invoices?limit=1",
                    relay.count(&requests.store, requests.list(1)).await,
                ),
                (
                    "GET /invoices?limit=100",
                    relay.count(&requests.store, requests.list(100)).await,
                ),
                (
                    "GET /invoices/{id}",
                    relay
                        .count(&requests.store, get_invoice(&requests, raised.id))
                        .await,
                ),
                (
                    "POST /contacts, new",
                    relay
                        .count(
                            &requests.store,
                            requests.find_or_create_contact(&new_contact()),
                        )
                        .await,
                ),
                (
                    "POST /contacts, existing",
                    relay
                        .count(&requests.store, requests.find_or_create_contact(&existing))
                        .await,
                ),
                (
                    "GET /contacts/{id}",
                    relay
                        .count(&requests.store, async {
                            requests.authenticate().await;
                            requests
                                .store
                                .contact_reads
                                .get(account.id, contact.id)
                                .await
                                .unwrap()
                                .unwrap();
                        })
                        .await,
                ),
                (
                    "GET /partner/accounts",
                    relay
                        .count(&requests.store, async {
                            requests
                                .store
                                .account_reads
                                .list(partner, 25, 0)
                                .await
                                .unwrap();
                        })
                        .await,
                ),
                (
                    "POST /invoices, replayed",
                    relay
                        .count(&requests.store, async {
                            let replayed = requests.create_invoice(&mine, known()).await;
                            assert!(matches!(replayed, Settled::Replayed(_)));
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
                ("POST /invoices", 6),
                ("GET /invoices?limit=1", 4),
                ("GET /invoices?limit=100", 4),
                ("GET /invoices/{id}", 3),
                ("POST /contacts, new", 5),
                ("POST /contacts, existing", 4),
                ("GET /contacts/{id}", 2),
                ("GET /partner/accounts", 1),
                // The last one is the roll-back, which nobody waits for.
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
