//! `POST /contacts`.

use actix_web::HttpResponse;
use contacts::{FindOrCreateError, FoundOrCreated};
use http_server::{ApiError, ErrorCode};
use idempotency::{IdempotentOperation, IdempotentResponse, StoredResponse, Ticket};

use super::reference::ContactReferenceBody;
use super::view::ContactView;
use crate::body;
use crate::extract::IdempotentRequest;
use crate::operation::Operation;
use crate::respond::{created, found};

pub(super) fn operation() -> Operation {
    Operation::new(__path_create, create)
        .faulty_field("name", "is required to create a contact")
        .errors(&[ErrorCode::NotFound, ErrorCode::Conflict])
}

/// Find or create a contact
///
/// The contact is found by `id`, else by `external_id`, else by `email` (case-insensitively); otherwise it is
/// created, which needs `name` and `email` or `phone`. Finding a contact never changes it. An unknown `id` is
/// a 404.
#[utoipa::path(
    post, path = "/contacts", operation_id = "findOrCreateContact",
    params(crate::openapi::idempotency_key::IdempotencyKeyHeader),
    request_body(content = ContactReferenceBody, description = "The contact that is meant"),
    responses(
        (status = 200, description = "An existing contact was found", body = ContactView),
        (status = 201, description = "A new contact was created", body = ContactView),
    ),
)]
pub(crate) async fn create(request: IdempotentRequest) -> Result<HttpResponse, ApiError> {
    let create = async |ticket: Option<&Ticket>| {
        let (input, faults) = body::read(&request.body.json, ContactReferenceBody::read)?;
        let (contacts, scope) = (&request.state.contacts, request.caller.scope());
        let reference = contacts.check(scope, input, faults).await.map_err(to_api_error)?;
        let idempotent_response = IdempotentResponse { ticket, present: &present };
        contacts.find_or_create(scope, &reference, &idempotent_response).await.map_err(to_api_error)
    };
    request.respond(IdempotentOperation::CREATE_CONTACT, "contacts", create).await
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
