//! `/invitations/{token}`: the first password of an owner.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use http_server::ErrorCode;
use kernel::FieldErrors;
use pages::texts::ENGLISH;
use pages::{Form, SignInPage};
use partner_accounts::InvitationRefused;
use sessions::AcceptInvitationError;

use super::response::{end_presented, failed, password, refuse, signed_in};
use crate::forms::submit::see_other;
use crate::forms::{FormFields, PageError, PageResult};
use crate::next_page::HOME;
use crate::page::{render, render_with};
use crate::payer::request::unknown_token;
use crate::session_caller::{origin_of, switched_off};
use crate::state::PagesState;

/// The query parameter that is set once a new invitation was requested.
const SENT: &str = "sent";

pub(super) async fn show(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let (_, login_record) = match state.logins.invited(token(&http)).await {
        Ok(invited) => invited,
        Err(error) => return refused(error, &http, &state).await,
    };
    let (urls, form) = (state.links.clone(), Form::default());
    let (company, email) = (login_record.owner.company_name, login_record.login.email);
    Ok(render(&http, move || SignInPage::invitation(&form, &company, email.as_str(), &urls)).await?)
}

pub(super) async fn send(http: HttpRequest, state: Data<PagesState>, fields: FormFields) -> PageResult {
    let token = token(&http);
    if fields.action() == "renew" {
        return match state.logins.renew_invitation(token).await {
            Ok(()) => Ok(see_other(&state.links.page(format_args!("{}?{SENT}", http.path())))),
            Err(error) => refused(error, &http, &state).await,
        };
    }
    let origin = origin_of(&http)?;
    match state.logins.accept_invitation(token, password(&fields), &origin).await {
        Ok(new) => {
            end_presented(&state, http.headers()).await?;
            Ok(signed_in(&state, &new, HOME))
        }
        Err(AcceptInvitationError::Password(fault)) => {
            let (_, login_record) = match state.logins.invited(token).await {
                Ok(invited) => invited,
                Err(error) => return refused(error, &http, &state).await,
            };
            let (company, email) = (login_record.owner.company_name, login_record.login.email);
            let urls = state.links.clone();
            let page = move |form: &Form| SignInPage::invitation(form, &company, email.as_str(), &urls);
            refuse(&http, fields, FieldErrors::one("password", fault), page).await
        }
        Err(error) => refused(error, &http, &state).await,
    }
}

fn token(http: &HttpRequest) -> &str {
    http.match_info().get("token").unwrap_or_default()
}

/// The page of an invitation that cannot be accepted.
async fn refused(error: AcceptInvitationError, http: &HttpRequest, state: &PagesState) -> PageResult {
    let texts = &ENGLISH.sign_in;
    Err(match error {
        AcceptInvitationError::Unknown => unknown_token(state, http).await.into(),
        AcceptInvitationError::Refused(InvitationRefused::Used) => {
            PageError::new(ErrorCode::Gone, texts.invitation_used)
                .with_link(state.links.page("/login"), texts.sign_in)
        }
        AcceptInvitationError::Refused(InvitationRefused::Expired) => {
            let (urls, is_sent) = (state.links.clone(), FormFields::of_query(http)?.find(SENT).is_some());
            let page = move || SignInPage::expired_invitation(is_sent, &urls);
            return Ok(render_with(StatusCode::GONE, http, page).await?);
        }
        AcceptInvitationError::AccountDisabled(by) => switched_off(by),
        AcceptInvitationError::Password(fault) => PageError::conflict(fault.to_string()),
        AcceptInvitationError::Failure(failure) => failed(failure),
    })
}
