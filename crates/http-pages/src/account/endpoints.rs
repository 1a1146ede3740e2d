//! `/dashboard/settings/webhooks`: the account's endpoints.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use http_server::{ApiError, ErrorCode};
use kernel::{FieldErrors, FieldSource as _, HttpsUrl, Id, PublicUrls};
use pages::{Confirmation, Form, SecretPage, WebhooksPage};
use webhooks::register::EndpointError;
use webhooks::{
    EndpointChange, EndpointId, NewEndpoint, Subscriptions, SubscriptionsFault, TestDeliveryError,
};

use super::errors::unknown_button;
use crate::audit;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::routing::{Routes, form_page};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/settings/webhooks";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(form_page(PATH, show, send));
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), Vec::new());
    respond(StatusCode::OK, &caller, &http, form).await
}

async fn respond(status: StatusCode, caller: &SessionCaller, http: &HttpRequest, form: Form) -> PageResult {
    let (state, account) = (caller.state().clone(), caller.scope().id);
    let endpoints = state.webhooks.endpoints(account).await.map_err(to_page_error)?;
    let zone = caller.scope().time_zone.clone();
    let company = caller.company_name().to_owned();
    let page = move || {
        let new_token = || new_form_token(&state, account);
        WebhooksPage::new(&company, &endpoints, &form, new_token, &zone, &state.links)
    };
    Ok(render_with(status, http, page).await?)
}

async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    if fields.action() != "test" {
        caller.require_recent_authentication()?;
    }
    let (state, account) = (caller.state(), caller.scope().id);
    let done = submit(state, account, http.path(), &fields, async || match fields.action() {
        "add" | "" => add(&caller, &http, &fields).await,
        "enable" => change(&caller, &fields, EndpointChange::Enable).await,
        "disable" => change(&caller, &fields, EndpointChange::Disable).await,
        "delete" => change(&caller, &fields, EndpointChange::Delete).await,
        "test" => test(&caller, &fields).await,
        _ => Err(unknown_button().into()),
    });
    let error = match done.await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let form = fields.shown_again(state, account, error)?;
    respond(StatusCode::UNPROCESSABLE_ENTITY, &caller, &http, form).await
}

async fn add(caller: &SessionCaller, http: &HttpRequest, fields: &FormFields) -> Result<Done, FormError> {
    let (state, account, new) = (caller.state(), caller.scope().id, read(fields)?);
    let webhooks = caller.audited(audit::endpoints::added(&new)).webhooks;
    let (endpoint, secret) = webhooks.register(account, new).await.map_err(|error| match error {
        EndpointError::Target(refused) => FormError::Faults(FieldErrors::one("url", refused)),
        full @ (EndpointError::TooManyEnabled | EndpointError::TooMany) => {
            FormError::Faults(FieldErrors::one("url", format_args!("cannot be added: {full}")))
        }
        other => to_page_error(other).into(),
    })?;
    let (company, urls) = (caller.company_name().to_owned(), state.links.clone());
    let page = move || SecretPage::signing_secret(&company, endpoint.url.as_str(), secret.reveal(), &urls);
    Ok(Done::ShownOnce(render(http, page).await?))
}

fn read(fields: &FormFields) -> Result<NewEndpoint, FormError> {
    let mut reader = FormReader::new(fields);
    let url = reader.text("url", |text| HttpsUrl::parse(text.trim()));
    if url.is_missing() {
        reader.fault("url", "is required");
    }
    let events = match Subscriptions::parse(fields.all("events")) {
        Ok(events) => Some(events),
        Err(none @ SubscriptionsFault::None) => {
            reader.fault("events", none);
            None
        }
        // The pages never send an unknown event.
        Err(unknown @ SubscriptionsFault::Unknown(_)) => {
            return Err(ApiError::invalid(FieldErrors::one("events", unknown)).into());
        }
    };
    match (url.value(), events) {
        (Some(url), Some(events)) => Ok(NewEndpoint { url, events }),
        _ => Err(reader.into_faults().into()),
    }
}

/// A form of a page that was opened before its endpoint was deleted, or of no page of the account.
fn no_endpoint(urls: &PublicUrls) -> PageError {
    let error = PageError::new(ErrorCode::NotFound, "There is no such endpoint. It may have been deleted.");
    error.with_link(urls.page(PATH), "Open the endpoints")
}

fn endpoint_of(fields: &FormFields) -> Result<EndpointId, PageError> {
    Id::parse(fields.get("endpoint")).ok_or_else(PageError::not_found)
}

async fn change(
    caller: &SessionCaller,
    fields: &FormFields,
    change: EndpointChange,
) -> Result<Done, FormError> {
    let (state, id) = (caller.state(), endpoint_of(fields)?);
    let account = caller.scope().id;
    let endpoints = state.webhooks.endpoints(account).await.map_err(to_page_error)?;
    let endpoint = endpoints.iter().find(|endpoint| endpoint.id == id);
    let endpoint = endpoint.ok_or_else(|| no_endpoint(&state.links))?;
    let done = match change {
        EndpointChange::Enable => Confirmation::EndpointEnabled,
        EndpointChange::Disable => Confirmation::EndpointDisabled,
        EndpointChange::Delete => Confirmation::EndpointDeleted,
    };
    let webhooks = caller.audited(audit::endpoints::changed(endpoint, change)).webhooks;
    webhooks.change(account, id, change).await.map_err(to_page_error)?;
    Ok(Done::confirmed(&state.links, PATH, done))
}

async fn test(caller: &SessionCaller, fields: &FormFields) -> Result<Done, FormError> {
    let (state, id) = (caller.state(), endpoint_of(fields)?);
    let made = state.webhooks.test(caller.scope().id, id, &state.public_urls).await;
    let delivery = made.map_err(|error| match error {
        TestDeliveryError::NotFound => no_endpoint(&state.links),
        TestDeliveryError::EndpointOff => {
            PageError::conflict("The endpoint is disabled. Enable it first, then send the test.")
        }
        TestDeliveryError::Store(error) => error.into(),
    })?;
    Ok(Done::SeeOther(state.links.page(format_args!("/dashboard/webhooks/deliveries/{delivery}"))))
}

fn to_page_error(error: EndpointError) -> PageError {
    match error {
        EndpointError::NoAccount | EndpointError::NotFound => PageError::not_found(),
        full @ (EndpointError::TooManyEnabled | EndpointError::TooMany) => {
            PageError::conflict(format!("Not done: {full}."))
        }
        EndpointError::Target(refused) => PageError::new(ErrorCode::ValidationError, refused.to_string()),
        EndpointError::Store(error) => error.into(),
    }
}
