//! From a value to the bytes of an answer, in one serialization.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, LOCATION};
use idempotency::StoredResponse;
use serde::{Deserialize, Serialize};

use crate::state::AppState;

/// A value as the answer of a request that was done.
pub(crate) fn done(value: &impl Serialize) -> StoredResponse {
    json_answer(StatusCode::OK, value)
}

/// A value as the answer of a request that created it.
pub(crate) fn created(value: &impl Serialize) -> StoredResponse {
    json_answer(StatusCode::CREATED, value)
}

/// A value as an answer with a status.
pub(crate) fn json_answer(status: StatusCode, value: &impl Serialize) -> StoredResponse {
    StoredResponse {
        status: status.as_u16(),
        body: to_bytes(value),
    }
}

/// A value as JSON. Every type of this crate has a JSON form, so that the empty text is never seen.
pub(crate) fn to_bytes(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value)
        .inspect_err(|error| tracing::error!(%error, "an answer has no JSON form"))
        .unwrap_or_default()
}

/// Sends an answer.
pub(crate) fn response(answer: StoredResponse) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status)
        .content_type("application/json")
        .body(answer.body)
}

/// Sends an answer, and says where the record is if it was created now. The answer's own body names the record, so that a
/// replay says it too.
pub(crate) fn response_about(
    state: &AppState,
    collection: &str,
    answer: StoredResponse,
) -> HttpResponse {
    let created = answer.status == StatusCode::CREATED.as_u16();
    let location = created.then(|| location(state, collection, &answer.body));
    let mut response = response(answer);
    if let Some(location) = location.flatten() {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

fn location(state: &AppState, collection: &str, body: &[u8]) -> Option<HeaderValue> {
    #[derive(Deserialize)]
    struct Named {
        id: String,
    }
    let Named { id } = serde_json::from_slice(body).ok()?;
    let address = state.urls.resource(collection, id);
    HeaderValue::try_from(address).ok()
}
