//! JSON responses.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

/// A value as JSON. Every response type can be serialized; a failure would be logged, and the text empty.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value)
        .inspect_err(|error| tracing::error!(%error, "a response has no JSON form"))
        .unwrap_or_default()
}

/// A response with a JSON body.
#[must_use]
pub fn json_response(status: StatusCode, body: Vec<u8>) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(body)
}
