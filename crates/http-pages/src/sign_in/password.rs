//! `/password/forgot` and `/password/reset/{token}`.

use actix_web::HttpRequest;
use actix_web::web::Data;
use http_server::{ApiError, ErrorCode};
use kernel::{EmailAddress, FieldErrors};
use pages::texts::ENGLISH;
use pages::{Form, SignInPage};
use sessions::{ResetPasswordError, ResetRefused};

use super::response::{failed, password, refuse};
use crate::forms::submit::see_other;
use crate::forms::{FormFields, PageError, PageResult};
use crate::page::render;
use crate::payer::request::unknown_token;
use crate::session_caller::{origin_of, switched_off};
use crate::state::PagesState;

/// The query parameter that is set once a reset was requested.
const SENT: &str = "sent";

pub(super) async fn show_forgot(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let is_sent = FormFields::of_query(&http)?.find(SENT).is_some();
    let (urls, form) = (state.links.clone(), Form::default());
    Ok(render(&http, move || SignInPage::forgot_password(&form, is_sent, &urls)).await?)
}

pub(super) async fn send_forgot(
    http: HttpRequest,
    state: Data<PagesState>,
    fields: FormFields,
) -> PageResult {
    let email = match EmailAddress::parse(fields.get("email")) {
        Ok(email) => email,
        Err(fault) => {
            let urls = state.links.clone();
            let page = move |form: &Form| SignInPage::forgot_password(form, false, &urls);
            return refuse(&http, fields, FieldErrors::one("email", fault), page).await;
        }
    };
    let may = state.logins.may_request_reset(&origin_of(&http)?).await;
    may.map_err(|wait| PageError::from(ApiError::too_many_attempts(wait.seconds())))?;
    let request = state.logins.request_reset(email).await?;
    // Done after the response, so that its time does not reveal whether there is such a login. The request is
    // stored: if this process ends before, a worker carries it out.
    let logins = state.logins.clone();
    actix_web::rt::spawn(async move {
        if let Err(error) = logins.carry_out_request(&request).await {
            tracing::warn!(error = %error, "a password reset could not be mailed; it is tried again");
        }
    });
    Ok(see_other(&state.links.page(format_args!("/password/forgot?{SENT}"))))
}

pub(super) async fn show_reset(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let found = state.logins.find_reset(token(&http)).await;
    if let Err(error) = found {
        return Err(refused(error, &http, &state).await);
    }
    let (urls, form) = (state.links.clone(), Form::default());
    Ok(render(&http, move || SignInPage::reset_password(&form, &urls)).await?)
}

pub(super) async fn send_reset(http: HttpRequest, state: Data<PagesState>, fields: FormFields) -> PageResult {
    let origin = origin_of(&http)?;
    match state.logins.reset_password(token(&http), password(&fields), &origin).await {
        Ok(()) => Ok(see_other(&state.links.page("/login?changed"))),
        Err(ResetPasswordError::Password(fault)) => {
            let urls = state.links.clone();
            let page = move |form: &Form| SignInPage::reset_password(form, &urls);
            refuse(&http, fields, FieldErrors::one("password", fault), page).await
        }
        Err(error) => Err(refused(error, &http, &state).await),
    }
}

fn token(http: &HttpRequest) -> &str {
    http.match_info().get("token").unwrap_or_default()
}

async fn refused(error: ResetPasswordError, http: &HttpRequest, state: &PagesState) -> PageError {
    let texts = &ENGLISH.sign_in;
    let gone = |sentence: &str| {
        let forgot = state.links.page("/password/forgot");
        PageError::new(ErrorCode::Gone, sentence).with_link(forgot, texts.send_new_one)
    };
    match error {
        // A link that is long expired is not known any more.
        ResetPasswordError::Unknown => {
            let forgot = state.links.page("/password/forgot");
            PageError::from(unknown_token(state, http).await).with_link(forgot, texts.send_new_one)
        }
        ResetPasswordError::AccountDisabled(by) => switched_off(by),
        ResetPasswordError::Refused(ResetRefused::Used) => gone(texts.reset_used),
        ResetPasswordError::Refused(ResetRefused::Expired) => gone(texts.reset_expired),
        ResetPasswordError::Password(fault) => PageError::conflict(fault.to_string()),
        ResetPasswordError::Failure(failure) => failed(failure),
    }
}
