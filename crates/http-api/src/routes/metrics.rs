//! The process's figures, for Prometheus to fetch.

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};

use super::{get, readable};
use crate::state::AppState;

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(readable("/metrics", get(metrics)));
}

async fn metrics(state: web::Data<AppState>) -> impl Responder {
    HttpResponse::Ok()
        .content_type("text/plain; version=0.0.4; charset=utf-8")
        .body(state.metrics.render())
}
