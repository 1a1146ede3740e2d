//! `POST /contacts`.

use actix_web::{HttpResponse, web};
use contacts::{ContactReference, FindOrCreateError, FoundOrCreated};
use http_server::{ApiError, ErrorCode};
use idempotency::{Endpoint, IdempotentOutcome, StoredResponse};

use super::reference::ContactReferenceBody;
use super::view::ContactView;
use crate::body;
use crate::extract::{IdempotentOperation, IdempotentRequest};
use crate::operation::Operation;
use crate::respond::{created, found};
use crate::state::AppState;

pub(crate) struct CreateContact;

impl IdempotentOperation for CreateContact {
    const ENDPOINT: Endpoint = Endpoint::CreateContact;
    const COLLECTION: &'static str = "contacts";
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_create, create)
        .faulty_field("name", "is required to create a contact")
        .errors(&[ErrorCode::NotFound, ErrorCode::Conflict])
}

/// Find or create a contact
///
/// The contact is found by `id`, else by `external_id`, else by `email` (whatever its case); otherwise it is
/// created, which needs `name` and `email` or `phone`. Finding a contact never changes it. An unknown `id` is
/// a 404.
#[utoipa::path(
    post,
    path = "/contacts",
    tag = "Contacts",
    operation_id = "findOrCreateContact",
    params(crate::openapi::idempotency_key::IdempotencyKeyHeader),
    request_body(content = ContactReferenceBody, description = "The contact that is meant"),
    responses(
        (status = 200, description = "An existing contact was found", body = ContactView),
        (status = 201, description = "A new contact was created", body = ContactView),
    ),
    security(("account_key" = []))
)]
pub(crate) async fn create(
    state: web::Data<AppState>,
    request: IdempotentRequest<CreateContact>,
) -> Result<HttpResponse, ApiError> {
    let outcome = find_or_create(&state, &request).await;
    request.answer(&state, outcome).await
}

async fn find_or_create(
    state: &AppState,
    request: &IdempotentRequest<CreateContact>,
) -> Result<IdempotentOutcome, ApiError> {
    let (input, faults) = body::read(&request.body, ContactReferenceBody::read)?;
    faults.into_result().map_err(ApiError::invalid)?;
    let reference = ContactReference::from(input);
    let (scope, once) = (request.scope(), request.once(&present));
    let outcome = state.contacts.find_or_create(scope, &reference, &once).await;
    outcome.map_err(to_api_error)
}

fn present(contact: &FoundOrCreated) -> StoredResponse {
    let view = ContactView::from(&contact.contact);
    if contact.created { created(&view) } else { found(&view) }
}

fn to_api_error(error: FindOrCreateError) -> ApiError {
    let code = match error {
        FindOrCreateError::Invalid(faults) => return ApiError::invalid(faults),
        FindOrCreateError::Store(error) => return error.into(),
        FindOrCreateError::NotFound => ErrorCode::NotFound,
        FindOrCreateError::Conflict => ErrorCode::Conflict,
    };
    ApiError::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
