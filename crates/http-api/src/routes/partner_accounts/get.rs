//! `GET /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use partner_accounts::ReadAccountError;

use super::view::AccountView;
use crate::extract::{Authenticated, path_id};
use crate::operation::Operation;
use crate::respond::ok;

pub(super) fn operation() -> Operation {
    Operation::new(__path_get, get).errors(&[ErrorCode::NotFound])
}

/// Read an account
///
/// One account of the partner, with the owner's e-mail address.
#[utoipa::path(
    get, path = "/partner/accounts/{id}", operation_id = "getAccount",
    responses((status = 200, description = "The account", body = AccountView)),
)]
pub(crate) async fn get(request: Authenticated<PartnerCaller>) -> Result<HttpResponse, ApiError> {
    let reading = request.state.accounts.get(request.caller.scope(), path_id(&request.http)?);
    let account = reading.await.map_err(to_api_error)?;
    Ok(ok(&AccountView::full(&account, &request.state.urls)))
}

pub(super) fn to_api_error(error: ReadAccountError) -> ApiError {
    match error {
        ReadAccountError::NotFound => ApiError::new(ErrorCode::NotFound, error.to_string()),
        ReadAccountError::Store(error) => error.into(),
    }
}
