//! JSON responses.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde::Serialize;

/// Room for the JSON of most responses, in bytes, so that it is not moved while it grows.
const USUAL_LENGTH: usize = 2_048;

/// A value as JSON. Every response type can be serialized; a failure would be logged, and the text empty.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut json = Vec::with_capacity(USUAL_LENGTH);
    append_json(&mut json, value);
    json
}

/// Appends a value as JSON, or nothing if it has no JSON form, which is logged.
pub fn append_json(text: &mut Vec<u8>, value: &impl Serialize) {
    let before = text.len();
    if let Err(error) = serde_json::to_writer(&mut *text, value) {
        tracing::error!(%error, "a response has no JSON form");
        text.truncate(before);
    }
}

/// A response with a JSON body.
#[must_use]
pub fn json_response(status: StatusCode, body: Vec<u8>) -> HttpResponse {
    HttpResponse::build(status).content_type("application/json").body(body)
}
