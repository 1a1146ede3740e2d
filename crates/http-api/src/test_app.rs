//! The API over an embedded database, for the tests of this crate.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use access::{Authenticator, Quotas, RollingWindows};
use actix_web::body::to_bytes;
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::{self, ServiceConfig};
use async_trait::async_trait;
use contacts::ContactService;
use escalations::EscalationReader;
use http_server::{GracefulShutdown, Metrics, NoTraces, Readiness, ServerState, Transport};
use invoices::{
    BankTransfer, BankTransfers, DocumentError, Invoice, InvoiceDocument, InvoiceDocuments, InvoicePdfs,
    InvoiceRenderer, Invoicing, InvoicingPolicy, LogoPictures, OnlineOffers, ReceiptDocument,
};
use kernel::{
    AccountId, Currency, CursorKey, EmailAddress, Field, HttpsUrl, LogoKey, Operator, PublicUrls,
    SealingKeys, SingleLine, StoreResult,
};
use partner_accounts::{
    LogoFetchError, LogoSource, LogoStore, LogoStoreError, Logos, OperatorAccounts, PartnerAccounts,
    PartnerName, ProfileInput,
};
use store_diesel::{Store, StoreOptions};
use testkit::{CountingIds, FixedClock, FixedRandom};
use time::OffsetDateTime;
use webhooks::{TargetGuard, TargetRefused};

use crate::state::AppState;

const PUBLIC_URL: &str = "https://books.example.com";

