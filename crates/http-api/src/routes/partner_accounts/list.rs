//! `GET /partner/accounts`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use kernel::SingleLine;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::AccountView;
use crate::answer::{done, response};
use crate::error::{ApiError, Code};
use crate::extract::Authenticated;
use crate::query::Query;
use crate::state::AppState;

/// What this operation refuses besides what every operation does.
pub(crate) const ERRORS: [Code; 2] = [Code::ValidationError, Code::NotFound];

/// The parameters as the document describes them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters and never holds them")]
pub(crate) struct AccountListParameters {
    /// Looks up the one account with exactly this external id. The answer then carries `data` and `total` alone; none is a 404.
    /// It must not be empty where it is given.
    #[param(required = false, min_length = 1, max_length = 255)]
    external_id: String,
    /// The size of a page. Values above 100 are taken as 100.
    #[param(required = false, minimum = 1, default = 25)]
    limit: u32,
    /// How many accounts to pass over.
    #[param(required = false, minimum = 0, default = 0)]
    offset: u64,
}

/// One page of accounts, or what a look-up found.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountList)]
pub(crate) struct AccountListView {
    /// The accounts, newest first; `email` is null in each.
    data: Vec<AccountView>,
    /// How many accounts there are in all.
    #[schema(example = 1)]
    total: u64,
    /// The size of the page; absent in the answer to a look-up by `external_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false, example = 25)]
    limit: Option<usize>,
    /// How many accounts were passed over; absent in the answer to a look-up by `external_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false, example = 0)]
    offset: Option<u64>,
}

/// List accounts
///
/// The partner's accounts, newest first. Increase `offset` by `limit` until `total` accounts are collected. `email` is null in
/// every one: fetch an account for it.
#[utoipa::path(
    get,
    path = "/partner/accounts",
    tag = "Partner accounts",
    operation_id = "listAccounts",
    params(AccountListParameters),
    responses((status = 200, description = "One page of accounts", body = AccountListView)),
    security(("partner_key" = []))
)]
pub(crate) async fn list(
    state: web::Data<AppState>,
    request: Authenticated<PartnerCaller>,
    line: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let mut query = Query::of(line.query_string());
    let external_id = query.get_filled("external_id", SingleLine::parse);
    let (size, offset) = (query.page_size(), query.offset());
    query.finish()?;
    let partner = request.caller.scope();
    let view = match external_id {
        Some(external_id) => {
            let account = state
                .accounts
                .with_external_id(partner, &external_id)
                .await?;
            AccountListView {
                data: vec![AccountView::listed(&account, &state.urls)],
                total: 1,
                limit: None,
                offset: None,
            }
        }
        None => {
            let page = state.accounts.list(partner, size, offset).await?;
            let listed = |account| AccountView::listed(account, &state.urls);
            AccountListView {
                data: page.items.iter().map(listed).collect(),
                total: page.total,
                limit: Some(size.get()),
                offset: Some(offset),
            }
        }
    };
    Ok(response(done(&view)))
}

#[cfg(test)]
mod tests;
