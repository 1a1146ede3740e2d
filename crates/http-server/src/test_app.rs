//! A server with a few routes, for the tests of this crate.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use access::QuotaDecision;
use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, init_service, try_call_service};
use actix_web::web::{self, Bytes, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use async_trait::async_trait;
use futures_util::stream;
use kernel::{Clock as _, Id, StoreError};
use testkit::{CountingIds, FixedClock};

use crate::context::{CallerId, RequestContext};
use crate::error::ApiError;
use crate::error_code::ErrorCode;
use crate::health;
use crate::observe::{Metrics, NoTraces, Readiness};
use crate::request_body::read_body;
use crate::routing::{get, read_only};
use crate::server::application;
use crate::shutdown::GracefulShutdown;
use crate::state::{ServerState, Transport};

/// A server whose requests are counted.
pub(crate) struct TestApp {
    pub(crate) state: ServerState,
    pub(crate) counted: Arc<Counted>,
}

/// Counted requests: method, route, status.
#[derive(Debug, Default)]
pub(crate) struct Counted(pub(crate) Mutex<Vec<String>>);

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct TestResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

/// A readiness check with a fixed result: ready, or what is missing.
pub(crate) struct ReadyOr(pub(crate) Result<(), String>);

impl TestApp {
    pub(crate) fn new() -> Self {
        let counted = Arc::new(Counted::default());
        let state = ServerState {
            clock: Arc::new(FixedClock::default()),
            ids: Arc::new(CountingIds::default()),
            transport: Transport::Plain,
            deadline: Duration::from_secs(30),
            readiness: Arc::new(ReadyOr(Ok(()))),
            metrics: counted.clone(),
            metrics_apart: false,
            error_pages: None,
            traces: Arc::new(NoTraces),
            shutdown: GracefulShutdown::default(),
        };
        Self { state, counted }
    }

    pub(crate) async fn send(&self, request: TestRequest) -> TestResponse {
        let all_routes = |config: &mut ServiceConfig| {
            health::configure_metrics(config);
            routes(config);
        };
        let state = web::Data::new(self.state.clone());
        let app = init_service(application(state, all_routes)).await;
        let response = match try_call_service(&app, request.to_request()).await {
            Ok(response) => response.into_parts().1,
            Err(error) => error.error_response(),
        };
        let (head, body) = response.into_parts();
        let bytes = actix_web::body::to_bytes(body).await.unwrap_or_default();
        TestResponse {
            status: head.status().as_u16(),
            headers: head.headers().clone(),
            body: String::from_utf8(bytes.to_vec()).unwrap(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.send(TestRequest::get().uri(path)).await
    }
}

impl TestResponse {
    /// A header's value; empty when there is none.
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map_or("", |value| value.to_str().unwrap())
    }

    /// The status and whether the body names this code.
    pub(crate) fn has(&self, status: u16, code: &str) -> bool {
        self.status == status && self.body.contains(&format!(r#""code":"{code}""#))
    }
}

/// Routes that succeed, stream, fail, hang, panic, read a body or leave it unread.
pub(crate) fn routes(config: &mut ServiceConfig) {
    config
        .service(read_only("/records/{id}", get(record)))
        .service(read_only("/hanging", get(hanging)))
        .service(read_only("/panicking", get(panicking)))
        .service(read_only("/failing", get(failing)))
        .service(read_only("/streaming", get(streaming)))
        .route("/reading", web::post().to(reading))
        .route("/refusing", web::post().to(refusing));
}

async fn record(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let context = RequestContext::of(&request)?;
    context.set_caller(CallerId::Account(Id::from_uuid(uuid::Uuid::from_u128(7))));
    Ok(HttpResponse::Ok().body("{}"))
}

async fn hanging(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    take_quota(&request)?;
    std::future::pending().await
}

async fn panicking(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    take_quota(&request)?;
    panic!("the handler failed");
}

async fn failing() -> Result<HttpResponse, ApiError> {
    Err(StoreError::Unavailable("no connection to 10.0.0.7".into()).into())
}

async fn streaming() -> HttpResponse {
    let pieces = ["in ", "pieces"].map(|piece| Ok::<_, Infallible>(Bytes::from_static(piece.as_bytes())));
    HttpResponse::Ok().streaming(stream::iter(pieces))
}

async fn reading(body: WholeBody) -> HttpResponse {
    HttpResponse::Ok().body(format!("{{\"length\":{{\"bytes\":{}}}}}", body.0))
}

async fn refusing() -> Result<HttpResponse, ApiError> {
    Err(ApiError::plain(ErrorCode::Unauthenticated))
}

fn take_quota(request: &HttpRequest) -> Result<(), ApiError> {
    let context = RequestContext::of(request)?;
    context.set_route(request);
    context.set_quota(QuotaDecision {
        allowed: true,
        limit: 120,
        remaining: 119,
        resets_at: FixedClock::default().now(),
    });
    Ok(())
}

struct WholeBody(usize);

impl FromRequest for WholeBody {
    type Error = ApiError;
    type Future = futures_util::future::LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move { Ok(Self(read_body(request.headers(), payload).await?.len())) })
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
impl Readiness for ReadyOr {
    async fn ready(&self) -> Result<(), String> {
        self.0.clone()
    }
}
