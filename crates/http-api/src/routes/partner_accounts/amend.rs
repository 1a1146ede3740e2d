//! `PATCH /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use kernel::PublicUrls;
use partner_accounts::{AmendAccountError, Amended};
use serde::Serialize;
use utoipa::ToSchema;

use super::account_body::AccountBody;
use super::amendment_body::AmendmentBody;
use super::create::logo_to_api_error;
use super::view::AccountView;
use crate::body;
use crate::extract::{AuthenticatedJson, path_id};
use crate::operation::Operation;
use crate::respond::ok;
use crate::state::AppState;

/// An amended account.
#[derive(Serialize, ToSchema)]
#[schema(as = AmendedAccount)]
pub(crate) struct AmendedAccountView {
    #[serde(flatten)]
    account: AccountView,
    /// The signing secret of a webhook endpoint that this request has made, shown in this answer and never
    /// again; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, min_length = 43, max_length = 43)]
    webhook_signing_secret: Option<String>,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_amend, amend)
        .faulty_field("email", "cannot be changed")
        .errors(&[ErrorCode::NotFound, ErrorCode::Conflict])
}

/// Amend an account
///
/// Only the fields that are sent change, all of them or none; at least one must be sent. Leaving a field out
/// keeps it, and `null` or empty text clears one that can be empty. `updated_at` moves when a value changes.
/// Of two requests that amend one account at the same time, the second one amends what the first one left.
///
/// `email` cannot be changed. `webhook_url` points the endpoint elsewhere and keeps its signing secret; for
/// an account without such an endpoint it makes one, whose secret is in this answer alone; `null` disables
/// the endpoint, and an address after that enables it again with its old secret.
///
/// `logo_url` is downloaded as in a creation, and the service's copy of the old logo is removed; `null`
/// removes it without another.
///
/// `CONFLICT` is the answer to an `external_id` that another of the partner's accounts has, to `status:
/// active` on an account that the operator has switched off, and to a `webhook_url` when the account has as
/// many enabled endpoints as it may have.
#[utoipa::path(
    patch,
    path = "/partner/accounts/{id}",
    tag = "Partner accounts",
    operation_id = "amendAccount",
    params(("id" = uuid::Uuid, Path, description = "The account's id")),
    request_body(content = AmendmentBody, description = "The fields to change"),
    responses((status = 200, description = "The amended account", body = AmendedAccountView)),
    security(("partner_key" = []))
)]
pub(crate) async fn amend(
    state: web::Data<AppState>,
    request: AuthenticatedJson<PartnerCaller>,
    path: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let id = path_id(&path)?;
    let (input, faults) = body::read(&request.body, AccountBody::read_amendment)?;
    let partner = request.caller.scope();
    let amending = state.accounts.amend(partner, id, input, faults);
    let amended = amending.await.map_err(to_api_error)?;
    Ok(ok(&AmendedAccountView::new(&amended, &state.urls)))
}

impl AmendedAccountView {
    fn new(amended: &Amended, urls: &PublicUrls) -> Self {
        let secret = amended.signing_secret.as_ref();
        Self {
            account: AccountView::full(&amended.account, urls),
            webhook_signing_secret: secret.map(|secret| secret.reveal().to_owned()),
        }
    }
}

pub(super) fn to_api_error(error: AmendAccountError) -> ApiError {
    let code = match error {
        AmendAccountError::Invalid(faults) => return ApiError::invalid(faults),
        AmendAccountError::Logo(error) => return logo_to_api_error(error),
        AmendAccountError::SecureRandom(error) => return error.into(),
        AmendAccountError::Store(error) => return error.into(),
        AmendAccountError::Empty => ErrorCode::ValidationError,
        AmendAccountError::NotFound => ErrorCode::NotFound,
        AmendAccountError::ExternalIdTaken
        | AmendAccountError::SwitchedOffByOperator(_)
        | AmendAccountError::TooManyEnabled
        | AmendAccountError::TooManyEndpoints => ErrorCode::Conflict,
    };
    ApiError::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
