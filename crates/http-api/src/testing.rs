//! What the tests of this crate stand on: a front over a store in memory, and a way to send it requests.

mod documents;
mod escalations;
mod invoicing;
mod logos;
mod payments;
mod provisioning;
mod store;
mod transaction;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::escalations::EscalationReader;
use access::{ApiKey, Authenticator, KeySpace, Quotas, RollingWindows};
use actix_web::body::to_bytes;
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::from_fn;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::{App, web};
use async_trait::async_trait;
use contacts::ContactService;
use invoices::{InvoiceMailer, Invoicing, InvoicingPolicy};
use kernel::{Currency, CursorKey, SealingKeys};
use partner_accounts::{Logos, PartnerAccounts};
use testkit::{CountingIds, FixedRandom, StillClock};

pub(crate) use documents::{Undrawable, Words};
pub(crate) use store::{Kept, Mood, Store};

use crate::edge::edge;
use crate::routes;
use crate::routes::invoices::ListRoom;
use crate::serve::shutdown::GracefulShutdown;
use crate::state::{AppState, Metrics, NoTraces, Readiness, Transport};

/// A front over a store in memory, with a valid key of each space.
pub(crate) struct House {
    pub(crate) state: AppState,
    pub(crate) clock: StillClock,
    pub(crate) account_key: String,
    pub(crate) partner_key: String,
    pub(crate) kept: Arc<Mutex<Kept>>,
    pub(crate) counted: Arc<Counted>,
}

/// An answer as a caller gets it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// Requests as they were counted: method, route, status.
#[derive(Debug, Default)]
pub(crate) struct Counted(pub(crate) Mutex<Vec<String>>);

struct AlwaysReady;

impl House {
    /// A house where everything works.
    pub(crate) fn new() -> Self {
        let (clock, random) = (StillClock::default(), Arc::new(FixedRandom::default()));
        let key = |space| ApiKey::generate(space, &*random).unwrap();
        let (account, partner) = (key(KeySpace::Account), key(KeySpace::Partner));
        let kept = Arc::new(Mutex::new(Kept::with_keys(account.hash(), partner.hash())));
        let store = Arc::new(Store(kept.clone()));
        let (clock_port, ids) = (Arc::new(clock.clone()), Arc::new(CountingIds::default()));
        let counted = Arc::new(Counted::default());
        let state = AppState {
            scope_cache: Arc::default(),
            authenticator: Authenticator::new(store.clone()),
            limiter: Arc::new(RollingWindows::default()),
            quotas: Quotas::default(),
            clock: clock_port.clone(),
            contacts: ContactService {
                store: store.clone(),
                reads: store.clone(),
                clock: clock_port.clone(),
                ids: ids.clone(),
            },
            invoicing: Invoicing {
                store: store.clone(),
                reads: store.clone(),
                clock: clock_port.clone(),
                ids: ids.clone(),
                random: random.clone(),
                policy: InvoicingPolicy::default(),
                mailer: InvoiceMailer {
                    documents: Arc::new(Words),
                    pictures: Arc::new(invoices::NoPictures),
                    urls: kernel::PublicUrls::new("https://books.example.com"),
                },
                ledger: false,
            },
            escalations: EscalationReader {
                reads: store.clone(),
            },
            accounts: PartnerAccounts {
                store: store.clone(),
                reads: store.clone(),
                clock: clock_port,
                ids,
                random,
                default_currency: Currency::parse("AUD").unwrap(),
                guard: Arc::new(provisioning::Gatekeeper),
                logos: Logos {
                    source: Arc::new(logos::Pictures),
                    store: store.clone(),
                    removals: store.clone(),
                },
                keys: Arc::new(SealingKeys::new(&[7; 32], None)),
                urls: kernel::PublicUrls::new("https://books.example.com"),
            },
            logos: store.clone(),
            answers: store,
            cursors: Arc::new(CursorKey::new(b"cursors")),
            urls: kernel::PublicUrls::new("https://books.example.com"),
            transport: Transport::Plain,
            deadline: Duration::from_secs(30),
            readiness: Arc::new(AlwaysReady),
            metrics: counted.clone(),
            shutdown: GracefulShutdown::default(),
            metrics_apart: false,
            traces: Arc::new(NoTraces),
        };
        Self {
            state,
            clock,
            account_key: account.reveal().to_owned(),
            partner_key: partner.reveal().to_owned(),
            kept,
            counted,
        }
    }

