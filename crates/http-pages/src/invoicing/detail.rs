//! `/dashboard/invoices/{id}` and its PDF.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use communications::NextReminder;
use http_server::{ApiError, pdf_response};
use invoices::{Invoice, PdfError};
use kernel::clock;
use pages::Form;
use pages::communications::ShownReminders;
use pages::invoicing::{InvoicePage, ShownInvoice};

use super::form_contact;
use crate::forms::submit::{kept_form_token, new_form_token};
use crate::forms::{FormError, FormFields, PageError, PageResult};
use crate::page::{put_headers, render_with, run_blocking};
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let invoice = load(&caller, &http).await?;
    let values = initial_values(&caller, &invoice);
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), values);
    show_with(&caller, &http, invoice, form, StatusCode::OK).await
}

/// The values of the form for a payment before the owner changes them. The page's other forms have none.
fn initial_values(caller: &SessionCaller, invoice: &Invoice) -> Vec<(String, String)> {
    let values = [
        ("amount", invoice.amount_due().to_string()),
        ("method", "bank_transfer".to_owned()),
        ("received_at", clock::date_text(caller.today())),
    ];
    values.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

pub(super) async fn pdf(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let pdf = caller.state().pdfs.pdf(caller.scope(), path_id(&http)?).await;
    let pdf = pdf.map_err(|error| match error {
        PdfError::Read(error) => PageError::from(error),
        PdfError::Document(error) => ApiError::internal(error).into(),
    })?;
    let mut response = pdf_response(pdf.number.as_str(), pdf.bytes);
    put_headers(response.headers_mut(), None);
    Ok(response)
}

/// The response to a form of the invoice's page: the form's own response, or the page with its faults.
pub(crate) async fn respond_to_form(
    caller: &SessionCaller,
    http: &HttpRequest,
    fields: FormFields,
    sent: Result<HttpResponse, FormError>,
) -> PageResult {
    let faults = match sent {
        Ok(response) => return Ok(response),
        Err(error) => error.into_faults()?,
    };
    let invoice = load(caller, http).await?;
    let form_token = kept_form_token(caller.state(), caller.scope().id, &fields)?;
    let values = fields.into_values_with(initial_values(caller, &invoice));
    let form = Form::refused(form_token, values, faults);
    show_with(caller, http, invoice, form, StatusCode::UNPROCESSABLE_ENTITY).await
}

async fn show_with(
    caller: &SessionCaller,
    http: &HttpRequest,
    invoice: Invoice,
    form: Form,
    status: StatusCode,
) -> PageResult {
    let state = caller.state().clone();
    let mut timeline = state.timelines.of(caller.scope(), &invoice).await?;
    let time_zone = caller.scope().time_zone.clone();
    let online = state.online.reads.of_invoice(invoice.account, invoice.id).await?;
    timeline.extend(online.timeline());
    timeline.sort_by_key(|entry| entry.at);
    let (charges, reversals) = (online.charges, online.reversals);
    let reminders = reminders(caller, &invoice).await?;
    let contact = form_contact::of_draft(caller, &invoice).await?;
    let (today, sends_mail) = (caller.today(), caller.scope().communications_enabled);
    let shown = ShownInvoice {
        invoice,
        contact,
        timeline,
        charges,
        reversals,
        time_zone,
        today,
        reminders,
        sends_mail,
        form,
    };
    let company = caller.company_name().to_owned();
    let make = move || InvoicePage::new(&shown, &company, &state.links);
    Ok(render_with(status, http, make).await?)
}

/// The reminders of an invoice, if it has a contact and can be paid.
async fn reminders(caller: &SessionCaller, invoice: &Invoice) -> Result<Option<ShownReminders>, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let Some(contact) = invoice.contact.as_ref().filter(|_| invoice.status.is_payable()) else {
        return Ok(None);
    };
    let facts = state.reminders.reminder_reads.account(account, state.clock.now()).await?;
    let id = invoice.id;
    let next = match state.reminders.forecast_of_contact(account, contact.id, id).await? {
        Some(forecast) => run_blocking(move || forecast.next_of(id)).await?,
        None => NextReminder::default(),
    };
    Ok(Some(ShownReminders {
        is_started: facts.is_some_and(|facts| facts.policy.started_at.is_some()),
        next,
        paused: state.reminders.reminder_reads.paused(account, invoice.id).await?,
        why: state.reminders.why(account, invoice.id).await?,
    }))
}

/// The account's invoice that the path names.
pub(crate) async fn load(caller: &SessionCaller, http: &HttpRequest) -> Result<Invoice, PageError> {
    Ok(caller.state().invoicing.get(caller.scope(), path_id(http)?).await?)
}
