//! A request on a route that honours `Idempotency-Key`, and how it is settled.

use std::marker::PhantomData;

use access::AccountCaller;
use actix_web::dev::Payload;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use futures_util::future::LocalBoxFuture;
use idempotency::{
    Endpoint, Fingerprint, IdempotencyKey, IdempotentOutcome, Once, StoredResponse, Ticket,
    store_error_response,
};
use kernel::{AccountScope, FieldErrors};

use super::authenticated::enter;
use super::payload::read_body;
use crate::answer::{response, response_about};
use crate::error::{ApiError, Code, key_reused};
use crate::state::AppState;

/// The request header.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";
/// The header of an answer that was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// An operation that honours the header.
pub(crate) trait KeyedOperation: 'static {
    /// Under which name its answers are kept.
    const ENDPOINT: Endpoint;
    /// Where under the API what it creates is found.
    const COLLECTION: &'static str;
}

/// A request with a body, and with a ticket if it came under a key.
pub(crate) struct Keyed<O> {
    /// Who is calling.
    pub(crate) caller: AccountCaller,
    /// The body as it came.
    pub(crate) body: Bytes,
    ticket: Option<Ticket>,
    operation: PhantomData<O>,
}

impl<O: KeyedOperation> FromRequest for Keyed<O> {
    type Error = ApiError;
    type Future = LocalBoxFuture<'static, Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let caller = enter(&request).await?;
            let key = idempotency_key(request.headers())?;
            let body = read_body(request.headers(), payload).await?;
            let ticket = key.map(|key| Ticket {
                endpoint: O::ENDPOINT,
                key,
                fingerprint: Fingerprint::of(&body),
            });
            Ok(Self {
                caller,
                body,
                ticket,
                operation: PhantomData,
            })
        })
    }
}

impl<O: KeyedOperation> Keyed<O> {
    /// The account to work in.
    pub(crate) const fn scope(&self) -> &AccountScope {
        self.caller.scope()
    }

    /// How the use case is to answer.
    pub(crate) fn once<'a, T>(
        &'a self,
        present: &'a (dyn Fn(&T) -> StoredResponse + Send + Sync),
    ) -> Once<'a, T> {
        Once {
            ticket: self.ticket.as_ref(),
            present,
        }
    }

    /// Ends the request. A refusal is kept under the request's key, as the answer of a success is, so that a repetition gets
    /// the same; a failure of ours is not, and leaves the key free.
    pub(crate) async fn settle(
        &self,
        state: &AppState,
        outcome: Result<IdempotentOutcome, ApiError>,
    ) -> Result<HttpResponse, ApiError> {
        let settled = match (outcome, &self.ticket) {
            (Err(refusal), Some(ticket)) if refusal.is_final() => {
                let account = self.scope().id;
                let kept = store_error_response(&*state.answers, account, ticket, refusal.answer())
                    .await?;
                if matches!(kept, IdempotentOutcome::Fresh(_)) {
                    return Err(refusal);
                }
                kept
            }
            (outcome, _) => outcome?,
        };
        match settled {
            IdempotentOutcome::Fresh(answer) => Ok(response_about(state, O::COLLECTION, answer)),
            IdempotentOutcome::Replayed(answer) => {
                let mut response = response_about(state, O::COLLECTION, answer);
                let headers = response.headers_mut();
                headers.insert(REPLAYED, HeaderValue::from_static("true"));
                Ok(response)
            }
            IdempotentOutcome::KeyReused(original) => Ok(response(key_reused(&original))),
            IdempotentOutcome::InFlight => Err(ApiError::plain(Code::IdempotentReplayInFlight)),
        }
    }
}

/// The request's key, if it came under one. Two keys are none: nobody can know which one was meant.
fn idempotency_key(headers: &HeaderMap) -> Result<Option<IdempotencyKey>, ApiError> {
    let refuse = |message: String| ApiError::invalid(FieldErrors::one(IDEMPOTENCY_KEY, message));
    let mut values = headers.get_all(IDEMPOTENCY_KEY);
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(refuse("must not be sent more than once".to_owned()));
    }
    // Bytes beyond ASCII become a character that no key has.
    let text = String::from_utf8_lossy(value.as_bytes());
    let key = IdempotencyKey::parse(&text).map_err(|fault| refuse(fault.to_string()))?;
    Ok(Some(key))
}
