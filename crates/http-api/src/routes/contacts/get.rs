//! `GET /contacts/{id}`.

use actix_web::{HttpRequest, HttpResponse, web};
use kernel::AccountScope;

use super::view::ContactView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::read_ahead;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

/// Read a contact
///
/// One contact of the account.
#[utoipa::path(
    get,
    path = "/contacts/{id}",
    tag = "Contacts",
    operation_id = "getContact",
    params(("id" = uuid::Uuid, Path, description = "The contact's id")),
    responses((status = 200, description = "The contact", body = ContactView)),
    security(("account_key" = []))
)]
pub(crate) async fn get(
    state: web::Data<AppState>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let read = async |scope: &AccountScope| {
        let id = path_id(&request)?;
        Ok(state.contacts.get(scope, id).await?)
    };
    let contact = read_ahead(&request, read).await?;
    Ok(response(done(&ContactView::from(&contact))))
}
