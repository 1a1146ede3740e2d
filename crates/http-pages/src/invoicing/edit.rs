//! `/dashboard/invoices/{id}/edit`.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use invoices::figures::money_text;
use invoices::{AmendInvoiceError, AmendRefused, Invoice, InvoiceInput};
use kernel::{Field, FieldErrors, Version};
use pages::invoicing::{Editing, InvoiceFormPage, invoice_values};
use pages::{Confirmation, Form};

use super::contact_list::form_account;
use super::detail::load;
use super::form_contact;
use super::invoice_fields::{Action, InvoiceFields};
use crate::audit;
use crate::forms::submit::{kept_form_token, new_form_token};
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::page::{render, render_with};
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let invoice = load(&caller, &http).await?;
    if !invoice.status.is_editable() {
        return Err(locked(&invoice));
    }
    let state = caller.state().clone();
    let contact = form_contact::of_draft(&caller, &invoice).await?;
    let values = invoice_values(&invoice, contact.as_ref());
    let form = Form::new(new_form_token(&state, caller.scope().id), values);
    let account = form_account(&caller).await?;
    let make = move || {
        let lines = invoice.lines.len().max(1);
        InvoiceFormPage::new(&form, lines, editing(&invoice), &account, &state.links)
    };
    Ok(render(&http, make).await?)
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let invoice = load(&caller, &http).await?;
    let action = match Action::read(&fields) {
        Ok(action) if action.is_about_lines() => {
            let shown = InvoiceFields::with_lines_changed(&fields, action).map_err(FormError::from)?;
            return show_again(&caller, &http, Some(invoice), shown, FieldErrors::default()).await;
        }
        Ok(action) => action,
        Err(faults) => {
            let filled = InvoiceFields::filled(&fields).map_err(FormError::from)?;
            return show_again(&caller, &http, Some(invoice), filled, faults).await;
        }
    };
    let filled = InvoiceFields::filled(&fields).map_err(FormError::from)?;
    let state = caller.state();
    let done = match action {
        Action::IssueAndSend if invoice.is_draft() => Confirmation::IssuedAndSent,
        Action::IssueAndSend => Confirmation::Sent,
        Action::Issue if invoice.is_draft() => Confirmation::Issued,
        _ => Confirmation::Saved,
    };
    let mut with_contact = None;
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        with_contact = form_contact::changed(&caller, &filled).await?;
        if with_contact.is_some() {
            return Err(form_contact::changed_fault().into());
        }
        let (input, faults) = filled.read(action);
        let (input, mut faults) = required(keeping_contact(input, &invoice, &fields), faults);
        faults.add_all(form_contact::old_address(&caller, &fields, Some(&invoice), &input).await?);
        let version = Version::from_text(fields.get("version"));
        let invoicing = caller.audited(audit::invoices::invoice_changed(&invoice, action)).invoicing;
        let amending = invoicing.amend(caller.scope(), invoice.id, Some(&version), input, faults);
        amending.await.map_err(|error| match error {
            AmendInvoiceError::Changed => PageError::changed(state.links.page(http.path())).into(),
            error => to_form_error(error),
        })?;
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/invoices/{}", invoice.id), done))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let shown = filled.with_fields(with_contact);
            show_again(&caller, &http, Some(invoice), shown, error.into_faults()?).await
        }
    }
}

/// Keeps the invoice's contact when the contact fields are unchanged, also when the contact has no e-mail
/// address to find it by. The form of a draft does not show the contact as the draft has it, but as it is
/// now, and names it by its id.
fn keeping_contact(mut input: InvoiceInput, invoice: &Invoice, fields: &FormFields) -> InvoiceInput {
    if !fields.get("contact.shown").is_empty() {
        return input;
    }
    let (Some(sent), Some(current)) = (input.contact.as_value(), &invoice.contact) else {
        return input;
    };
    let is_same = sent.id.is_missing()
        && sent.external_id.is_missing()
        && sent.name.as_value() == Some(&current.name)
        && sent.email.as_value() == current.email.as_ref()
        && sent.phone.as_value() == current.phone.as_ref()
        && !matches!(sent.email, Field::Faulty)
        && !matches!(sent.phone, Field::Faulty);
    if is_same {
        input.contact = Field::Absent;
    }
    input
}

/// Adds faults for required fields that were left empty.
fn required(mut input: InvoiceInput, mut faults: FieldErrors) -> (InvoiceInput, FieldErrors) {
    fn filled<T>(field: &mut Field<T>, name: &str, faults: &mut FieldErrors) {
        if matches!(field, Field::Null) {
            faults.add(name, "is required");
            *field = Field::Faulty;
        }
    }
    filled(&mut input.invoice_number, "invoice_number", &mut faults);
    filled(&mut input.invoice_date, "invoice_date", &mut faults);
    filled(&mut input.due_date, "due_date", &mut faults);
    filled(&mut input.currency, "currency", &mut faults);
    filled(&mut input.line_amount_types, "line_amount_types", &mut faults);
    (input, faults)
}

/// The form of this invoice, or of a new one, with the submitted values and their faults.
pub(super) async fn show_again(
    caller: &SessionCaller,
    http: &HttpRequest,
    invoice: Option<Invoice>,
    shown: InvoiceFields,
    faults: FieldErrors,
) -> PageResult {
    let state = caller.state().clone();
    let status = if faults.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let form_token = kept_form_token(&state, caller.scope().id, &shown.fields)?;
    let (lines, focus, account) = (shown.lines.max(1), shown.focus, form_account(caller).await?);
    let form = Form::refused(form_token, shown.fields.into_values(), faults);
    let make = move || {
        let editing = invoice.as_ref().map_or(Editing::New, editing);
        let page = InvoiceFormPage::new(&form, lines, editing, &account, &state.links);
        match focus {
            Some(place) => page.focusing_line(place),
            None => page,
        }
    };
    Ok(render_with(status, http, make).await?)
}

fn editing(invoice: &Invoice) -> Editing<'_> {
    let number = invoice.number.as_str();
    if invoice.is_draft() { Editing::Draft(number) } else { Editing::Issued(number) }
}

fn locked(invoice: &Invoice) -> PageError {
    PageError::refused(&AmendRefused::Locked(invoice.status))
}

pub(super) fn to_form_error(error: AmendInvoiceError) -> FormError {
    match error {
        AmendInvoiceError::Invalid(faults) => faults.into(),
        AmendInvoiceError::NotFound | AmendInvoiceError::ContactNotFound => PageError::not_found().into(),
        AmendInvoiceError::DuplicateNumber => {
            FieldErrors::one("invoice_number", "is the number of another invoice").into()
        }
        // These two are conflicts in the API. Here a field mends them, and the form must not be lost. The
        // text of the error names no currency.
        AmendInvoiceError::Refused(AmendRefused::BelowPaid(paid)) => {
            let message = format!("the total cannot be below what is paid already, {}", money_text(paid));
            FieldErrors::one("line_items", message).into()
        }
        AmendInvoiceError::Refused(AmendRefused::CurrencyFixed) => {
            FieldErrors::one("currency", "cannot change once a payment is recorded").into()
        }
        AmendInvoiceError::Changed
        | AmendInvoiceError::Empty
        | AmendInvoiceError::ContactConflict
        | AmendInvoiceError::Refused(_) => PageError::refused(&error).into(),
        AmendInvoiceError::Store(error) => error.into(),
    }
}
