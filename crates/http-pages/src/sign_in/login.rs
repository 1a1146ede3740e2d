//! `/login`, `/login/code` and `/logout`.

use actix_web::HttpRequest;
use actix_web::web::Data;
use kernel::{EmailAddress, FieldErrors};
use pages::texts::ENGLISH;
use pages::{Form, SignInPage};
use sessions::{SessionError, SessionRecord, SignInError, SignedIn};

use super::response::{REQUIRED, end_presented, password, refuse, signed_in, to_page_error};
use crate::forms::submit::see_other;
use crate::forms::{FormFields, PageError, PageResult};
use crate::next_page::{local_path, with_next};
use crate::page::render;
use crate::session_caller::{origin_of, switched_off};
use crate::session_cookie;
use crate::state::PagesState;

pub(super) async fn show(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let query = FormFields::of_query(&http)?;
    let (next, is_changed) = (local_path(query.get("next")).to_owned(), query.find("changed").is_some());
    let urls = state.links.clone();
    let form = Form::default();
    Ok(render(&http, move || SignInPage::login(&form, &next, is_changed, &urls)).await?)
}

pub(super) async fn send(http: HttpRequest, state: Data<PagesState>, fields: FormFields) -> PageResult {
    let next = local_path(fields.get("next")).to_owned();
    let mut faults = FieldErrors::default();
    // Browsers do not check the field.
    match EmailAddress::parse(fields.get("email")) {
        Ok(_email) => {}
        Err(_missing) if fields.get("email").is_empty() => faults.add("email", REQUIRED),
        Err(fault) => faults.add("email", fault),
    }
    if password(&fields).is_empty() {
        faults.add("password", REQUIRED);
    }
    if faults.is_empty() {
        let origin = origin_of(&http)?;
        match state.logins.sign_in(fields.get("email"), password(&fields), &origin).await {
            Ok(new) => {
                end_presented(&state, http.headers()).await?;
                return Ok(signed_in(&state, &new, &next));
            }
            Err(SignInError::Wrong) => faults.add("password", ENGLISH.sign_in.wrong_login),
            Err(error) => return Err(to_page_error(error)),
        }
    }
    let urls = state.links.clone();
    refuse(&http, fields, faults, move |form| SignInPage::login(form, &next, false, &urls)).await
}

pub(super) async fn show_code(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let query = FormFields::of_query(&http)?;
    let next = local_path(query.get("next")).to_owned();
    let waiting = waiting(&http, &state, &next).await?;
    let (urls, form) = (state.links.clone(), Form::default());
    Ok(render(&http, move || SignInPage::code(&form, &next, &waiting.company_name, &urls)).await?)
}

pub(super) async fn send_code(http: HttpRequest, state: Data<PagesState>, fields: FormFields) -> PageResult {
    let next = local_path(fields.get("next")).to_owned();
    let waiting = waiting(&http, &state, &next).await?;
    let fault = match fields.get("code") {
        "" => REQUIRED,
        code => match state.logins.enter_code(&waiting, code, &origin_of(&http)?).await {
            Ok(new) => return Ok(signed_in(&state, &SignedIn::Done(new), &next)),
            Err(SignInError::Wrong) => ENGLISH.sign_in.wrong_code,
            Err(error) => return Err(to_page_error(error)),
        },
    };
    let urls = state.links.clone();
    let page = move |form: &Form| SignInPage::code(form, &next, &waiting.company_name, &urls);
    refuse(&http, fields, FieldErrors::one("code", fault), page).await
}

/// The session that waits for a code; without one, a redirect to the sign-in, or to `next` for a browser that
/// is signed in, as after a code that was sent twice.
async fn waiting(http: &HttpRequest, state: &PagesState, next: &str) -> Result<SessionRecord, PageError> {
    let sign_in = || PageError::see_other(with_next(&state.links, "/login", next));
    let token = session_cookie::presented(http.headers(), &state.public_urls).ok_or_else(sign_in)?;
    let error = match state.sessions.awaiting_code(&token).await {
        Ok(waiting) => return Ok(waiting),
        Err(error) => error,
    };
    Err(match error {
        SessionError::NotSignedIn if state.sessions.authenticate(&token).await.is_ok() => {
            PageError::see_other(state.links.page(next))
        }
        SessionError::NotSignedIn => sign_in(),
        SessionError::AccountDisabled(by) => switched_off(by),
        SessionError::Store(error) => error.into(),
    })
}

pub(super) async fn sign_out(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    end_presented(&state, http.headers()).await?;
    let mut response = see_other(&state.links.page("/login"));
    let (name, value) = session_cookie::remove(&state.public_urls);
    response.headers_mut().append(name, value);
    Ok(response)
}
