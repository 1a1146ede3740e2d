//! `/dashboard/contacts/new`.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use contacts::{ContactInput, FindOrCreateError, FoundOrCreated};
use http_server::ApiError;
use idempotency::{IdempotentOutcome, IdempotentResponse, StoredResponse};
use kernel::{EmailAddress, Field, FieldErrors, FieldSource as _};
use pages::invoicing::NewContactPage;
use pages::{Confirmation, Form};

use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::render_with;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), Vec::new());
    show_with(&caller, &http, form, StatusCode::OK).await
}

async fn show_with(caller: &SessionCaller, http: &HttpRequest, form: Form, status: StatusCode) -> PageResult {
    let (company, urls) = (caller.company_name().to_owned(), caller.state().links.clone());
    Ok(render_with(status, http, move || NewContactPage::new(&form, &company, &urls)).await?)
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let state = caller.state();
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let (contact, what) = find_or_create(&caller, &fields).await?;
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/contacts/{contact}"), what))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let form = fields.shown_again(state, caller.scope().id, error)?;
            show_with(&caller, &http, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

fn read(fields: &FormFields) -> (ContactInput, FieldErrors) {
    let mut reader = FormReader::new(fields);
    let input = ContactInput {
        id: Field::Absent,
        external_id: reader.line("external_id"),
        email: reader.text("email", EmailAddress::parse),
        name: reader.line("name"),
        phone: reader.line("phone"),
    };
    (input, reader.into_faults())
}

/// Finds or creates the contact as the API does. Returns its id, and which of the two happened.
async fn find_or_create(
    caller: &SessionCaller,
    fields: &FormFields,
) -> Result<(String, Confirmation), FormError> {
    let (contacts, scope) = (&caller.state().contacts, caller.scope());
    let (input, faults) = read(fields);
    let reference = contacts.check(scope, input, faults).await.map_err(to_form_error)?;
    let present = |found: &FoundOrCreated| StoredResponse {
        status: if found.created { StatusCode::CREATED } else { StatusCode::OK }.as_u16(),
        body: found.contact.id.to_string().into_bytes(),
    };
    let idempotent_response = IdempotentResponse { ticket: None, present: &present };
    let found = contacts.find_or_create(scope, &reference, &idempotent_response).await;
    let IdempotentOutcome::Fresh(found) = found.map_err(to_form_error)? else {
        // Without an idempotency key nothing is replayed.
        return Err(ApiError::internal("a form was taken for a repeated one").into());
    };
    let is_new = found.status == StatusCode::CREATED.as_u16();
    let what = if is_new { Confirmation::ContactCreated } else { Confirmation::ContactFound };
    Ok((String::from_utf8_lossy(&found.body).into_owned(), what))
}

fn to_form_error(error: FindOrCreateError) -> FormError {
    match error {
        FindOrCreateError::Invalid(faults) => faults.into(),
        FindOrCreateError::NotFound => PageError::not_found().into(),
        FindOrCreateError::Conflict => PageError::refused(&error).into(),
        FindOrCreateError::Store(error) => error.into(),
    }
}
