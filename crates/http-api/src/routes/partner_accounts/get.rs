//! `GET /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use partner_accounts::ReadAccountError;

use super::view::AccountView;
use crate::extract::{Authenticated, path_id};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

pub(super) fn operation() -> Operation {
    Operation::new(__path_get, get).errors(&[ErrorCode::NotFound])
}

/// Read an account
///
/// One account of the partner, in full, with the owner's e-mail address.
#[utoipa::path(
    get,
    path = "/partner/accounts/{id}",
    tag = "Partner accounts",
    operation_id = "getAccount",
    params(("id" = uuid::Uuid, Path, description = "The account's id")),
    responses((status = 200, description = "The account", body = AccountView)),
    security(("partner_key" = []))
)]
pub(crate) async fn get(
    state: web::Data<AppState>,
    request: Authenticated<PartnerCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let reading = state.accounts.get(request.caller.scope(), id);
    let account = reading.await.map_err(to_api_error)?;
    Ok(ok(&AccountView::full(&account, &state.urls)))
}

pub(super) fn to_api_error(error: ReadAccountError) -> ApiError {
    match error {
        ReadAccountError::NotFound => ApiError::new(ErrorCode::NotFound, error.to_string()),
        ReadAccountError::Store(error) => error.into(),
    }
}
