//! `POST /dashboard/invoices/{id}/send`, `/cancel` and `/pay-link`.

use actix_web::HttpRequest;
use invoices::{AmendInvoiceError, CancelInvoiceError, InvoiceId, InvoiceInput, ReplacePayLinkError};
use kernel::{Field, FieldErrors};
use pages::Confirmation;
use pages::invoicing::CancelPage;

use super::detail::{load, respond_to_form};
use super::edit;
use crate::audit;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, sent_version, submit};
use crate::page::render;
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (id, state) = (path_id(&http)?, caller.state());
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let input = InvoiceInput { send_invoice: Field::Value(true), ..InvoiceInput::default() };
        let (invoicing, scope, none) = (&state.invoicing, caller.scope(), FieldErrors::default());
        // The button names the address.
        let version = sent_version(&fields);
        let sent = invoicing.amend(scope, id, version.as_ref(), input, none).await;
        sent.map_err(|error| match error {
            AmendInvoiceError::Changed => changed(&caller, id),
            error => edit::to_form_error(error),
        })?;
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/invoices/{id}"), Confirmation::Sent))
    });
    let sent = sent.await;
    respond_to_form(&caller, &http, fields, sent).await
}

/// Asks for confirmation, and cancels the invoice once it is given.
pub(super) async fn cancel(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (id, state) = (path_id(&http)?, caller.state());
    if fields.get("confirm") != "yes" {
        let invoice = load(&caller, &http).await?;
        if !invoice.status.is_editable() {
            return Err(PageError::refused(&invoices::NotCancellable(invoice.status)));
        }
        let (form_token, company) =
            (new_form_token(state, caller.scope().id), caller.company_name().to_owned());
        let urls = state.links.clone();
        return Ok(render(&http, move || CancelPage::new(&invoice, form_token, &company, &urls)).await?);
    }
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let (invoicing, scope) =
            (caller.audited(audit::invoices::invoice_cancelled()).invoicing, caller.scope());
        // The question says what was paid.
        let cancelled = invoicing.cancel(scope, id, sent_version(&fields).as_ref()).await;
        cancelled.map_err(|error| match error {
            CancelInvoiceError::NotFound => PageError::not_found().into(),
            CancelInvoiceError::Changed => changed(&caller, id),
            CancelInvoiceError::NotCancellable(_) => PageError::refused(&error).into(),
            CancelInvoiceError::Store(error) => error.into(),
        })?;
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/invoices/{id}"), Confirmation::Cancelled))
    });
    Ok(sent.await?)
}

/// Gives the payment page a new URL.
pub(super) async fn replace_pay_link(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> PageResult {
    let (id, state) = (path_id(&http)?, caller.state());
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let invoicing = caller.audited(audit::invoices::pay_link_replaced()).invoicing;
        let replaced = invoicing.replace_pay_link(caller.scope(), id, sent_version(&fields).as_ref()).await;
        replaced.map_err(|error| match error {
            ReplacePayLinkError::NotFound => PageError::not_found().into(),
            ReplacePayLinkError::Changed => changed(&caller, id),
            ReplacePayLinkError::Store(error) => error.into(),
        })?;
        Ok(Done::confirmed(
            &state.links,
            format_args!("/dashboard/invoices/{id}"),
            Confirmation::PayLinkReplaced,
        ))
    });
    Ok(sent.await?)
}

/// The invoice is no longer as the page of the form showed it.
fn changed(caller: &SessionCaller, id: InvoiceId) -> FormError {
    PageError::not_done(caller.state().links.page(format_args!("/dashboard/invoices/{id}"))).into()
}
