//! `/dashboard/settings/communications`: the reminder policy.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use communications::{
    AccountFacts, ChangeReminderSettingsError, PolicyChange, ReminderPreview, ReminderSettings,
    ReminderSettingsChange, Tone,
};
use contacts::Contact;
use http_server::ApiError;
use invoices::Invoice;
use kernel::{FieldErrors, Named as _, Version};
use pages::communications::{CommunicationsSettings, CommunicationsSettingsPage, PlannedAhead};
use pages::texts::ENGLISH;
use pages::{Confirmation, Form};

use super::policy_form;
use crate::audit;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, sent_version, submit};
use crate::page::{render_with, run_blocking};
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

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let values = values(&caller).await?;
    respond(
        &caller,
        &http,
        Form::new(new_form_token(caller.state(), caller.scope().id), values),
        StatusCode::OK,
    )
    .await
}

/// The form's values for the current settings, with their version.
async fn values(caller: &SessionCaller) -> Result<Vec<(String, String)>, PageError> {
    let facts = facts(caller).await?;
    let days = caller.state().promise_limits.promise_days(caller.scope().id).await?;
    let settings = ReminderSettings { policy: facts.policy, time_zone: facts.zone, promise_days: days };
    let mut values = policy_form::values(&settings);
    values.push(("version".to_owned(), settings.version().as_str().to_owned()));
    Ok(values)
}

async fn facts(caller: &SessionCaller) -> Result<AccountFacts, PageError> {
    let state = caller.state();
    let found = state.reminders.reminder_reads.account(caller.scope().id, state.clock.now()).await?;
    found.ok_or_else(PageError::not_found)
}

async fn respond(caller: &SessionCaller, http: &HttpRequest, form: Form, status: StatusCode) -> PageResult {
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
    let urls = state.links.clone();
    let make = move || CommunicationsSettingsPage::new(&settings, &form, &urls);
    Ok(render_with(status, http, make).await?)
}

/// The planned reminders. For an account with many open invoices they are not computed.
async fn planned(caller: &SessionCaller) -> Result<PlannedAhead, PageError> {
    let (reminders, account) = (&caller.state().reminders, caller.scope().id);
    let Some(forecast) = reminders.account_forecast(account, DAYS, MAX_INVOICES).await? else {
        return Ok(PlannedAhead::Many);
    };
    let (messages, more) = run_blocking(move || forecast.messages(MAX_SHOWN)).await?;
    let numbers = numbers(caller, &messages).await?;
    Ok(PlannedAhead::Messages { messages, more, numbers })
}

/// A reminder of the newest open invoice in each tone.
async fn previews(caller: &SessionCaller) -> Result<Vec<ReminderPreview>, PageError> {
    let state = caller.state();
    let Some((invoice, contact)) = example(caller).await? else {
        return Ok(Vec::new());
    };
    let can_reply = state.inbound_access.domain.is_some();
    let mut previews = Vec::new();
    for tone in Tone::ALL {
        let shown = (&invoice, contact.as_ref());
        previews.push(state.reminders.preview(shown, tone, can_reply, &state.public_urls).await?);
    }
    Ok(previews)
}

/// The newest open invoice, and its contact as that is now.
async fn example(caller: &SessionCaller) -> Result<Option<(Invoice, Option<Contact>)>, PageError> {
    let state = caller.state();
    let Some(invoice) = state.reminders.preview_invoice(caller.scope().id).await? else {
        return Ok(None);
    };
    let contact = match &invoice.contact {
        Some(of_invoice) => Some(crate::invoicing::contact(caller, of_invoice.id).await?),
        None => None,
    };
    Ok(Some((invoice, contact)))
}

async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let state = caller.state();
    let model_host = state.inbound_access.language_model_host.as_deref();
    let sent = submit(state, caller.scope().id, PATH, &fields, async || {
        let done = match fields.action() {
            "start" => {
                let change = policy_form::read(&fields, true, model_host)?;
                save(&caller, &change, sent_version(&fields)).await?;
                Confirmation::RemindersStarted
            }
            "stop" => {
                let change = PolicyChange { started: Some(false), ..PolicyChange::default() };
                save(&caller, &change.into(), None).await?;
                Confirmation::RemindersStopped
            }
            "test" => {
                send_test(&caller, &fields).await?;
                Confirmation::TestSent
            }
            _ => {
                let change = policy_form::read(&fields, false, model_host)?;
                save(&caller, &change, sent_version(&fields)).await?;
                Confirmation::Saved
            }
        };
        Ok(Done::confirmed(&state.links, PATH, done))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let form = fields.shown_again(state, caller.scope().id, error)?;
            respond(&caller, &http, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// Changes the settings that still have this version.
async fn save(
    caller: &SessionCaller,
    change: &ReminderSettingsChange,
    version: Option<Version>,
) -> Result<(), FormError> {
    let reminders = caller.audited(audit::communications::settings_changed(&change.policy)).reminders;
    let changed = reminders.change_settings(caller.scope().id, change, version.as_ref()).await;
    changed.map(drop).map_err(|error| match error {
        ChangeReminderSettingsError::Changed => PageError::changed(caller.state().links.page(PATH)).into(),
        ChangeReminderSettingsError::NotFound => PageError::not_found().into(),
        ChangeReminderSettingsError::Store(error) => error.into(),
    })
}

async fn send_test(caller: &SessionCaller, fields: &FormFields) -> Result<(), FormError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let tone = match fields.get("tone") {
        "" => Tone::Friendly,
        // Only a form that was tampered with is refused here. The page of the policy would show it empty.
        text => Tone::parse(text).map_err(|fault| ApiError::invalid(FieldErrors::one("tone", fault)))?,
    };
    let example = example(caller).await?;
    let (invoice, contact) =
        example.ok_or_else(|| PageError::conflict(ENGLISH.communications.test_needs_invoice))?;
    // The test has no reply address: an answer would be one of no customer.
    let shown = (&invoice, contact.as_ref());
    let preview = state.reminders.preview(shown, tone, false, &state.public_urls).await?;
    state.reminders.send_test(account, caller.login(), &preview).await?;
    Ok(())
}
