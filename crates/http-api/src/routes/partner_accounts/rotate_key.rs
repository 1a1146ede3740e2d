//! `POST /partner/accounts/{id}/api-key`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use partner_accounts::RotateKeyError;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{AuthenticatedWrite, path_id};
use crate::operation::Operation;
use crate::respond::ok;

/// An account's fresh key.
#[derive(Serialize, ToSchema)]
#[schema(as = RotatedKey)]
pub(crate) struct RotatedKeyView {
    /// The account's id.
    #[schema(format = Uuid)]
    account_id: String,
    /// The fresh key, shown only in this response.
    #[schema(example = "ct_live_00000000000000000000000000000000")]
    api_key: String,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_rotate_key, rotate_key).errors(&[ErrorCode::NotFound])
}

/// Rotate an account's key
///
/// Issues a fresh account key and revokes every earlier key of the account at once, with no grace period. The
/// request has no body, and an `Idempotency-Key` is ignored: a repeated call issues another key.
#[utoipa::path(
    post, path = "/partner/accounts/{id}/api-key", operation_id = "rotateAccountKey",
    responses((status = 200, description = "The fresh key", body = RotatedKeyView)),
)]
pub(crate) async fn rotate_key(request: AuthenticatedWrite<PartnerCaller>) -> Result<HttpResponse, ApiError> {
    let id = path_id(&request.http)?;
    let rotating = request.state.accounts.rotate_key(request.caller.scope(), id);
    let key = rotating.await.map_err(to_api_error)?;
    Ok(ok(&RotatedKeyView { account_id: id.to_string(), api_key: key.reveal().to_owned() }))
}

fn to_api_error(error: RotateKeyError) -> ApiError {
    match error {
        RotateKeyError::NotFound => ApiError::new(ErrorCode::NotFound, error.to_string()),
        RotateKeyError::Store(error) => error.into(),
    }
}
