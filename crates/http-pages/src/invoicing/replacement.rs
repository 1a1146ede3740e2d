//! `POST /dashboard/invoices/{id}/replacement`: drafts an invoice with the same contact and line items, for
//! money that was refunded and must be paid after all.

use actix_web::{HttpRequest, HttpResponse};
use idempotency::IdempotentOperation;
use pages::invoicing::invoice_values;

use super::detail::load;
use super::invoice_fields::{Action, InvoiceFields};
use super::new::create;
use crate::forms::submit::ticket;
use crate::forms::{Done, FormError, FormFields, PageError, submit};
use crate::session_caller::SessionCaller;

/// The fields that are not copied to the draft.
const OWN: [&str; 4] = ["version", "invoice_number", "invoice_date", "due_date"];

pub(super) async fn send(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let (invoice, state) = (load(&caller, &http).await?, caller.state());
    let values = invoice_values(&invoice).into_iter().filter(|(name, _)| !OWN.contains(&&**name));
    let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(values).finish();
    let copied = FormFields::parse(encoded.as_bytes())?;
    let filled = InvoiceFields::filled(&copied).map_err(FormError::from).map_err(PageError::from)?;
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let ticket = ticket(IdempotentOperation::CreateInvoice, http.path(), &fields)?;
        let draft = create(&caller, &filled, Action::SaveDraft, &ticket).await?;
        Ok(Done::SeeOther(state.urls.page(format_args!("/dashboard/invoices/{draft}"))))
    });
    Ok(sent.await?)
}
