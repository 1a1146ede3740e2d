//! `/health/live`, `/health/ready` and `/metrics`, for supervisors and Prometheus.

use actix_web::http::StatusCode;
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use serde::Serialize;

use crate::json::{json_response, to_json};
use crate::routing::{get, read_only};
use crate::state::ServerState;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

pub(crate) fn configure(config: &mut ServiceConfig) {
    config.service(read_only("/health/live", get(live))).service(read_only("/health/ready", get(ready)));
}

/// Adds `/metrics`: the metrics of the process, for Prometheus.
pub(crate) fn configure_metrics(config: &mut ServiceConfig) {
    config.service(read_only("/metrics", get(metrics)));
}

async fn metrics(state: web::Data<ServerState>) -> impl Responder {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(state.metrics.render())
}

async fn live() -> impl Responder {
    health(StatusCode::OK, "live", None)
}

async fn ready(state: web::Data<ServerState>) -> impl Responder {
    match state.readiness.ready().await {
        Ok(()) => health(StatusCode::OK, "ready", None),
        Err(missing) => health(StatusCode::SERVICE_UNAVAILABLE, "not ready", Some(missing)),
    }
}

fn health(code: StatusCode, status: &'static str, missing: Option<String>) -> HttpResponse {
    json_response(code, to_json(&Health { status, missing }))
}
