//! `GET /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};

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
    let account = request.state.accounts.get(request.caller.scope(), path_id(&request.http)?).await?;
    Ok(ok(&AccountView::full(&account, &request.state.urls)))
}
