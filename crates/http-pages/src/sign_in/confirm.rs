//! `/confirm`: the owner authenticates again within a session.

use actix_web::HttpRequest;
use kernel::FieldErrors;
use pages::texts::ENGLISH;
use pages::{Form, SignInPage};
use sessions::SignInError;

use super::response::{REQUIRED, password, refuse, to_page_error};
use crate::forms::submit::see_other;
use crate::forms::{FormFields, PageError, PageResult};
use crate::next_page::local_path;
use crate::page::render;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let next = local_path(FormFields::of_query(&http)?.get("next")).to_owned();
    let page = page(&caller, next).await?;
    Ok(render(&http, move || page(&Form::default())).await?)
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let next = local_path(fields.get("next")).to_owned();
    let (state, session_record) = (caller.state(), caller.session_record());
    let (password, code) = (password(&fields), fields.get("code"));
    if password.is_empty() && code.is_empty() {
        // The form has a field for a code if a code is enough.
        let fault = if fields.find("code").is_some() { "or a code is required" } else { REQUIRED };
        let page = page(&caller, next).await?;
        return refuse(&http, fields, FieldErrors::one("password", fault), page).await;
    }
    match state.logins.confirm(session_record, password, code, caller.origin()).await {
        Ok(()) => Ok(see_other(&state.links.page(next))),
        Err(SignInError::Wrong) => {
            let name = if password.is_empty() && !code.is_empty() { "code" } else { "password" };
            let faults = FieldErrors::one(name, ENGLISH.sign_in.wrong_password);
            let page = page(&caller, next).await?;
            refuse(&http, fields, faults, page).await
        }
        Err(error) => Err(to_page_error(error)),
    }
}

/// Returns a function that makes the page of a form.
async fn page(
    caller: &SessionCaller,
    next: String,
) -> Result<impl FnOnce(&Form) -> SignInPage + Send + use<>, PageError> {
    let state = caller.state();
    let login = state.logins.store.login(caller.scope().id).await?;
    let has_code = login.is_some_and(|login| login.login.second_factor.is_some());
    let (company, urls) = (caller.company_name().to_owned(), state.links.clone());
    Ok(move |form: &Form| SignInPage::confirm(form, &next, has_code, &company, &urls))
}
