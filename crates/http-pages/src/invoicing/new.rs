//! `/dashboard/invoices/new`.

use actix_web::HttpRequest;
use http_server::ApiError;
use idempotency::{IdempotentOperation, IdempotentResponse, Ticket};
use invoices::{CreateInvoiceError, Invoice, InvoiceId};
use kernel::{FieldErrors, Id, clock};
use pages::Form;
use pages::invoicing::{Editing, InvoiceFormPage, contact_of_new};

use super::contact_list::form_account;
use super::edit::show_again;
use super::form_contact;
use super::invoice_fields::{Action, InvoiceFields};
use crate::audit;
use crate::forms::submit::{acted, id_response, ticket};
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::lasting_form_token::lasting_form_token;
use crate::page::render;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, scope) = (caller.state().clone(), caller.scope());
    let query = FormFields::of_query(&http)?;
    let mut values = match query.get("contact") {
        "" => Vec::new(),
        id => {
            let id = Id::parse(id).ok_or_else(PageError::not_found)?;
            let found = state.contacts.get(scope, id).await;
            contact_of_new(&found.map_err(super::contact::to_page_error)?)
        }
    };
    values.push(("invoice_date".to_owned(), clock::date_text(caller.today())));
    values.push(("currency".to_owned(), scope.currency.code().to_owned()));
    let form = Form::new(lasting_form_token(&state, caller.scope().id, &http)?, values);
    let account = form_account(&caller).await?;
    let make = move || InvoiceFormPage::new(&form, 1, Editing::New, &account, &state.links);
    Ok(render(&http, make).await?)
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let action = match Action::read(&fields) {
        Ok(action) if action.is_about_lines() => {
            let shown = InvoiceFields::with_lines_changed(&fields, action).map_err(FormError::from)?;
            return show_again(&caller, &http, None, shown, FieldErrors::default()).await;
        }
        Ok(action) => action,
        Err(faults) => {
            let filled = InvoiceFields::filled(&fields).map_err(FormError::from)?;
            return show_again(&caller, &http, None, filled, faults).await;
        }
    };
    let filled = InvoiceFields::filled(&fields).map_err(FormError::from)?;
    let state = caller.state();
    let mut with_contact = None;
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        with_contact = form_contact::changed(&caller, &filled).await?;
        if with_contact.is_some() {
            return Err(form_contact::changed_fault().into());
        }
        let ticket = ticket(state, IdempotentOperation::CREATE_INVOICE, http.path(), &fields)?;
        let invoice = create(&caller, &filled, action, &ticket).await?;
        Ok(Done::SeeOther(state.links.page(format_args!("/dashboard/invoices/{invoice}"))))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let shown = filled.with_fields(with_contact);
            show_again(&caller, &http, None, shown, error.into_faults()?).await
        }
    }
}

/// Creates the invoice, once for each ticket, and returns its id.
pub(super) async fn create(
    caller: &SessionCaller,
    form: &InvoiceFields,
    action: Action,
    ticket: &Ticket,
) -> Result<InvoiceId, FormError> {
    let (input, mut faults) = form.read(action);
    faults.add_all(form_contact::old_address(caller, &form.fields, None, &input).await?);
    let present = |invoice: &Invoice| id_response(&invoice.id);
    let idempotent_response = IdempotentResponse { ticket: Some(ticket), present: &present };
    let invoicing = caller.audited(audit::invoices::invoice_created(action)).invoicing;
    let created = invoicing.create(caller.scope(), input, faults, &idempotent_response).await;
    let stored = acted(created.map_err(to_form_error)?)?;
    let id: Option<String> = serde_json::from_slice(&stored.body).ok();
    let unreadable = || ApiError::internal("the stored response is no id");
    Ok(id.and_then(|id| Id::parse(&id)).ok_or_else(unreadable)?)
}

fn to_form_error(error: CreateInvoiceError) -> FormError {
    match error {
        CreateInvoiceError::Invalid(faults) => faults.into(),
        CreateInvoiceError::ContactNotFound => PageError::not_found().into(),
        CreateInvoiceError::DuplicateNumber => {
            FieldErrors::one("invoice_number", "is the number of another invoice").into()
        }
        CreateInvoiceError::ContactConflict | CreateInvoiceError::PlanLimitReached(_) => {
            PageError::refused(&error).into()
        }
        CreateInvoiceError::Store(error) => error.into(),
    }
}
