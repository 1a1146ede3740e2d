//! `/dashboard/escalations`: the account's escalations.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use escalations::{
    EscalationId, EscalationPosition, EscalationStatus, Notes, ResolutionOutcome, ResolveError,
};
use kernel::page::ForeignCursor;
use kernel::{Cursor, FieldErrors, FieldSource as _, Id, Named as _};
use pages::{Confirmation, EscalationDetail, EscalationList, Form, ShownEscalation};

use super::lists::{LIST_SIZE, links};
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::list_cursor;
use crate::page::{render, render_with};
use crate::routing::{Routes, form_post, page, path_id};
use crate::session_caller::SessionCaller;

const PATH: &str = "/dashboard/escalations";

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(page(PATH, list))
        .service(page("/dashboard/escalations/{id}", show))
        .service(form_post("/dashboard/escalations/{id}/resolve", resolve));
}

async fn list(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, query) = (caller.state(), FormFields::of_query(&http)?);
    let after = match query.get("cursor") {
        "" => None,
        text => {
            let found = position(&caller, text);
            Some(found.map_err(|_foreign| list_cursor::foreign(&state.links, PATH, &query))?)
        }
    };
    let found = state.escalation_reader.list(caller.scope(), LIST_SIZE, after).await?;
    let cursor = found.next.map(|next| sealed(&caller, next));
    let links = links(&state.links, PATH, &query, cursor);
    let (urls, zone) = (state.links.clone(), caller.scope().time_zone.clone());
    let company = caller.company_name().to_owned();
    let page = move || EscalationList::new(&company, &found.items, &zone, links, &urls);
    Ok(render(&http, page).await?)
}

/// The scope of the cursors of one part of the list.
fn cursor_scope(caller: &SessionCaller, status: EscalationStatus) -> String {
    format!("dashboard/escalations/{}/{}", status.as_str(), caller.scope().id)
}

fn sealed(caller: &SessionCaller, next: EscalationPosition) -> String {
    let cursor = Cursor { after: next.after.uuid() };
    caller.state().cursors.seal(&cursor_scope(caller, next.status), cursor)
}

fn position(caller: &SessionCaller, text: &str) -> Result<EscalationPosition, ForeignCursor> {
    let open = |status| {
        let cursor = caller.state().cursors.open(&cursor_scope(caller, status), text)?;
        Ok(EscalationPosition { status, after: Id::from_uuid(cursor.after) })
    };
    open(EscalationStatus::Open).or_else(|_foreign: ForeignCursor| open(EscalationStatus::Resolved))
}

async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let shown = look_up(&caller, path_id(&http)?).await?;
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), Vec::new());
    respond(StatusCode::OK, &caller, &http, shown, form).await
}

/// Reads the escalation with the number of its invoice, and with the name, e-mail address and phone number of
/// its contact.
async fn look_up(caller: &SessionCaller, id: EscalationId) -> Result<ShownEscalation, PageError> {
    let (state, scope) = (caller.state(), caller.scope());
    let mut shown = ShownEscalation {
        escalation: state.escalation_reader.get(scope, id).await?,
        invoice_number: None,
        contact_name: None,
        contact_email: None,
        contact_phone: None,
    };
    if let Some(id) = shown.escalation.invoice {
        let invoice = state.escalations.invoices.get(scope.id, id).await?;
        shown.invoice_number = invoice.map(|invoice| invoice.number.to_string());
    }
    if let Some(id) = shown.escalation.contact
        && let Some(contact) = state.escalations.contacts.get(scope.id, id).await?
    {
        shown.contact_name = Some(contact.name.to_string());
        shown.contact_email = contact.email.map(|email| email.to_string());
        shown.contact_phone = contact.phone.map(|phone| phone.to_string());
    }
    Ok(shown)
}

async fn respond(
    status: StatusCode,
    caller: &SessionCaller,
    http: &HttpRequest,
    shown: ShownEscalation,
    form: Form,
) -> PageResult {
    let (urls, zone) = (caller.state().links.clone(), caller.scope().time_zone.clone());
    let company = caller.company_name().to_owned();
    let page = move || EscalationDetail::new(&company, &shown, &form, &zone, &urls);
    Ok(render_with(status, http, page).await?)
}

async fn resolve(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account, id) = (caller.state(), caller.scope().id, path_id(&http)?);
    let resolved = submit(state, account, http.path(), &fields, async || {
        let (outcome, notes) = read(&fields)?;
        let page = || state.links.page(format_args!("{PATH}/{id}"));
        let resolving = state.escalations.resolve(account, id, outcome, notes).await;
        resolving.map_err(|error| to_form_error(error, page))?;
        Ok(Done::confirmed(&state.links, format_args!("{PATH}/{id}"), Confirmation::EscalationResolved))
    });
    let error = match resolved.await {
        Ok(response) => return Ok(response),
        Err(error) => error,
    };
    let form = fields.shown_again(state, account, error)?;
    let shown = look_up(&caller, id).await?;
    respond(StatusCode::UNPROCESSABLE_ENTITY, &caller, &http, shown, form).await
}

fn read(fields: &FormFields) -> Result<(ResolutionOutcome, Option<Notes>), FieldErrors> {
    let mut reader = FormReader::new(fields);
    let outcome = reader.text("outcome", |text| ResolutionOutcome::parse(text.trim()));
    let notes = reader.text("notes", Notes::parse);
    if outcome.is_missing() {
        reader.fault("outcome", "is required");
    }
    let faults = reader.into_faults();
    match outcome.value() {
        Some(outcome) if faults.is_empty() => Ok((outcome, notes.value())),
        _ => Err(faults),
    }
}

fn to_form_error(error: ResolveError, page: impl FnOnce() -> String) -> FormError {
    match error {
        ResolveError::NotFound => PageError::not_found().into(),
        ResolveError::AlreadyResolved(_) => {
            let resolved =
                PageError::conflict("This escalation was resolved already. Open it again to see how.");
            resolved.with_link(page(), "Open the escalation").into()
        }
        ResolveError::Store(error) => error.into(),
    }
}
