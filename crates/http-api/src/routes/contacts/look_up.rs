//! `GET /contacts`.

use access::AccountCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use kernel::{EmailAddress, SingleLine};
use utoipa::IntoParams;

use super::view::ContactView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::Authenticated;
use crate::query::Query;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

/// The parameters as the document describes them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters and never holds them")]
pub(crate) struct ContactLookUpParameters {
    /// The contact's e-mail address, whatever its case.
    #[param(required = false, value_type = String, format = Email, example = "ada@example.com")]
    email: String,
    /// Your own identifier of the contact, exactly.
    #[param(required = false, max_length = 255)]
    external_id: String,
}

/// Look a contact up
///
/// The one contact that has the e-mail address or the external id; both, when both are given. At least one is required.
#[utoipa::path(
    get,
    path = "/contacts",
    tag = "Contacts",
    operation_id = "lookUpContact",
    params(ContactLookUpParameters),
    responses((status = 200, description = "The contact", body = ContactView)),
    security(("account_key" = []))
)]
pub(crate) async fn look_up(
    state: web::Data<AppState>,
    request: Authenticated<AccountCaller>,
    line: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let mut query = Query::of(line.query_string());
    let email = query.get("email", EmailAddress::parse);
    let external_id = query.get("external_id", SingleLine::parse);
    query.finish()?;
    let scope = request.caller.scope();
    let contact = state.contacts.look_up(scope, email, external_id).await?;
    Ok(response(done(&ContactView::from(&contact))))
}