/// The API over a database of its own, with a partner and an account.
pub(crate) struct TestApp {
    pub(crate) state: AppState,
    pub(crate) clock: FixedClock,
    pub(crate) account_key: String,
    pub(crate) partner_key: String,
    pub(crate) server: ServerState,
    /// Keeps the database's folder.
    _folder: Box<dyn std::any::Any>,
}

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl TestApp {
    pub(crate) async fn new() -> Self {
        let (folder, url) = testkit::sqlite::temporary();
        let store = store_diesel::open(&url, &StoreOptions::default()).await;
        let store = store.unwrap();
        store.upkeep.migrate_up().await.unwrap();
        let clock = FixedClock::default();
        let ids = Arc::new(CountingIds::default());
        let random = Arc::new(FixedRandom::default());
        let operator_accounts = OperatorAccounts {
            store: store.operator.clone(),
            clock: Arc::new(clock.clone()),
            ids: ids.clone(),
            random: random.clone(),
        };
        let (account_key, partner_key) = first_keys(&operator_accounts).await;
        Self {
            state: app_state(&store, &clock, ids, random),
            server: server_state(&clock),
            clock,
            account_key,
            partner_key,
            _folder: Box::new(folder),
        }
    }

    /// Sends a request unchanged.
    pub(crate) async fn send(&self, request: TestRequest) -> TestResponse {
        self.service().await(request).await
    }

    /// The service that handles requests, for tests that send many.
    pub(crate) async fn service(&self) -> impl AsyncFn(TestRequest) -> TestResponse + use<> {
        let state = self.state.clone();
        let routes = |config: &mut ServiceConfig| crate::configure(config, state);
        let server = web::Data::new(self.server.clone());
        let app = init_service(http_server::application(server, routes)).await;
        async move |request: TestRequest| {
            let response = match try_call_service(&app, request.to_request()).await {
                Ok(response) => response.into_parts().1,
                Err(error) => error.error_response(),
            };
            let (head, body) = response.into_parts();
            let bytes = to_bytes(body).await.unwrap_or_default();
            TestResponse {
                status: head.status().as_u16(),
                headers: head.headers().clone(),
                body: String::from_utf8(bytes.to_vec()).unwrap(),
            }
        }
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &str) -> TestResponse {
        self.send(self.json(Method::POST, path, body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &str) -> TestResponse {
        self.send(self.json(Method::PUT, path, body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &str) -> TestResponse {
        self.send(self.json(Method::PATCH, path, body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> TestResponse {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Sends a POST with an `Idempotency-Key`.
    pub(crate) async fn post_once(&self, key: &str, path: &str, body: &str) -> TestResponse {
        let request = self.json(Method::POST, path, body);
        self.send(request.insert_header(("Idempotency-Key", key))).await
    }

    /// Creates a record and returns its path.
    pub(crate) async fn create(&self, collection: &str, body: &str) -> String {
        let created = self.post(collection, body).await;
        assert_eq!(created.status, 201, "{}", created.body);
        format!("{collection}/{}", created.json()["id"].as_str().unwrap())
    }

    /// A request with a JSON body and the key that the path needs.
    pub(crate) fn json(&self, method: Method, path: &str, body: &str) -> TestRequest {
        let request = self.request(method, path);
        request.insert_header(("Content-Type", "application/json")).set_payload(body.to_owned())
    }

    /// A request with the key that the path needs.
    pub(crate) fn request(&self, method: Method, path: &str) -> TestRequest {
        let key = if path.starts_with("/api/v1/partner/") { &self.partner_key } else { &self.account_key };
        let bearer = ("Authorization", format!("Bearer {key}"));
        let request = TestRequest::default().method(method).uri(path);
        request.insert_header(bearer)
    }
}

impl TestResponse {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// Asserts that the body has exactly the fields that the OpenAPI document declares for a schema.
    pub(crate) fn assert_has_every_field_of(&self, schema: &str) {
        let document = serde_json::to_value(crate::openapi()).unwrap();
        let declared = &document["components"]["schemas"][schema]["properties"];
        let names = |value: &serde_json::Value| -> BTreeSet<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        assert_eq!(names(&self.json()), names(declared));
    }

    /// The code of an error.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The faulty fields of an error.
    pub(crate) fn faulty(&self) -> Vec<String> {
        let json = self.json();
        let faults = json["error"]["field_errors"].as_array();
        let field = |fault: &serde_json::Value| fault["field"].as_str().unwrap().to_owned();
        faults.map_or_else(Vec::new, |faults| faults.iter().map(field).collect())
    }

    /// A header's value; empty when there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// Status and code; the code of a success is empty.
    pub(crate) fn outcome(&self) -> (u16, String) {
        let succeeded = StatusCode::from_u16(self.status).unwrap().is_success();
        let code = if succeeded { String::new() } else { self.code() };
        (self.status, code)
    }
}

async fn first_keys(operator_accounts: &OperatorAccounts) -> (String, String) {
    let input = ProfileInput {
        company_name: Field::Value(SingleLine::parse("Acme Pty Ltd").unwrap()),
        email: Field::Value(EmailAddress::parse("first@acme.example.com").unwrap()),
        ..ProfileInput::default()
    };
    let (operator, name) = (Operator::at_the_command_line(), PartnerName::parse("Partner").unwrap());
    let currency = Currency::parse("AUD").unwrap();
    let founded = operator_accounts.bootstrap(operator, name, input, currency).await;
    let keys = founded.unwrap().unwrap();
    (keys.account_key.reveal().to_owned(), keys.partner_key.reveal().to_owned())
}

fn app_state(store: &Store, clock: &FixedClock, ids: Arc<CountingIds>, random: Arc<FixedRandom>) -> AppState {
    let clock = Arc::new(clock.clone());
    let images = Arc::new(Images::default());
    AppState {
        key_uses: Arc::default(),
        authenticator: Authenticator::new(store.credentials.clone()),
        scope_cache: Arc::default(),
        limiter: Arc::new(RollingWindows::default()),
        quotas: Quotas::default(),
        clock: clock.clone(),
        contacts: ContactService {
            store: store.contacts.clone(),
            reads: store.contact_reads.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
        },
        invoicing: Invoicing {
            store: store.invoicing.clone(),
            reads: store.invoice_reads.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            random: random.clone(),
            policy: InvoicingPolicy::default(),
            urls: PublicUrls::new(PUBLIC_URL),
            ledger: false,
        },
        pdfs: InvoicePdfs {
            reads: store.invoice_reads.clone(),
            renderer: InvoiceRenderer {
                documents: Arc::new(TextDocuments),
                logos: images.clone(),
                bank_transfers: Arc::new(NoBankTransfers),
                online: Arc::new(NoOffers),
                urls: PublicUrls::new(PUBLIC_URL),
            },
            clock: clock.clone(),
        },
        escalations: EscalationReader { reads: store.escalation_reads.clone() },
        accounts: PartnerAccounts {
            store: store.provisioning.clone(),
            reads: store.account_reads.clone(),
            clock,
            ids,
            random,
            default_currency: Currency::parse("AUD").unwrap(),
            guard: Arc::new(AllowAllTargets),
            logos: Logos {
                source: images.clone(),
                store: images.clone(),
                removals: store.logo_removals.clone(),
            },
            keys: Arc::new(SealingKeys::new(&[7; 32], None)),
            urls: PublicUrls::new(PUBLIC_URL),
        },
        logos: images,
        stored_responses: store.stored_responses.clone(),
        cursors: Arc::new(CursorKey::new(b"cursors")),
        list_memory: Arc::default(),
        urls: PublicUrls::new(PUBLIC_URL),
    }
}

fn server_state(clock: &FixedClock) -> ServerState {
    ServerState {
        clock: Arc::new(clock.clone()),
        ids: Arc::new(CountingIds::default()),
        transport: Transport::Plain,
        deadline: Duration::from_secs(30),
        readiness: Arc::new(Unwatched),
        metrics: Arc::new(Unwatched),
        metrics_apart: false,
        error_pages: None,
        traces: Arc::new(NoTraces),
        shutdown: GracefulShutdown::default(),
    }
}

struct Unwatched;

impl Metrics for Unwatched {
    fn render(&self) -> String {
        String::new()
    }

    fn request(&self, _: &str, _: &str, _: u16, _: Duration) {}
}

#[async_trait]
impl Readiness for Unwatched {
    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Renders an invoice as one line of text.
struct TextDocuments;

#[async_trait]
impl InvoiceDocuments for TextDocuments {
    async fn render(&self, document: InvoiceDocument) -> Result<Vec<u8>, DocumentError> {
        let (company, number) = (&document.letterhead.company_name, &document.invoice.number);
        Ok(format!("%PDF {company} {number} {}", document.pay_url).into_bytes())
    }

    async fn receipt(&self, document: ReceiptDocument) -> Result<Vec<u8>, DocumentError> {
        Ok(format!("%PDF {}", document.payment.amount).into_bytes())
    }
}

struct NoBankTransfers;

#[async_trait]
impl BankTransfers for NoBankTransfers {
    async fn in_force(
        &self,
        _: AccountId,
        _: Currency,
        _: OffsetDateTime,
    ) -> StoreResult<Option<BankTransfer>> {
        Ok(None)
    }
}

struct NoOffers;

#[async_trait]
impl OnlineOffers for NoOffers {
    async fn are_made(&self, _: &Invoice) -> StoreResult<bool> {
        Ok(false)
    }
}

/// Images in memory; none can be downloaded.
#[derive(Default)]
struct Images(Mutex<HashMap<String, Vec<u8>>>);

#[async_trait]
impl LogoPictures for Images {
    async fn picture(&self, _: &LogoKey) -> Option<Arc<[u8]>> {
        None
    }
}

#[async_trait]
impl LogoSource for Images {
    async fn fetch(&self, _: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        Err(LogoFetchError::Status(404))
    }
}

#[async_trait]
impl LogoStore for Images {
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError> {
        self.0.lock().unwrap().insert(key.to_string(), bytes);
        Ok(())
    }

    async fn get(&self, key: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError> {
        Ok(self.0.lock().unwrap().get(key.as_str()).cloned())
    }

    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError> {
        self.0.lock().unwrap().remove(key.as_str());
        Ok(())
    }
}

/// Accepts every webhook URL.
struct AllowAllTargets;

#[async_trait]
impl TargetGuard for AllowAllTargets {
    async fn check(&self, _: &HttpsUrl) -> Result<(), TargetRefused> {
        Ok(())
    }
}
