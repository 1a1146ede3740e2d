//! `/dashboard/settings/security`: password, second factor, sessions, audit entries.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use http_server::ApiError;
use kernel::{FieldErrors, Id};
use pages::{Confirmation, Form, RecoveryCodesPage, SecondFactorPage, SecurityPage, SecurityState};
use sessions::{AuditEntryId, ChangePasswordError, NewSession, RecoveryCode, TurnOnError};

use crate::forms::submit::{kept_form_token, new_form_token, submit};
use crate::forms::{Done, FormError, FormFields, PageError, PageResult};
use crate::page::{render, render_with};
use crate::routing::{Routes, form_page};
use crate::session_caller::SessionCaller;
use crate::sign_in::response::{failed, with_cookie};

const PATH: &str = "/dashboard/settings/security";

/// How many audit entries a page shows.
const ENTRIES: usize = 20;

const OFF_ALREADY: &str = "Two-step sign-in is off already. Open the page again.";
const NOT_BEGUN: &str = "Two-step sign-in is on already, or its set-up was not begun. Open the page again.";
const ON_ALREADY: &str = "Two-step sign-in is on already. Open the page again.";
const ENDED_ALREADY: &str = "This session has ended already. Open the page again.";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(form_page(PATH, show, send));
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), Vec::new());
    page(&caller, &http, StatusCode::OK, form).await
}

async fn page(caller: &SessionCaller, http: &HttpRequest, status: StatusCode, form: Form) -> PageResult {
    let query = FormFields::of_query(http)?;
    let before: Option<AuditEntryId> = Id::parse(query.get("before"));
    let shown = security_state(caller, before).await?;
    let urls = caller.state().links.clone();
    Ok(render_with(status, http, move || SecurityPage::new(&shown, &form, &urls)).await?)
}

async fn security_state(
    caller: &SessionCaller,
    before: Option<AuditEntryId>,
) -> Result<SecurityState, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let logins = &state.logins;
    let login = logins.store.login(account).await?.ok_or_else(PageError::not_found)?.login;
    let second_factor = match login.second_factor {
        Some(factor) => Some((factor.since, logins.store.recovery_codes_left(account).await?)),
        None => None,
    };
    let mut entries = state.audit.log.list(account, before, ENTRIES.saturating_add(1)).await?;
    let has_older = entries.len() > ENTRIES;
    entries.truncate(ENTRIES);
    Ok(SecurityState {
        company_name: caller.company_name().to_owned(),
        time_zone: caller.scope().time_zone.clone(),
        second_factor,
        is_proposed: login.proposed_secret.is_some(),
        sessions: logins.live_sessions(account).await?,
        current: caller.session_id(),
        entries,
        has_older,
    })
}

async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    if !fields.action().starts_with("end_") {
        caller.require_recent_authentication()?;
    }
    let mut new = None;
    let work = async || act(&caller, &http, &fields, &mut new).await;
    let done = submit(caller.state(), caller.scope().id, PATH, &fields, work).await;
    match done {
        Ok(response) => Ok(match new {
            Some(new) => with_cookie(response, &new, caller.state()),
            None => response,
        }),
        Err(error) => {
            let faults = error.into_faults()?;
            let form = Form::refused(
                kept_form_token(caller.state(), caller.scope().id, &fields)?,
                Vec::new(),
                faults,
            );
            page(&caller, &http, StatusCode::UNPROCESSABLE_ENTITY, form).await
        }
    }
}

/// Carries out the action of the pressed button. A new password starts a new session.
async fn act(
    caller: &SessionCaller,
    http: &HttpRequest,
    fields: &FormFields,
    new: &mut Option<NewSession>,
) -> Result<Done, FormError> {
    let (logins, session_record, origin) = (&caller.state().logins, caller.session_record(), caller.origin());
    let what = match fields.action() {
        "change_password" => {
            let password = fields.find("password").unwrap_or_default();
            *new = Some(logins.change_password(session_record, password, origin).await.map_err(not_changed)?);
            Confirmation::PasswordChanged
        }
        "set_up_second_factor" => return set_up(caller, http).await,
        "turn_on_second_factor" => {
            let codes = logins.turn_on_second_factor(session_record, fields.get("code"), origin).await;
            return show_codes(caller, http, codes.map_err(not_turned_on)?).await;
        }
        "turn_off_second_factor" => {
            let is_done = logins.turn_off_second_factor(session_record, origin).await.map_err(failed)?;
            require(is_done, OFF_ALREADY)?;
            Confirmation::SecondFactorOff
        }
        "renew_recovery_codes" => {
            let codes = logins.renew_recovery_codes(session_record, origin).await.map_err(failed)?;
            let codes = codes.ok_or_else(|| PageError::conflict(OFF_ALREADY))?;
            return show_codes(caller, http, codes).await;
        }
        "end_other_sessions" => {
            logins.end_other_sessions(session_record, origin).await.map_err(failed)?;
            Confirmation::OtherSessionsEnded
        }
        other => {
            let ended = other.strip_prefix("end_session.").and_then(Id::parse);
            let ended = ended.ok_or_else(|| ApiError::invalid(FieldErrors::one("action", "is unknown")))?;
            let is_done = logins.end_session(session_record, ended, origin).await.map_err(failed)?;
            require(is_done, ENDED_ALREADY)?;
            Confirmation::SessionEnded
        }
    };
    Ok(Done::confirmed(&caller.state().links, PATH, what))
}

fn require(is_done: bool, otherwise: &str) -> Result<(), FormError> {
    if is_done { Ok(()) } else { Err(PageError::conflict(otherwise).into()) }
}

/// Shows a new secret for an authenticator.
async fn set_up(caller: &SessionCaller, http: &HttpRequest) -> Result<Done, FormError> {
    let state = caller.state();
    let proposed = state.logins.propose_second_factor(caller.session_record()).await.map_err(failed)?;
    let secret = proposed.ok_or_else(|| PageError::conflict(ON_ALREADY))?;
    let (email, company) = (caller.login().clone(), caller.company_name().to_owned());
    let (form_token, urls) = (new_form_token(state, caller.scope().id), state.links.clone());
    let page = move || SecondFactorPage::new(&secret, email.as_str(), &company, form_token, &urls);
    Ok(Done::ShownOnce(render(http, page).await?))
}

async fn show_codes(
    caller: &SessionCaller,
    http: &HttpRequest,
    codes: Vec<RecoveryCode>,
) -> Result<Done, FormError> {
    let (company, urls) = (caller.company_name().to_owned(), caller.state().links.clone());
    let page = move || RecoveryCodesPage::new(&codes, &company, &urls);
    Ok(Done::ShownOnce(render(http, page).await?))
}

fn not_changed(error: ChangePasswordError) -> FormError {
    match error {
        ChangePasswordError::Password(fault) => FieldErrors::one("password", fault).into(),
        ChangePasswordError::Failure(failure) => failed(failure).into(),
    }
}

fn not_turned_on(error: TurnOnError) -> FormError {
    match error {
        TurnOnError::Wrong => FieldErrors::one("code", error).into(),
        TurnOnError::NotBegun => PageError::conflict(NOT_BEGUN).into(),
        TurnOnError::Failure(failure) => failed(failure).into(),
    }
}
