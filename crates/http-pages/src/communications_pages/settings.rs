//! `/dashboard/settings/communications`: the reminder policy.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use communications::{AccountFacts, PolicyChange, ReminderPreview, Tone};
use kernel::{Field, FieldErrors, Version};
use pages::communications::{CommunicationsSettings, CommunicationsSettingsPage, PlannedAhead};
use pages::texts::ENGLISH;
use pages::{Confirmation, Form};
use partner_accounts::{ProfileAmendment, ProfileInput};

use super::audited;
use super::policy_form::{self, SentPolicy};
use crate::account::profile_error;
use crate::forms::submit::{kept_form_token, new_form_token};
use crate::forms::{Done, FormError, FormFields, PageError, check_version, submit};
use crate::page::{confirming, render_with, run_blocking};
use crate::planned_numbers::numbers;
use crate::routing::{self, Routes};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/settings/communications";
/// How many days ahead planned reminders are shown.
const DAYS: u16 = 60;
/// How many planned messages are shown.
const MAX_SHOWN: usize = 25;
/// With more open invoices than this, the plan takes too long to compute.
const MAX_INVOICES: usize = 5_000;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::form_page(PATH, show, send));
}

async fn show(caller: SessionCaller, http: HttpRequest) -> Result<HttpResponse, PageError> {
    let mut values = values(&caller).await?;
    values.push(("version".to_owned(), Version::of(&values).as_str().to_owned()));
    respond(&caller, &http, Form::new(new_form_token(caller.state()), values), StatusCode::OK).await
}

/// The form's values for the current policy.
async fn values(caller: &SessionCaller) -> Result<Vec<(String, String)>, PageError> {
    let facts = facts(caller).await?;
    let days = caller.state().promise_limits.promise_days(caller.scope().id).await?.unwrap_or_default();
    Ok(policy_form::values(&facts.policy, &facts.zone, days))
}

async fn facts(caller: &SessionCaller) -> Result<AccountFacts, PageError> {
    let state = caller.state();
    let found = state.reminders.reminder_reads.account(caller.scope().id, state.clock.now()).await?;
    found.ok_or_else(PageError::not_found)
}

async fn respond(
    caller: &SessionCaller,
    http: &HttpRequest,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let facts = facts(caller).await?;
    let planned = planned(caller).await?;
    let settings = CommunicationsSettings {
        company: caller.company_name().to_owned(),
        is_on: facts.is_on,
        backlog: state.reminders.backlog(account).await?,
        takes_replies: state.inbound_access.domain.is_some(),
        sends_texts: state.inbound_access.sends_texts,
        language_model_host: state.inbound_access.language_model_host.clone(),
        owner: caller.login().as_str().to_owned(),
        previews: previews(caller).await?,
        planned,
        time_zone: facts.zone,
        policy: facts.policy,
    };
    let urls = state.urls.clone();
    let make = move || CommunicationsSettingsPage::new(&settings, &form, &urls);
    Ok(render_with(status, http, make).await?)
}

/// The planned reminders. For an account with many open invoices they are not computed.
async fn planned(caller: &SessionCaller) -> Result<PlannedAhead, PageError> {
    let (reminders, account) = (&caller.state().reminders, caller.scope().id);
    let Some(outlook) = reminders.outlook(account, DAYS, MAX_INVOICES).await? else {
        return Ok(PlannedAhead::Many);
    };
    let (messages, more) = run_blocking(move || outlook.messages(MAX_SHOWN)).await?;
    let numbers = numbers(caller, &messages).await?;
    Ok(PlannedAhead::Messages { messages, more, numbers })
}

/// A reminder of the newest open invoice in each tone.
async fn previews(caller: &SessionCaller) -> Result<Vec<ReminderPreview>, PageError> {
    let state = caller.state();
    let Some(invoice) = state.reminders.preview_invoice(caller.scope().id).await? else {
        return Ok(Vec::new());
    };
    let can_reply = state.inbound_access.domain.is_some();
    let mut previews = Vec::new();
    for tone in Tone::ALL {
        previews.push(state.reminders.preview(&invoice, tone, can_reply, &state.urls).await?);
    }
    Ok(previews)
}

async fn send(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let state = caller.state();
    let model_host = state.inbound_access.language_model_host.as_deref();
    let sent = submit(state, caller.scope().id, PATH, &fields, async || {
        let done = match fields.action() {
            "start" => {
                save(&caller, &fields, policy_form::read(&fields, true, model_host)?).await?;
                Confirmation::RemindersStarted
            }
            "stop" => {
                let change = PolicyChange { started: Some(false), ..PolicyChange::default() };
                change_policy(&caller, &change).await?;
                Confirmation::RemindersStopped
            }
            "test" => {
                send_test(&caller, &fields).await?;
                Confirmation::TestSent
            }
            _ => {
                save(&caller, &fields, policy_form::read(&fields, false, model_host)?).await?;
                Confirmation::Saved
            }
        };
        Ok(Done::SeeOther(confirming(&state.urls.page(PATH), done)))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let faults = error.into_faults()?;
            let form = Form::refused(kept_form_token(state, &fields), fields.into_values(), faults);
            respond(&caller, &http, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// Saves the submitted values. Starting reminders comes last, so that they use the confirmed time zone.
async fn save(caller: &SessionCaller, form: &FormFields, sent: SentPolicy) -> Result<(), FormError> {
    let (state, scope) = (caller.state(), caller.scope());
    check_version(form, &Version::of(&values(caller).await?))?;
    if let Some(zone) = sent.time_zone.filter(|zone| *zone != scope.time_zone) {
        let fields = ProfileInput { timezone: Field::Value(zone), ..ProfileInput::default() };
        let amendment = ProfileAmendment { fields, ..ProfileAmendment::default() };
        let amended = state.own_accounts.amend_profile(scope.id, amendment, FieldErrors::default()).await;
        amended.map_err(profile_error)?;
    }
    if let Some(days) = sent.promise_days {
        state.promise_limits.set_promise_days(scope.id, days).await?;
    }
    change_policy(caller, &sent.change).await
}

async fn change_policy(caller: &SessionCaller, change: &PolicyChange) -> Result<(), FormError> {
    let before = facts(caller).await?.policy;
    let after = change.applied_to(&before, caller.state().clock.now());
    let reminders = caller.audited(audited::policy_changed(change, &before, &after)).reminders;
    reminders.change_policy(caller.scope().id, change).await?;
    Ok(())
}

async fn send_test(caller: &SessionCaller, fields: &FormFields) -> Result<(), FormError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let tone = match fields.get("tone") {
        "" => Tone::Friendly,
        text => Tone::parse(text).map_err(|fault| FieldErrors::one("tone", fault))?,
    };
    let invoice = state.reminders.preview_invoice(account).await?;
    let invoice = invoice.ok_or_else(|| PageError::conflict(ENGLISH.communications.test_needs_invoice))?;
    let can_reply = state.inbound_access.domain.is_some();
    let preview = state.reminders.preview(&invoice, tone, can_reply, &state.urls).await?;
    state.reminders.send_test(account, caller.login(), &preview).await?;
    Ok(())
}
