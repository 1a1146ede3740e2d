//! `POST /contacts`.

use actix_web::{HttpResponse, web};
use contacts::{ContactReference, FoundOrCreated};
use idempotency::{Endpoint, IdempotentOutcome, StoredResponse};

use super::reference::ContactReferenceBody;
use super::view::ContactView;
use crate::answer::{created, done};
use crate::body;
use crate::error::{ApiError, Code};
use crate::extract::{Keyed, KeyedOperation};
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 7] = [
    Code::ValidationError,
    Code::NotFound,
    Code::Conflict,
    Code::IdempotencyKeyReused,
    Code::IdempotentReplayInFlight,
    Code::PayloadTooLarge,
    Code::UnsupportedMediaType,
];

pub(crate) struct CreateContact;

impl KeyedOperation for CreateContact {
    const ENDPOINT: Endpoint = Endpoint::CreateContact;
    const COLLECTION: &'static str = "contacts";
}

/// Find or create a contact
///
/// The contact is found by `id`, else by `external_id`, else by `email` (whatever its case); otherwise it is created, which needs
/// `name` and `email` or `phone`. Finding a contact never changes it. An unknown `id` is a 404.
#[utoipa::path(
    post,
    path = "/contacts",
    tag = "Contacts",
    operation_id = "findOrCreateContact",
    params(crate::openapi::IdempotencyKeyHeader),
    request_body(content = ContactReferenceBody, description = "The contact that is meant"),
    responses(
        (status = 200, description = "An existing contact was found", body = ContactView),
        (status = 201, description = "A new contact was created", body = ContactView),
    ),
    security(("account_key" = []))
)]
pub(crate) async fn create(
    state: web::Data<AppState>,
    request: Keyed<CreateContact>,
) -> Result<HttpResponse, ApiError> {
    let outcome = find_or_create(&state, &request).await;
    request.settle(&state, outcome).await
}

async fn find_or_create(
    state: &AppState,
    request: &Keyed<CreateContact>,
) -> Result<IdempotentOutcome, ApiError> {
    let (input, faults) = body::read(&request.body, ContactReferenceBody::read)?;
    faults.into_result().map_err(ApiError::invalid)?;
    let reference = ContactReference::from(input);
    let once = request.once(&present);
    let finding = state
        .contacts
        .find_or_create(request.scope(), &reference, &once);
    Ok(finding.await?)
}

fn present(found: &FoundOrCreated) -> StoredResponse {
    let view = ContactView::from(&found.contact);
    if found.created {
        created(&view)
    } else {
        done(&view)
    }
}

#[cfg(test)]
mod tests;
