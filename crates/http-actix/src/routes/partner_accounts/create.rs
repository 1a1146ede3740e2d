//! `POST /partner/accounts`.

use access::{ApiKey, PartnerCaller};
use actix_web::{HttpResponse, web};
use partner_accounts::{Account, Provisioned};
use serde::Serialize;
use utoipa::ToSchema;

use super::create_body::AccountBody;
use super::{AccountView, COLLECTION};
use crate::answer::{created, done, response, response_about};
use crate::body;
use crate::entry::Writing;
use crate::error::{Code, Refusal};
use crate::front::Front;

/// What this operation refuses besides what every operation does.
pub(crate) const REFUSALS: [Code; 4] = [
    Code::ValidationError,
    Code::Conflict,
    Code::PayloadTooLarge,
    Code::UnsupportedMediaType,
];

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
    /// The account's API key, shown in this answer and never again.
    #[schema(example = "ct_live_00000000000000000000000000000000")]
    api_key: String,
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
    /// Why there are no secrets in this answer.
    secrets_note: &'static str,
}

/// Create an account
///
/// Builds an account with its login, its payment page and its first API key. The key is shown in this answer and never again. When
/// the partner has an account with the same `external_id` already, that one is answered instead, unchanged and without secrets.
/// Without an `external_id` a repeated call with another e-mail address creates a second account.
#[utoipa::path(
    post,
    path = "/partner/accounts",
    tag = "Partner accounts",
    operation_id = "createAccount",
    request_body(content = AccountBody, description = "The account to create"),
    responses(
        (status = 200, description = "The partner had an account with this external_id already", body = MatchedAccountView),
        (status = 201, description = "The account was created", body = NewAccountView),
    ),
    security(("partner_key" = []))
)]
pub(crate) async fn create(
    front: web::Data<Front>,
    request: Writing<PartnerCaller>,
) -> Result<HttpResponse, Refusal> {
    let (input, faults) = body::read(&request.body, AccountBody::read)?;
    let provisioning = front
        .accounts
        .provision(request.caller.scope(), input, faults);
    Ok(match provisioning.await? {
        Provisioned::New(account, key) => {
            response_about(&front, COLLECTION, created(&new(&account, &key)))
        }
        Provisioned::Matched(account) => response(done(&matched(&account))),
    })
}

fn new(account: &Account, key: &ApiKey) -> NewAccountView {
    NewAccountView {
        account: AccountView::full(account),
        matched: false,
        api_key: key.reveal().to_owned(),
    }
}

fn matched(account: &Account) -> MatchedAccountView {
    MatchedAccountView {
        account: AccountView::full(account),
        matched: true,
        secrets_note: NO_SECRETS,
    }
}

#[cfg(test)]
mod tests;
