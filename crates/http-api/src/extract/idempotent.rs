//! A request on a route that honours `Idempotency-Key`, and how it is answered.

use std::marker::PhantomData;

use access::AccountCaller;
use actix_web::dev::Payload;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse, ResponseError as _};
use futures_util::future::LocalBoxFuture;
use http_server::{ApiError, ErrorCode};
use idempotency::{
    Endpoint, Fingerprint, IdempotencyKey, IdempotentOutcome, Once, StoredResponse, Ticket,
    store_error_response,
};
use kernel::{AccountScope, FieldErrors};

use super::admit::admit;
use super::json_type::read_json;
use crate::respond::stored_response;
use crate::state::AppState;

const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// Marks an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// An operation that honours the header.
pub(crate) trait IdempotentOperation: 'static {
    /// The name under which its responses are stored.
    const ENDPOINT: Endpoint;
    /// The path under the API of the records that it creates.
    const COLLECTION: &'static str;
}

/// A request with a JSON body, and with a ticket if it has a key.
pub(crate) struct IdempotentRequest<O> {
    pub(crate) caller: AccountCaller,
    /// The body's bytes.
    pub(crate) body: Bytes,
    ticket: Option<Ticket>,
    operation: PhantomData<O>,
}

impl<O: IdempotentOperation> FromRequest for IdempotentRequest<O> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = admit(&request).await?;
            let key = idempotency_key(request.headers())?;
            let body = read_json(request.headers(), payload).await?;
            let ticket =
                key.map(|key| Ticket { endpoint: O::ENDPOINT, key, fingerprint: Fingerprint::of(&body) });
            Ok(Self { caller, body, ticket, operation: PhantomData })
        })
    }
}

impl<O: IdempotentOperation> IdempotentRequest<O> {
    /// The account to work in.
    pub(crate) const fn scope(&self) -> &AccountScope {
        self.caller.scope()
    }

    /// What a use case needs to store its response with its work.
    pub(crate) fn once<'a, T>(
        &'a self,
        present: &'a (dyn Fn(&T) -> StoredResponse + Send + Sync),
    ) -> Once<'a, T> {
        Once { ticket: self.ticket.as_ref(), present }
    }

    /// Answers the request. A final error is stored under the request's key, as the response of a success is;
    /// a failure of the service is not, and leaves the key free.
    pub(crate) async fn answer(
        &self,
        state: &AppState,
        outcome: Result<IdempotentOutcome, ApiError>,
    ) -> Result<HttpResponse, ApiError> {
        let outcome = match (outcome, &self.ticket) {
            (Err(error), Some(ticket)) if error.is_final() => {
                let response = StoredResponse { status: error.status_code().as_u16(), body: error.body() };
                let (store, account) = (&*state.answers, self.scope().id);
                let stored = store_error_response(store, account, ticket, response).await?;
                if matches!(stored, IdempotentOutcome::Fresh(_)) {
                    return Err(error);
                }
                stored
            }
            (outcome, _) => outcome?,
        };
        match outcome {
            IdempotentOutcome::Fresh(response) => Ok(stored_response(state, O::COLLECTION, response)),
            IdempotentOutcome::Replayed(response) => {
                let mut response = stored_response(state, O::COLLECTION, response);
                let headers = response.headers_mut();
                headers.insert(REPLAYED, HeaderValue::from_static("true"));
                Ok(response)
            }
            IdempotentOutcome::KeyReused(original) => Err(ApiError::key_reused(&original.body)),
            IdempotentOutcome::InFlight => Err(ApiError::plain(ErrorCode::IdempotentReplayInFlight)),
        }
    }
}

/// The request's key, if it has one. Two headers are a fault.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
    let invalid = |message: String| ApiError::invalid(FieldErrors::one(IDEMPOTENCY_KEY, message));
    let mut values = headers.get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(invalid("must not be sent more than once".to_owned()));
    }
    // Bytes beyond ASCII become U+FFFD, which no key has.
    let text = String::from_utf8_lossy(value.as_bytes());
    let key = IdempotencyKey::parse(&text).map_err(|fault| invalid(fault.to_string()))?;
    Ok(Some(key))
}