    /// The store's memory.
    pub(crate) fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap()
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: TestRequest) -> Reply {
        self.service().await(request).await
    }

    /// What answers requests, for tests that send many.
    pub(crate) async fn service(&self) -> impl AsyncFn(TestRequest) -> Reply + use<> {
        let state = web::Data::new(self.state.clone());
        let at_the_edge = state.clone();
        let app = App::new()
            .app_data(state)
            .app_data(web::Data::new(ListRoom::default()))
            .wrap(from_fn(move |request, next| {
                edge(at_the_edge.clone(), request, next)
            }))
            .configure(|config| routes::configure(config, &self.state));
        let app = init_service(app).await;
        async move |request: TestRequest| {
            let response = match try_call_service(&app, request.to_request()).await {
                Ok(response) => response.into_parts().1,
                Err(error) => error.error_response(),
            };
            let (head, body) = response.into_parts();
            let bytes = to_bytes(body).await.unwrap_or_default();
            Reply {
                status: head.status().as_u16(),
                headers: head.headers().clone(),
                body: String::from_utf8(bytes.to_vec()).unwrap(),
            }
        }
    }

    /// Sends a GET with the key that the path needs.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.keyed(TestRequest::get(), path)).await
    }

    /// Sends a POST with the key that the path needs.
    pub(crate) async fn post(&self, path: &str, body: &str) -> Reply {
        self.send(self.writing(path, body)).await
    }

    /// Sends a PUT with the key that the path needs.
    pub(crate) async fn put(&self, path: &str, body: &str) -> Reply {
        let request = self.writing(path, body);
        self.send(request.method(Method::PUT)).await
    }

    /// Sends a PATCH with the key that the path needs.
    pub(crate) async fn patch(&self, path: &str, body: &str) -> Reply {
        let request = self.writing(path, body);
        self.send(request.method(Method::PATCH)).await
    }

    /// Sends a DELETE with the key that the path needs.
    pub(crate) async fn delete(&self, path: &str) -> Reply {
        let request = self.keyed(TestRequest::delete(), path);
        self.send(request).await
    }

    /// Sends a POST under an idempotency key.
    pub(crate) async fn post_under(&self, key: &str, path: &str, body: &str) -> Reply {
        let request = self.writing(path, body);
        self.send(request.insert_header(("Idempotency-Key", key)))
            .await
    }

    /// A POST with the key that the path needs.
    pub(crate) fn writing(&self, path: &str, body: &str) -> TestRequest {
        let request = self.keyed(TestRequest::post(), path);
        request
            .insert_header(("Content-Type", "application/json"))
            .set_payload(body.to_owned())
    }

    /// A request with the key that the path needs.
    pub(crate) fn keyed(&self, request: TestRequest, path: &str) -> TestRequest {
        let key = if path.starts_with("/api/v1/partner/") {
            &self.partner_key
        } else {
            &self.account_key
        };
        let bearer = ("Authorization", format!("Bearer {key}"));
        request.uri(path).insert_header(bearer)
    }
}

impl Reply {
    /// The body as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The code of an error answer.
    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The faulty fields of an error answer.
    pub(crate) fn faulty(&self) -> Vec<String> {
        let json = self.json();
        let faults = json["error"]["field_errors"].as_array();
        let field = |fault: &serde_json::Value| fault["field"].as_str().unwrap().to_owned();
        faults.map_or_else(Vec::new, |faults| faults.iter().map(field).collect())
    }

    /// A header's value, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// Status and code, for short comparisons.
    pub(crate) fn outcome(&self) -> (u16, String) {
        let succeeded = StatusCode::from_u16(self.status).unwrap().is_success();
        let code = if succeeded {
            String::new()
        } else {
            self.code()
        };
        (self.status, code)
    }
}

impl Metrics for Counted {
    fn render(&self) -> String {
        "# figures\n".to_owned()
    }

    fn request(&self, method: &str, route: &str, status: u16, _took: Duration) {
        let line = format!("{method} {route} {status}");
        self.0.lock().unwrap().push(line);
    }
}

#[async_trait]
impl Readiness for AlwaysReady {
    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }
}
