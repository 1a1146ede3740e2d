//! Makes responses from views.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, LOCATION};
use http_server::{json_response, to_json};
use idempotency::StoredResponse;
use serde::{Deserialize, Serialize};

use crate::state::AppState;

/// A response 200 with a view as its body.
pub(crate) fn ok(view: &impl Serialize) -> HttpResponse {
    json_response(StatusCode::OK, to_json(view))
}

/// The response to store for a request that found its record: 200.
pub(crate) fn found(view: &impl Serialize) -> StoredResponse {
    StoredResponse { status: StatusCode::OK.as_u16(), body: to_json(view) }
}

/// The response to store for a request that created its record: 201.
pub(crate) fn created(view: &impl Serialize) -> StoredResponse {
    StoredResponse { status: StatusCode::CREATED.as_u16(), body: to_json(view) }
}

/// Makes a response from a stored one; a 201 gets a `Location`. Its id is taken from the body, so that a
/// replay has the header too.
pub(crate) fn stored_response(state: &AppState, collection: &str, response: StoredResponse) -> HttpResponse {
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let is_new = status == StatusCode::CREATED;
    let location = is_new.then(|| location(state, collection, &response.body)).flatten();
    let mut response = json_response(status, response.body);
    if let Some(location) = location {
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
    HeaderValue::try_from(state.urls.resource(collection, id)).ok()
}
