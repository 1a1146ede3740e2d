//! `/metrics`: the process's figures, for Prometheus.

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};

use crate::routing::{get, read_only};
use crate::state::ServerState;

pub(crate) fn configure(config: &mut ServiceConfig) {
    config.service(read_only("/metrics", get(metrics)));
}

async fn metrics(state: web::Data<ServerState>) -> impl Responder {
    HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(state.metrics.render())
}
