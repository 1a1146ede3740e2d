//! A record that is read ahead reaches only the caller that it was read for.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use access::{
    AccountKeyRecord, ApiKey, Authenticator, Credentials, KeyHash, KeySpace, PartnerKeyRecord, SwitchedOffBy,
};
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::{HttpRequest, HttpResponse, web};
use async_trait::async_trait;
use http_server::ApiError;
use kernel::{AccountScope, Id, StoreResult};
use uuid::Uuid;

use super::read_ahead;
use crate::state::AppState;
use crate::test_app::TestApp;

/// One account key, whose record a test changes.
struct OneKey(Mutex<AccountKeyRecord>);

#[async_trait]
impl Credentials for OneKey {
    async fn account_key(&self, _: &KeyHash) -> StoreResult<Option<AccountKeyRecord>> {
        Ok(Some(self.0.lock().unwrap().clone()))
    }

    async fn partner_key(&self, _: &KeyHash) -> StoreResult<Option<PartnerKeyRecord>> {
        Ok(None)
    }
}

/// Counts reads; a test can make them hang.
#[derive(Default)]
struct Reads {
    count: AtomicUsize,
    hang: AtomicBool,
}

struct Fixture {
    app: TestApp,
    key: Arc<OneKey>,
    reads: Arc<Reads>,
}

impl Fixture {
    /// A key that was used once, so that its account is cached.
    async fn new() -> Self {
        let mut app = TestApp::new().await;
        let key = ApiKey::parse(KeySpace::Account, &app.account_key).unwrap();
        let authenticator = &app.state.authenticator;
        let caller = authenticator.account(key.reveal()).await.unwrap();
        let key = Arc::new(OneKey(Mutex::new(AccountKeyRecord {
            key: caller.key(),
            scope: caller.scope().clone(),
            switched_off_by: None,
        })));
        app.state.authenticator = Authenticator::new(key.clone());
        let reads = Arc::default();
        let fixture = Self { app, key, reads };
        let account = fixture.key.0.lock().unwrap().scope.id.to_string();
        assert_eq!(fixture.get().await, ((200, account), 1));
        fixture
    }

    /// Status and body of a response, whose body is the account that was read for; and the number of reads.
    async fn get(&self) -> ((u16, String), usize) {
        async fn handler(reads: web::Data<Reads>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
            let read = async |scope: &AccountScope| {
                reads.count.fetch_add(1, Ordering::Relaxed);
                if reads.hang.load(Ordering::Relaxed) {
                    std::future::pending::<()>().await;
                }
                Ok(scope.id.to_string())
            };
            let account = read_ahead(&request, read).await?;
            Ok(HttpResponse::Ok().body(account))
        }
        let (state, reads) = (self.app.state.clone(), self.reads.clone());
        let routes = |config: &mut web::ServiceConfig| {
            config
                .app_data(web::Data::<AppState>::new(state))
                .app_data(web::Data::from(reads))
                .route("/account", web::get().to(handler));
        };
        let server = web::Data::new(self.app.server.clone());
        let service = init_service(http_server::application(server, routes)).await;
        let before = self.reads.count.load(Ordering::Relaxed);
        let bearer = ("Authorization", format!("Bearer {}", self.app.account_key));
        let request = TestRequest::get().uri("/account").insert_header(bearer);
        let response = try_call_service(&service, request.to_request()).await;
        let response = response.unwrap().into_parts().1;
        let status = response.status().as_u16();
        let body = actix_web::body::to_bytes(response.into_body()).await;
        let body = String::from_utf8(body.unwrap().to_vec()).unwrap();
        let reads = self.reads.count.load(Ordering::Relaxed) - before;
        ((status, body), reads)
    }

    fn change(&self, change: impl FnOnce(&mut AccountKeyRecord)) {
        change(&mut self.key.0.lock().unwrap());
    }

    async fn assert_refused(&self, status: u16, code: &str, max_reads: usize) {
        let ((found, body), reads) = self.get().await;
        assert_eq!(found, status, "{body}");
        assert!(body.contains(code), "{body}");
        assert!(reads <= max_reads, "{reads}");
    }
}

#[actix_web::test]
async fn cached_account_is_read_for_once() {
    let fixture = Fixture::new().await;
    let ((status, _), reads) = fixture.get().await;
    assert_eq!((status, reads), (200, 1));
}

#[actix_web::test]
async fn key_that_belongs_to_another_account_now_reads_for_that_account() {
    let fixture = Fixture::new().await;
    let other = Id::from_uuid(Uuid::from_u128(7));
    fixture.change(|key_record| key_record.scope.id = other);
    for reads in [2, 1] {
        assert_eq!(fixture.get().await, ((200, other.to_string()), reads));
    }
}

#[actix_web::test]
async fn changed_setting_has_the_record_read_again() {
    let fixture = Fixture::new().await;
    fixture.change(|key_record| {
        let enabled = &mut key_record.scope.communications_enabled;
        *enabled = !*enabled;
    });
    for reads in [2, 1] {
        let ((status, _), count) = fixture.get().await;
        assert_eq!((status, count), (200, reads));
    }
}

#[actix_web::test]
async fn refused_caller_gets_nothing_and_is_removed_from_the_cache() {
    let mut fixture = Fixture::new().await;
    fixture.change(|key_record| key_record.switched_off_by = Some(SwitchedOffBy::Partner));
    for max_reads in [1, 0] {
        fixture.assert_refused(403, "ACCOUNT_DISABLED", max_reads).await;
    }
    fixture.change(|key_record| key_record.switched_off_by = None);
    assert_eq!(fixture.get().await.0.0, 200);
    fixture.app.state.quotas.reads = 1;
    for max_reads in [1, 0] {
        fixture.assert_refused(429, "RATE_LIMITED", max_reads).await;
    }
}

#[actix_web::test]
async fn refused_request_does_not_wait_for_the_record() {
    let fixture = Fixture::new().await;
    fixture.reads.hang.store(true, Ordering::Relaxed);
    fixture.change(|key_record| key_record.switched_off_by = Some(SwitchedOffBy::Operator));
    fixture.assert_refused(403, "ACCOUNT_DISABLED", 1).await;
}
