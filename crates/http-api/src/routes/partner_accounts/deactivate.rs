//! `DELETE /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};

use super::amend::to_api_error;
use super::view::AccountView;
use crate::extract::{AuthenticatedWrite, path_id};
use crate::operation::Operation;
use crate::respond::ok;

pub(super) fn operation() -> Operation {
    Operation::new(__path_deactivate, deactivate).errors(&[ErrorCode::NotFound])
}

/// Deactivate an account
///
/// Switches the account off: its status is `inactive`, and its own key is refused with `ACCOUNT_DISABLED`
/// from the next request on. Nothing is erased, and the call is idempotent. `PATCH` with `status: active`
/// switches the account on again, with the same key. Queued mail is held while the account is inactive;
/// webhooks that are due are still delivered.
#[utoipa::path(
    delete, path = "/partner/accounts/{id}", operation_id = "deactivateAccount",
    responses((status = 200, description = "The account, which is inactive", body = AccountView)),
)]
pub(crate) async fn deactivate(request: AuthenticatedWrite<PartnerCaller>) -> Result<HttpResponse, ApiError> {
    let deactivating = request.state.accounts.deactivate(request.caller.scope(), path_id(&request.http)?);
    let account = deactivating.await.map_err(to_api_error)?;
    Ok(ok(&AccountView::full(&account, &request.state.urls)))
}
