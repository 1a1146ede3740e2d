//! Whether the process lives, and whether it can serve.

use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Responder};
use serde::Serialize;

use super::{get, readable};
use crate::answer::{done, json_answer, response};
use crate::error::Code;
use crate::state::AppState;

#[derive(Serialize)]
struct Health {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(readable("/health/live", get(live)))
        .service(readable("/health/ready", get(ready)));
}

async fn live() -> impl Responder {
    response(done(&Health {
        status: "live",
        missing: None,
    }))
}

async fn ready(state: web::Data<AppState>) -> HttpResponse {
    match state.readiness.ready().await {
        Ok(()) => response(done(&Health {
            status: "ready",
            missing: None,
        })),
        Err(missing) => {
            let health = Health {
                status: "not ready",
                missing: Some(missing),
            };
            response(json_answer(Code::ServiceUnavailable.status(), &health))
        }
    }
}
