//! The contact of an invoice's form, which may be changed while the form is open.

use invoices::{Invoice, InvoiceInput};
use kernel::{Field, FieldErrors, Id};
use pages::invoicing::{contact_of_new, invoice_values, shown_contact};

use super::contact;
use super::invoice_fields::InvoiceFields;
use crate::forms::{FormError, FormFields, PageError};
use crate::session_caller::SessionCaller;

/// The values of the form of an invoice. A draft is issued to its contact as that is then, so its form shows
/// the contact as it is now.
pub(super) async fn values(
    caller: &SessionCaller,
    invoice: &Invoice,
) -> Result<Vec<(String, String)>, PageError> {
    let mut values = invoice_values(invoice);
    if let Some(of_draft) = invoice.contact.as_ref().filter(|_| invoice.is_draft()) {
        let present = contact::get(caller, of_draft.id).await?;
        values.retain(|(name, _)| !is_of_contact(name));
        values.extend(contact_of_new(&present));
    }
    Ok(values)
}

/// The fields with the contact as it is now, if the invoice would be for a contact by its id and that was
/// changed since the form showed it.
pub(super) async fn changed(
    caller: &SessionCaller,
    filled: &InvoiceFields,
) -> Result<Option<FormFields>, PageError> {
    let fields = &filled.fields;
    let text = |name: &str| fields.find(name).unwrap_or_default();
    let entered = shown_contact(text("contact.name"), text("contact.email"), text("contact.phone"));
    let Some(id) = Id::parse(text("contact.id")).filter(|_| text("contact.shown") == entered) else {
        return Ok(None);
    };
    let present = contact_of_new(&contact::get(caller, id).await?);
    if present.iter().any(|(name, value)| name == "contact.shown" && *value == entered) {
        return Ok(None);
    }
    let others = fields.iter().filter(|(name, _)| !is_of_contact(name));
    let others = others.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(Some(others.chain(present).collect::<Vec<_>>().into()))
}

/// The fault of a contact that was changed since the form showed it.
pub(super) fn changed_fault() -> FieldErrors {
    let fault = "was changed in the meantime, and is shown as it is now: check it, and send the form again";
    FieldErrors::one("contact", fault)
}

/// Refuses another name or telephone number with the address of an issued invoice that its contact no longer
/// has: the invoice would go to a new contact with the old address.
///
/// # Errors
/// A fault of the address.
pub(super) async fn check_address(
    caller: &SessionCaller,
    invoice: &Invoice,
    input: &InvoiceInput,
) -> Result<(), FormError> {
    let (Field::Value(entered), Some(of_invoice)) = (&input.contact, &invoice.contact) else {
        return Ok(());
    };
    let is_old = entered.email.as_value().is_some() && entered.email.as_value() == of_invoice.email.as_ref();
    if invoice.is_draft() || !is_old {
        return Ok(());
    }
    let present = contact::get(caller, of_invoice.id).await?;
    if present.email == of_invoice.email {
        return Ok(());
    }
    let fault = match &present.email {
        Some(email) => format!("is no longer the address of this contact: that is {email}"),
        None => "is no longer the address of this contact, which has none".to_owned(),
    };
    Err(FieldErrors::one("contact.email", fault).into())
}

fn is_of_contact(name: &str) -> bool {
    name.starts_with("contact.")
}
