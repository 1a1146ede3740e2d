//! `GET /contacts`.

use access::AccountCaller;
use actix_web::HttpResponse;
use contacts::LookUpError;
use http_server::{ApiError, ErrorCode};
use kernel::{EmailAddress, SingleLine};
use utoipa::IntoParams;

use super::view::ContactView;
use crate::extract::Authenticated;
use crate::operation::Operation;
use crate::query::Query;
use crate::respond::ok;

/// The parameters as the OpenAPI document describes them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters and never holds them")]
pub(crate) struct ContactLookUpParameters {
    /// The contact's e-mail address, matched case-insensitively.
    #[param(required = false, value_type = String, format = Email, example = "ada@example.com")]
    email: String,
    /// Your own identifier of the contact, matched exactly.
    #[param(required = false, max_length = 255)]
    external_id: String,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_look_up, look_up)
        .faulty_field("email", "email or external_id is required")
        .errors(&[ErrorCode::NotFound])
}

/// Look up a contact
///
/// The contact with this e-mail address or external id, or with both when both are given. At least one is
/// required.
#[utoipa::path(
    get, path = "/contacts", operation_id = "lookUpContact",
    params(ContactLookUpParameters),
    responses((status = 200, description = "The contact", body = ContactView)),
)]
pub(crate) async fn look_up(request: Authenticated<AccountCaller>) -> Result<HttpResponse, ApiError> {
    let mut query = Query::of(request.http.query_string());
    let email = query.get("email", EmailAddress::parse);
    let external_id = query.get("external_id", SingleLine::parse);
    query.finish()?;
    let looking_up = request.state.contacts.look_up(request.caller.scope(), email, external_id);
    let contact = looking_up.await.map_err(to_api_error)?;
    Ok(ok(&ContactView::from(&contact)))
}

pub(super) fn to_api_error(error: LookUpError) -> ApiError {
    match error {
        LookUpError::Invalid(faults) => ApiError::invalid(faults),
        LookUpError::NotFound => ApiError::new(ErrorCode::NotFound, error.to_string()),
        LookUpError::Store(error) => error.into(),
    }
}
