//! `GET /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};

use super::AccountView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::Authenticated;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

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
    let account = state.accounts.get(request.caller.scope(), id).await?;
    let view = AccountView::full(&account, &state.urls);
    Ok(response(done(&view)))
}
