//! The contact of an invoice's form, which may be changed while the form is open.

use contacts::{Contact, ContactId, LookUpError};
use invoices::{Invoice, InvoiceInput};
use kernel::{EmailAddress, FieldErrors, Id};
use pages::invoicing::contact_of_new;

use super::contact;
use super::invoice_fields::{InvoiceFields, entered_contact};
use crate::forms::{FormFields, PageError};
use crate::session_caller::SessionCaller;

/// A draft's contact as it is now: the draft is issued to its contact as that is then.
pub(super) async fn of_draft(
    caller: &SessionCaller,
    invoice: &Invoice,
) -> Result<Option<Contact>, PageError> {
    match invoice.contact.as_ref().filter(|_| invoice.is_draft()) {
        Some(of_draft) => contact::get(caller, of_draft.id).await.map(Some),
        None => Ok(None),
    }
}

/// The fields with the contact as it is now, if the invoice would be for a contact by its id and that was
/// changed since the form showed it.
pub(super) async fn changed(
    caller: &SessionCaller,
    filled: &InvoiceFields,
) -> Result<Option<FormFields>, PageError> {
    let fields = &filled.fields;
    let text = |name: &str| fields.find(name).unwrap_or_default();
    let entered = entered_contact(|name| text(&format!("contact.{name}")));
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

/// The fault of an address that its contact had when the form was opened, or when the invoice was issued, and
/// has no longer: the invoice would go to a new contact with the old address, or to the one that has it now.
/// There is none if that one is named.
pub(super) async fn old_address(
    caller: &SessionCaller,
    fields: &FormFields,
    invoice: Option<&Invoice>,
    input: &InvoiceInput,
) -> Result<FieldErrors, PageError> {
    let none = FieldErrors::default();
    let Some(entered) = input.contact.as_value().filter(|entered| entered.email.as_value().is_some()) else {
        return Ok(none);
    };
    let shown = ShownContact::read(fields, invoice);
    let Some(shown) = shown.filter(|shown| Some(&shown.email) == entered.email.as_value()) else {
        return Ok(none);
    };
    let present = contact::get(caller, shown.id).await?.email;
    if present.as_ref() == Some(&shown.email) {
        return Ok(none);
    }
    let is_named =
        |name: &str| name != shown.name && entered.name.as_value().is_some_and(|own| own.as_str() == name);
    let fault = match caller.state().contacts.look_up(caller.scope(), Some(shown.email), None).await {
        Ok(other) if is_named(other.name.as_str()) => return Ok(none),
        Ok(other) => format!("is the address of another contact now, {}", other.name),
        Err(LookUpError::NotFound) => match present {
            Some(email) => format!("is no longer the address of this contact: that is {email}"),
            None => "is no longer the address of this contact, which has none".to_owned(),
        },
        Err(error) => return Err(contact::to_page_error(error)),
    };
    Ok(FieldErrors::one("contact.email", fault))
}

/// A contact as the form showed it.
struct ShownContact {
    id: ContactId,
    name: String,
    email: EmailAddress,
}

impl ShownContact {
    /// The contact that the form was opened for, or that of an issued invoice; `None` without an address.
    fn read(fields: &FormFields, invoice: Option<&Invoice>) -> Option<Self> {
        if let Some(id) = Id::parse(fields.get("contact.id")) {
            let mut shown = fields.find("contact.shown")?.split('\t');
            let name = shown.next()?.to_owned();
            return Some(Self { id, name, email: EmailAddress::parse(shown.next()?).ok()? });
        }
        let of_invoice = invoice.filter(|invoice| !invoice.is_draft())?.contact.as_ref()?;
        let (id, name) = (of_invoice.id, of_invoice.name.to_string());
        Some(Self { id, name, email: of_invoice.email.clone()? })
    }
}

fn is_of_contact(name: &str) -> bool {
    name.starts_with("contact.")
}
