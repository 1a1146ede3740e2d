//! `POST /partner/accounts`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use partner_accounts::{LogoUnavailable, ProvisionError, Provisioned};
use serde::Serialize;
use utoipa::ToSchema;

use super::account_body::AccountBody;
use super::view::AccountView;
use crate::body;
use crate::extract::AuthenticatedJson;
use crate::operation::Operation;
use crate::respond::{created, ok, stored_response};

const NO_SECRETS: &str = "this account existed already and was not changed; its secrets were shown when it was created and \
                          cannot be read again. Rotate its key to get a new one";

/// A new account, with its key.
#[derive(Serialize, ToSchema)]
#[schema(as = NewAccountCreated)]
pub(crate) struct NewAccountView {
    #[serde(flatten)]
    account: AccountView,
    /// False: the account is new.
    #[schema(example = false)]
    matched: bool,
    /// The account's API key, shown only in this response.
    #[schema(example = "ct_live_00000000000000000000000000000000")]
    api_key: String,
    /// The signing secret of the webhook endpoint, shown only in this response; absent when no `webhook_url`
    /// was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, min_length = 43, max_length = 43)]
    webhook_signing_secret: Option<String>,
}

/// An account that existed already.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountMatched)]
pub(crate) struct MatchedAccountView {
    #[serde(flatten)]
    account: AccountView,
    /// True: an account with this `external_id` existed already.
    #[schema(example = true)]
    matched: bool,
    /// Why this response contains no secrets.
    secrets_note: &'static str,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_create, create)
        .faulty_field("company_name", "is required")
        .errors(&[ErrorCode::Conflict])
}

/// Create an account
///
/// Creates an account with its login, its payment page, its first API key and, when `webhook_url` is given,
/// its webhook endpoint, which is subscribed to every event. Key and signing secret are shown only in this
/// response. The owner is invited by mail to choose a password, even if `communications_enabled` is false.
///
/// The image at `logo_url` is downloaded and checked before the account is created, and the service keeps its
/// own copy; without a valid image no account is created.
///
/// When the partner already has an account with the same `external_id`, the response shows that account,
/// unchanged and without secrets. An `email` that another account of the service has is a `CONFLICT`. Without
/// an `external_id` a repeated call with another e-mail address creates a second account.
#[utoipa::path(
    post, path = "/partner/accounts", operation_id = "createAccount",
    request_body(content = AccountBody, description = "The account to create"),
    responses(
        (status = 200, description = "The partner had an account with this external_id already", body = MatchedAccountView),
        (status = 201, description = "The account was created", body = NewAccountView),
    ),
)]
pub(crate) async fn create(request: AuthenticatedJson<PartnerCaller>) -> Result<HttpResponse, ApiError> {
    let (input, faults) = body::read(&request.body, AccountBody::read)?;
    let state = &request.state;
    let provisioning = state.accounts.provision(request.caller.scope(), input, faults);
    Ok(match provisioning.await.map_err(to_api_error)? {
        Provisioned::New(new) => {
            let view = NewAccountView {
                account: AccountView::full(&new.account, &state.urls),
                matched: false,
                api_key: new.key.reveal().to_owned(),
                webhook_signing_secret: new.signing_secret.map(|secret| secret.reveal().to_owned()),
            };
            stored_response(state, "partner/accounts", created(&view))
        }
        Provisioned::Matched(account) => {
            let account = AccountView::full(&account, &state.urls);
            ok(&MatchedAccountView { account, matched: true, secrets_note: NO_SECRETS })
        }
    })
}

fn to_api_error(error: ProvisionError) -> ApiError {
    match error {
        ProvisionError::Invalid(faults) => ApiError::invalid(faults),
        ProvisionError::EmailTaken => ApiError::new(ErrorCode::Conflict, error.to_string()),
        ProvisionError::Logo(error) => logo_to_api_error(error),
        ProvisionError::Store(error) => error.into(),
    }
}

pub(super) fn logo_to_api_error(error: LogoUnavailable) -> ApiError {
    match error {
        LogoUnavailable::Store(error) => error.into(),
        error => ApiError::internal(error),
    }
}

#[cfg(test)]
mod tests;
