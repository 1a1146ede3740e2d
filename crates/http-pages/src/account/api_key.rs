//! `/dashboard/settings/api`: the account's key.

use actix_web::HttpRequest;
use pages::{ApiKeyPage, SecretPage};
use partner_accounts::OwnAccountError;
use sessions::AuditedChange;

use super::errors::{own_account_error, unknown_button};
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::page::render;
use crate::routing::{Routes, form_page};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/settings/api";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(form_page(PATH, show, generate));
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let state = caller.state();
    let account = state.own_accounts.get(caller.scope().id).await.map_err(own_account_error)?;
    let (urls, form_token, zone) =
        (state.links.clone(), new_form_token(state, caller.scope().id), caller.scope().time_zone.clone());
    let company = caller.company_name().to_owned();
    let page = move || ApiKeyPage::new(&company, account.key.as_ref(), form_token, &zone, &urls);
    Ok(render(&http, page).await?)
}

async fn generate(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    caller.require_recent_authentication()?;
    let (state, account) = (caller.state(), caller.scope().id);
    let generated = submit(state, account, http.path(), &fields, async || {
        if fields.action() != "generate" {
            return Err(unknown_button().into());
        }
        let (key, record) = state.own_accounts.new_key();
        let own_accounts = caller.audited(AuditedChange::of("api_key.generated")).own_accounts;
        let put = own_accounts.put_key(account, &record, fields.find("last_four")).await;
        put.map_err(|error| match error {
            OwnAccountError::Changed => PageError::not_done(state.links.page(PATH)),
            error => own_account_error(error),
        })?;
        let (company, urls) = (caller.company_name().to_owned(), state.links.clone());
        let shown = render(&http, move || SecretPage::api_key(&company, key.reveal(), &urls)).await?;
        Ok::<_, FormError>(Done::ShownOnce(shown))
    });
    Ok(generated.await?)
}
