//! `GET /partner/accounts`.

use access::PartnerCaller;
use actix_web::{HttpRequest, HttpResponse, web};
use http_server::{ApiError, ErrorCode};
use kernel::{OffsetPage, PageSize, PublicUrls, SingleLine};
use partner_accounts::Account;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::get::to_api_error;
use super::view::AccountView;
use crate::extract::Authenticated;
use crate::operation::Operation;
use crate::query::Query;
use crate::respond::ok;
use crate::state::AppState;

/// The parameters as the document describes them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters and never holds them")]
pub(crate) struct AccountListParameters {
    /// Looks up the one account with exactly this external id. The answer then carries `data` and `total`
    /// alone; none is a 404. It must not be empty where it is given.
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

pub(super) fn operation() -> Operation {
    Operation::new(__path_list, list)
        .faulty_field("limit", "must be a whole number of at least 1")
        .errors(&[ErrorCode::NotFound])
}

/// List accounts
///
/// The partner's accounts, newest first. Increase `offset` by `limit` until `total` accounts are collected.
/// `email` is null in every one: fetch an account for it.
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
    http: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let mut query = Query::of(http.query_string());
    let external_id = query.get_filled("external_id", SingleLine::parse);
    let (size, offset) = (query.page_size(), query.offset());
    query.finish()?;
    let (partner, urls) = (request.caller.scope(), &state.urls);
    let view = match external_id {
        Some(external_id) => {
            let looking_up = state.accounts.with_external_id(partner, &external_id);
            let account = looking_up.await.map_err(to_api_error)?;
            AccountListView::of_one(&account, urls)
        }
        None => {
            let listing = state.accounts.list(partner, size, offset);
            let page = listing.await?;
            AccountListView::of_page(&page, size, offset, urls)
        }
    };
    Ok(ok(&view))
}

impl AccountListView {
    fn of_one(account: &Account, urls: &PublicUrls) -> Self {
        Self { data: vec![AccountView::listed(account, urls)], total: 1, limit: None, offset: None }
    }

    fn of_page(page: &OffsetPage<Account>, size: PageSize, offset: u64, urls: &PublicUrls) -> Self {
        let accounts = page.items.iter();
        Self {
            data: accounts.map(|account| AccountView::listed(account, urls)).collect(),
            total: page.total,
            limit: Some(size.get()),
            offset: Some(offset),
        }
    }
}

#[cfg(test)]
mod tests;
