//! `GET /partner/accounts`.

use access::PartnerCaller;
use actix_web::HttpResponse;
use http_server::{ApiError, ErrorCode};
use kernel::SingleLine;
use partner_accounts::Account;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::view::AccountView;
use crate::extract::Authenticated;
use crate::operation::Operation;
use crate::query::Query;
use crate::respond::ok;

/// The parameters as the OpenAPI document describes them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters and never holds them")]
pub(crate) struct AccountListParameters {
    /// Looks up the account with exactly this external id. The response then has only `data` and `total`; if
    /// there is no such account, it is a 404. Must not be empty if given.
    #[param(required = false, min_length = 1, max_length = 255)]
    external_id: String,
    /// The size of a page. Values above 100 count as 100.
    #[param(required = false, minimum = 1, default = 25)]
    limit: u32,
    /// How many accounts to skip.
    #[param(required = false, minimum = 0, default = 0)]
    offset: u64,
}

/// One page of accounts, or the account that a look-up found.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountList)]
pub(crate) struct AccountListView {
    /// The accounts, newest first; `email` is null in each.
    data: Vec<AccountView>,
    /// The total number of accounts.
    #[schema(example = 1)]
    total: u64,
    /// The size of the page; absent in the response to a look-up by `external_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false, example = 25)]
    limit: Option<usize>,
    /// How many accounts were skipped; absent in the response to a look-up by `external_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, required = false, example = 0)]
    offset: Option<u64>,
}

pub(super) fn operation() -> Operation {
    Operation::new(__path_list, list)
        .faulty_field("limit", "must be a whole number of at least 1")
        .errors(&[ErrorCode::NotFound])
}

/// List accounts
///
/// The partner's accounts, newest first. Increase `offset` by `limit` until `total` accounts are collected.
/// `email` is null in every account: read a single account to get it.
#[utoipa::path(
    get, path = "/partner/accounts", operation_id = "listAccounts",
    params(AccountListParameters),
    responses((status = 200, description = "One page of accounts", body = AccountListView)),
)]
pub(crate) async fn list(request: Authenticated<PartnerCaller>) -> Result<HttpResponse, ApiError> {
    let mut query = Query::of(request.http.query_string());
    let external_id = query.get_filled("external_id", SingleLine::parse);
    let (size, offset) = (query.page_size(), query.offset());
    query.finish()?;
    let (accounts, partner) = (&request.state.accounts, request.caller.scope());
    let listed = |account: &Account| AccountView::listed(account, &request.state.urls);
    let view = match external_id {
        Some(external_id) => {
            let account = accounts.with_external_id(partner, &external_id).await?;
            AccountListView { data: vec![listed(&account)], total: 1, limit: None, offset: None }
        }
        None => {
            let page = accounts.list(partner, size, offset).await?;
            let data = page.items.iter().map(listed).collect();
            AccountListView { data, total: page.total, limit: Some(size.get()), offset: Some(offset) }
        }
    };
    Ok(ok(&view))
}

#[cfg(test)]
mod tests;
