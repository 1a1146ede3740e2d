//! `PATCH /partner/accounts/{id}`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use partner_accounts::AmendAccountError;
use serde::Serialize;
use utoipa::ToSchema;

use super::account_body::AccountBody;
use super::create::logo_to_api_error;
use super::view::AccountView;
use crate::body;
use crate::extract::{AuthenticatedJson, path_id};
use crate::operation::Operation;
use crate::respond::ok;

/// The fields to change; at least one. Unknown fields are ignored. A field that is left out stays as it is;
/// empty text counts as `null`.
#[derive(ToSchema)]
#[schema(as = AccountAmendment, example = json!({
    "company_name": "Acme Holdings Pty Ltd",
    "phone": null,
    "webhook_url": "https://hooks.acme.example.com/invoicing"
}))]
#[expect(dead_code, reason = "describes the body and never holds it")]
pub(crate) struct AccountAmendmentBody {
    #[doc = "`inactive` switches the account off, as `DELETE` does; `active` switches it on again, unless the operator has switched it off. \
             Not `null`."]
    #[schema(required = false)]
    status: String,
    /// Your own identifier for the customer, unique among your accounts; `null` clears it.
    #[schema(required = false, max_length = 255)]
    external_id: Option<String>,
    /// The company's name. Not `null`.
    #[schema(required = false, min_length = 1, max_length = 200)]
    company_name: String,
    /// The owner's first name; `null` clears it.
    #[schema(required = false, max_length = 200)]
    first_name: Option<String>,
    /// The owner's last name; `null` clears it.
    #[schema(required = false, max_length = 200)]
    last_name: Option<String>,
    /// A phone number, in free text; `null` clears it.
    #[schema(required = false, max_length = 200)]
    phone: Option<String>,
    /// The Australian business number, in free text; `null` clears it.
    #[schema(required = false, max_length = 200)]
    abn: Option<String>,
    /// The IANA name of the account's time zone. Not `null`; send `UTC` instead.
    #[schema(required = false, example = "Australia/Sydney")]
    timezone: String,
    /// Street and number; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_line1: Option<String>,
    /// City or suburb; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_city: Option<String>,
    /// State, province or region; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_state: Option<String>,
    /// Postal code; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_postal_code: Option<String>,
    /// Country; `null` clears it.
    #[schema(required = false, max_length = 200)]
    address_country: Option<String>,
    /// The prefix of generated invoice numbers; `null` resets it to `INV-`.
    #[schema(required = false, max_length = 20)]
    invoice_prefix: Option<String>,
    /// The preferred name of the payment page: made URL-safe, and given a numeric suffix if another account
    /// has it. Not `null`.
    #[schema(required = false, max_length = 200)]
    payment_slug: String,
    /// The new URL of the account's webhook endpoint: a public `https` address without user name or password.
    /// `null` disables the endpoint.
    #[schema(required = false, format = "uri", max_length = 2048)]
    webhook_url: Option<String>,
    /// The URL that another logo is downloaded from, under the rules of account creation; `null` removes the
    /// logo. Sending the `logo_url` that the account shows changes nothing.
    #[schema(required = false, format = "uri", max_length = 2048)]
    logo_url: Option<String>,
    /// A six-digit hex colour; `null` clears it.
    #[schema(required = false, pattern = "^#[0-9A-Fa-f]{6}$")]
    brand_color: Option<String>,
    /// Whether the service may write to the account's customers. Must be a boolean, not `null`.
    #[schema(required = false)]
    communications_enabled: bool,
}

/// An amended account.
#[derive(Serialize, ToSchema)]
#[schema(as = AmendedAccount)]
pub(crate) struct AmendedAccountView {
    #[serde(flatten)]
    account: AccountView,
    /// The signing secret of a webhook endpoint that this request created, shown only in this response;
    /// absent otherwise.
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
/// Only the fields that are sent change, all of them or none; at least one must be sent. `null` or empty text
/// clears a field that can be empty. `updated_at` is set when a value changes. Of two concurrent amendments,
/// the second is applied to the result of the first.
///
/// `email` cannot be changed. `webhook_url` changes the URL of the endpoint and keeps its signing secret; if
/// the account has no such endpoint, one is created, and only this response shows its secret. `null` disables
/// the endpoint; a later URL enables it again with its old secret.
///
/// `logo_url` is downloaded as in account creation, and the service's copy of the old logo is removed; `null`
/// removes the logo.
///
/// The error is `CONFLICT` for an `external_id` that another of the partner's accounts has, for `status:
/// active` on an account that the operator has switched off, and for a `webhook_url` when the account has the
/// maximum number of enabled endpoints.
#[utoipa::path(
    patch, path = "/partner/accounts/{id}", operation_id = "amendAccount",
    request_body(content = AccountAmendmentBody, description = "The fields to change"),
    responses((status = 200, description = "The amended account", body = AmendedAccountView)),
)]
pub(crate) async fn amend(request: AuthenticatedJson<PartnerCaller>) -> Result<HttpResponse, ApiError> {
    let id = path_id(&request.http)?;
    let (input, faults) = body::read(&request.body, AccountBody::read_amendment)?;
    let amending = request.state.accounts.amend(request.caller.scope(), id, input, faults);
    let amended = amending.await.map_err(to_api_error)?;
    Ok(ok(&AmendedAccountView {
        account: AccountView::full(&amended.account, &request.state.urls),
        webhook_signing_secret: amended.signing_secret.map(|secret| secret.reveal().to_owned()),
    }))
}

pub(super) fn to_api_error(error: AmendAccountError) -> ApiError {
    let code = match error {
        AmendAccountError::Invalid(faults) => return ApiError::invalid(faults),
        AmendAccountError::Logo(error) => return logo_to_api_error(error),
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
