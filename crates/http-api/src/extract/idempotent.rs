//! Requests on routes that honour `Idempotency-Key`, and their responses.

use access::AccountCaller;
use actix_web::dev::Payload;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpResponse, ResponseError as _};
use http_server::{ApiError, BoundedBody, ErrorCode, read_beginning};
use idempotency::{
    Fingerprint, IdempotencyKey, IdempotentOperation, IdempotentOutcome, StoredResponse, Ticket,
    store_error_response,
};
use kernel::FieldErrors;

use super::authenticated::{Authenticated, Content};
use super::json_type::{is_json, read_json};
use crate::respond::stored_response;

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// Marks a stored response that is sent again.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A request with a JSON body that is carried out once for its idempotency key, if it has one.
pub(crate) type IdempotentRequest = Authenticated<AccountCaller, KeyedBody>;

/// A JSON body and the request's idempotency key.
pub(crate) struct KeyedBody {
    pub(crate) json: Bytes,
    /// The key, and the fingerprint of the body that was sent with it.
    key: Option<(IdempotencyKey, Fingerprint)>,
    /// Why the body of a request with a key is refused without parsing it. That error is stored under the key
    /// too.
    refused: Option<ErrorCode>,
}

impl Content for KeyedBody {
    async fn read(headers: &HeaderMap, payload: Payload) -> Result<Self, ApiError> {
        let Some(key) = idempotency_key(headers)? else {
            return Ok(Self { json: read_json(headers, payload).await?, key: None, refused: None });
        };
        Ok(match read_beginning(payload).await? {
            BoundedBody::Whole(json) => {
                let refused = (!is_json(headers)).then_some(ErrorCode::UnsupportedMediaType);
                Self { key: Some((key, Fingerprint::of(&json))), json, refused }
            }
            // Another body under the same key is told apart by as much of it as may be read.
            BoundedBody::Beginning(bytes) => {
                let refused = Some(ErrorCode::PayloadTooLarge);
                let key = Some((key, Fingerprint::of_beginning(&bytes)));
                Self { json: Bytes::new(), key, refused }
            }
        })
    }
}

impl IdempotentRequest {
    /// Carries out the request and makes its response. If the request has a key, `work` gets the ticket to
    /// store the response under. A final error is stored too; a failure of the service is not stored and
    /// leaves the key free. `collection` is the path under the API of the created records.
    pub(crate) async fn respond(
        &self,
        operation: IdempotentOperation,
        collection: &str,
        work: impl AsyncFnOnce(Option<&Ticket>) -> Result<IdempotentOutcome, ApiError>,
    ) -> Result<HttpResponse, ApiError> {
        let KeyedBody { key, refused, .. } = &self.body;
        let ticket = key.clone().map(|(key, fingerprint)| Ticket { operation, key, fingerprint });
        let worked = match refused {
            Some(code) => Err(ApiError::plain(*code)),
            None => work(ticket.as_ref()).await,
        };
        let outcome = match (worked, &ticket) {
            (Err(error), Some(ticket)) if error.is_final() => {
                let response = StoredResponse { status: error.status_code().as_u16(), body: error.body() };
                let (store, account) = (&*self.state.stored_responses, self.caller.scope().id);
                match store_error_response(store, account, ticket, response).await? {
                    IdempotentOutcome::Fresh(_) => return Err(error),
                    stored => stored,
                }
            }
            (outcome, _) => outcome?,
        };
        match outcome {
            IdempotentOutcome::Fresh(response) => Ok(stored_response(&self.state, collection, response)),
            IdempotentOutcome::Replayed(response) => {
                let mut response = stored_response(&self.state, collection, response);
                response.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                Ok(response)
            }
            IdempotentOutcome::KeyReused(original) => Err(ApiError::key_reused(&original.body)),
            IdempotentOutcome::InFlight => Err(ApiError::plain(ErrorCode::IdempotentReplayInFlight)),
        }
    }
}

/// The request's idempotency key, if it has one. Two headers are a fault.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
    let invalid = |message: String| ApiError::invalid(FieldErrors::one(IDEMPOTENCY_KEY, message));
    let mut values = headers.get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(invalid("must not be sent more than once".to_owned()));
    }
    // Bytes that are not UTF-8 become U+FFFD, which no key contains.
    let text = String::from_utf8_lossy(value.as_bytes());
    IdempotencyKey::parse(&text).map(Some).map_err(|fault| invalid(fault.to_string()))
}
