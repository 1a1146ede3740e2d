//! `POST /partner/accounts/{id}/api-key`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::Bodiless;
use crate::routes::path_id::path_id;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 3] = [Code::ValidationError, Code::NotFound, Code::PayloadTooLarge];

/// An account's fresh key.
#[derive(Serialize, ToSchema)]
#[schema(as = RotatedKey)]
pub(crate) struct RotatedKeyView {
    /// The account.
    #[schema(format = Uuid)]
    account_id: String,
    /// The fresh key, shown in this answer and never again.
    #[schema(example = "ct_live_00000000000000000000000000000000")]
    api_key: String,
}

/// Rotate an account's key
///
/// Issues a fresh account key and revokes every earlier key of the account at once, with no grace period. There is no body, and an
/// `Idempotency-Key` is ignored: a repeated call issues another key.
#[utoipa::path(
    post,
    path = "/partner/accounts/{id}/api-key",
    tag = "Partner accounts",
    operation_id = "rotateAccountKey",
    params(("id" = uuid::Uuid, Path, description = "The account's id")),
    responses((status = 200, description = "The fresh key", body = RotatedKeyView)),
    security(("partner_key" = []))
)]
pub(crate) async fn rotate_key(
    state: web::Data<AppState>,
    request: Bodiless<PartnerCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let key = state
        .accounts
        .rotate_key(request.caller.scope(), id)
        .await?;
    Ok(response(done(&RotatedKeyView {
        account_id: id.to_string(),
        api_key: key.reveal().to_owned(),
    })))
}
