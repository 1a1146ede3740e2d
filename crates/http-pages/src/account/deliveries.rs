//! `/dashboard/webhooks/deliveries`: the deliveries to the account's endpoints, and the responses.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, REFRESH};
use kernel::{Cursor, Field, FieldErrors, FieldSource as _, Id, Named as _, TimeZone};
use pages::texts::ENGLISH;
use pages::{BulkReplayPage, DeliveryDetail, DeliveryList, Form};
use time::{Date, Duration};
use webhooks::replay::ReplayError;
use webhooks::{DeliveryFilter, DeliveryPage, DeliveryState, EventName};

use super::errors::unknown_button;
use super::lists::{LIST_SIZE, links};
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::list_cursor;
use crate::page::{render, render_with};
use crate::routing::{Routes, form_page, page, path_id};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/webhooks/deliveries";

/// How long the browser reloads the page of a replay automatically.
const REFRESHED_FOR: Duration = Duration::minutes(2);

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(form_page(PATH, list, replay_many))
        .service(form_page("/dashboard/webhooks/deliveries/{id}", show, replay))
        .service(page("/dashboard/webhooks/replays/{id}", progress));
}

async fn list(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), Vec::new());
    list_with(&caller, &http, form).await
}

/// The list, with a form that replays all abandoned deliveries.
async fn list_with(caller: &SessionCaller, http: &HttpRequest, replay: Form) -> PageResult {
    let (state, scope, query) = (caller.state(), caller.scope(), FormFields::of_query(http)?);
    let cursor_scope = format!("dashboard/deliveries/{}", scope.id);
    let (filter, faults) = read_filter(&query, &scope.time_zone);
    let after = list_cursor::start((&state.cursors, &state.links), (PATH, &cursor_scope), &query)?;
    let after = after.map(|cursor| Id::from_uuid(cursor.after));
    let found = if faults.is_empty() {
        state.webhooks.deliveries(scope.id, DeliveryFilter { after, ..filter }).await?
    } else {
        DeliveryPage { items: Vec::new(), next: None }
    };
    let endpoints = state.webhooks.endpoints.list(scope.id).await?.unwrap_or_default();
    let is_listed = |id| endpoints.iter().any(|endpoint| endpoint.id == id);
    let unlisted = filter.endpoint.filter(|id| !is_listed(*id));
    if faults.is_empty() && found.items.is_empty() && unlisted.is_some() {
        // A deleted endpoint is not listed any more, but its deliveries are, as far as the filter lets them.
        let all = DeliveryFilter { endpoint: unlisted, ..DeliveryFilter::newest(1) };
        if state.webhooks.deliveries(scope.id, all).await?.items.is_empty() {
            return Err(PageError::not_found());
        }
    }
    let cursor = found.next.map(|next| state.cursors.seal(&cursor_scope, Cursor { after: next.uuid() }));
    let links = links(&state.links, PATH, &query, cursor);
    let is_faulty = !faults.is_empty() || replay.has_faults();
    let status = if is_faulty { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let form = Form::refused(String::new(), query.into_values(), faults);
    let (urls, zone) = (state.links.clone(), scope.time_zone.clone());
    let company = caller.company_name().to_owned();
    let page = move || {
        let list = DeliveryList::new(&company, &found.items, &endpoints, &form, &zone, links, &urls);
        list.offering_replay(&replay)
    };
    Ok(render_with(status, http, page).await?)
}

fn read_filter(query: &FormFields, zone: &TimeZone) -> (DeliveryFilter, FieldErrors) {
    let mut reader = FormReader::new(query);
    let endpoint = reader.id("endpoint").value();
    let event = reader.text("event", |text| EventName::parse(text.trim()).ok_or("must be one of the list"));
    let state = reader.text("state", |text| {
        DeliveryState::parse(text.trim()).map_err(|_unknown| "must be one of the list")
    });
    let (from, to) = (reader.date("from"), reader.date("to"));
    if let (Field::Value(from), Field::Value(to)) = (&from, &to)
        && to < from
    {
        reader.fault("to", "must not be before the first day");
    }
    let behind = |day: Date| day.next_day().map(|next| zone.start_of(next));
    let filter = DeliveryFilter {
        endpoint,
        event: event.value(),
        state: state.value(),
        from: from.value().map(|day| zone.start_of(day)),
        before: to.value().and_then(behind),
        ..DeliveryFilter::newest(u32::try_from(LIST_SIZE.get()).unwrap_or(u32::MAX))
    };
    (filter, reader.into_faults())
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, id) = (caller.state(), path_id(&http)?);
    let shown = state.webhooks.delivery(caller.scope().id, id).await?;
    let shown = shown.ok_or_else(PageError::not_found)?;
    let (urls, form_token, zone) =
        (state.links.clone(), new_form_token(state, caller.scope().id), caller.scope().time_zone.clone());
    let company = caller.company_name().to_owned();
    let page = move || DeliveryDetail::new(&company, &shown, form_token, &zone, &urls);
    Ok(render(&http, page).await?)
}

