//! `POST /dashboard/invoices/{id}/replacement`: drafts an invoice with the same contact and line items, for
//! money that was refunded and must be paid after all.

use actix_web::HttpRequest;
use idempotency::IdempotentOperation;
use pages::invoicing::invoice_values;

use super::detail::load;
use super::invoice_fields::{Action, InvoiceFields};
use super::new::create;
use crate::forms::submit::ticket;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::session_caller::SessionCaller;

/// The fields that are not copied to the draft.
const OWN: [&str; 4] = ["version", "invoice_number", "invoice_date", "due_date"];

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (invoice, state) = (load(&caller, &http).await?, caller.state());
    // The contact is taken by its id, as it is now: it may have another address, or be erased.
    let is_copied = |name: &str| !OWN.contains(&name) && !name.starts_with("contact.");
    let values = invoice_values(&invoice, None).into_iter().filter(|(name, _)| is_copied(name));
    let contact = invoice.contact.as_ref().map(|contact| ("contact.id".to_owned(), contact.id.to_string()));
    let values = values.chain(contact);
    let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(values).finish();
    let copied = FormFields::parse(encoded.as_bytes())?;
    let filled = InvoiceFields::filled(&copied).map_err(FormError::from).map_err(PageError::from)?;
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let ticket = ticket(state, IdempotentOperation::CREATE_INVOICE, http.path(), &fields)?;
        let draft = create(&caller, &filled, Action::SaveDraft, &ticket).await?;
        Ok(Done::SeeOther(state.links.page(format_args!("/dashboard/invoices/{draft}"))))
    });
    Ok(sent.await?)
}
