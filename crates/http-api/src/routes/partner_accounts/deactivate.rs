//! `DELETE /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};

use super::AccountView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::Bodiless;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 3] = [Code::ValidationError, Code::NotFound, Code::PayloadTooLarge];

/// Deactivate an account
///
/// Switches the account off: its status is `inactive`, and its own key is refused with `ACCOUNT_DISABLED` from the next request on. Nothing is
/// erased, and doing it again is harmless. `PATCH` with `status: active` switches the account on again, with the same key. Mail that waits
/// for delivery is held while the account is inactive; webhooks that are due are still delivered.
#[utoipa::path(
    delete,
    path = "/partner/accounts/{id}",
    tag = "Partner accounts",
    operation_id = "deactivateAccount",
    params(("id" = uuid::Uuid, Path, description = "The account's id")),
    responses((status = 200, description = "The account, which is inactive", body = AccountView)),
    security(("partner_key" = []))
)]
pub(crate) async fn deactivate(
    state: web::Data<AppState>,
    request: Bodiless<PartnerCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let account = state
        .accounts
        .deactivate(request.caller.scope(), id)
        .await?;
    let view = AccountView::full(&account, &state.urls);
    Ok(response(done(&view)))
}