async fn replay(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account, id) = (caller.state(), caller.scope().id, path_id(&http)?);
    let replayed = submit(state, account, http.path(), &fields, async || {
        if fields.action() != "replay" {
            return Err(unknown_button().into());
        }
        state.webhooks.delivery(account, id).await?.ok_or_else(PageError::not_found)?;
        let made = state.webhooks.replay_own(account, id).await.map_err(|error| match error {
            ReplayError::NotFinished => PageError::conflict(
                "This delivery is still pending and is attempted automatically. It can be replayed once it has ended.",
            ),
            ReplayError::EndpointOff => PageError::conflict(
                "The endpoint of this delivery is disabled or deleted. Enable it first, or add it again.",
            ),
            ReplayError::Store(error) => error.into(),
        })?;
        Ok::<_, FormError>(Done::SeeOther(state.links.page(format_args!("{PATH}/{}", made.id))))
    });
    Ok(replayed.await?)
}

/// Starts a replay of all deliveries abandoned since a day, and redirects to the page with its progress.
async fn replay_many(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, scope) = (caller.state(), caller.scope());
    let begun = submit(state, scope.id, http.path(), &fields, async || {
        if fields.action() != "replay_abandoned" {
            return Err(unknown_button().into());
        }
        let since = scope.time_zone.start_of(FormReader::required_date(&fields, "since")?);
        let begun = state.webhooks.begin_bulk_replay(scope.id, since).await?;
        let nothing = || FieldErrors::one("since", ENGLISH.account.nothing_abandoned);
        let replay = begun.ok_or_else(nothing)?;
        let path = format_args!("/dashboard/webhooks/replays/{replay}");
        Ok::<_, FormError>(Done::SeeOther(state.links.page(path)))
    });
    match begun.await {
        Ok(response) => Ok(response),
        Err(refused) => {
            let form = fields.shown_again(state, caller.scope().id, refused)?;
            list_with(&caller, &http, form).await
        }
    }
}

/// Shows the progress of a bulk replay. The browser reloads the page automatically for a while.
async fn progress(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, scope) = (caller.state(), caller.scope());
    let id = path_id(&http)?;
    let replay = state.webhooks.bulk_replay(scope.id, id).await?.ok_or_else(PageError::not_found)?;
    let is_recent = state.clock.now() < replay.requested_at.saturating_add(REFRESHED_FOR);
    let is_refreshed = replay.finished_at.is_none() && is_recent;
    let (company, zone) = (caller.company_name().to_owned(), scope.time_zone.clone());
    let urls = state.links.clone();
    let page = move || BulkReplayPage::new(&company, &replay, is_refreshed, &zone, &urls);
    let mut response = render(&http, page).await?;
    if is_refreshed {
        response.headers_mut().insert(REFRESH, HeaderValue::from_static("5"));
    }
    Ok(response)
}
