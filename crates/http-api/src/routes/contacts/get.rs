//! `GET /contacts/{id}`.

use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use kernel::AccountScope;

use super::look_up::to_api_error;
use super::view::ContactView;
use crate::extract::{path_id, read_ahead};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

pub(super) fn operation() -> Operation {
    Operation::new(__path_get, get).errors(&[ErrorCode::NotFound])
}

/// Read a contact
///
/// One contact of the account.
#[utoipa::path(
    get, path = "/contacts/{id}", operation_id = "getContact",
    responses((status = 200, description = "The contact", body = ContactView)),
)]
pub(crate) async fn get(state: web::Data<AppState>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let read = async |scope: &AccountScope| {
        state.contacts.get(scope, path_id(&request)?).await.map_err(to_api_error)
    };
    let contact = read_ahead(&request, read).await?;
    Ok(ok(&ContactView::from(&contact)))
}
