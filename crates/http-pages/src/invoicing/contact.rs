//! `/dashboard/contacts/{id}`.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use communications::{Address, Channel};
use contacts::{AddressInput, AmendContactError, Contact, ContactAmendment, ContactId, LookUpError};
use http_server::ApiError;
use invoices::InvoiceFilter;
use kernel::{EmailAddress, FieldErrors, FieldSource as _, PageSize, Version};
use pages::communications::{ShownCommunications, ShownMessage};
use pages::invoicing::{ContactPage, contact_values};
use pages::{Confirmation, Form};

use crate::forms::submit::{kept_form_token, new_form_token};
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::render_with;
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

/// How many invoices the page of a contact shows.
const MAX_INVOICES: u64 = 10;
/// How many messages it shows.
const MAX_MESSAGES: usize = 20;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let contact = get(&caller, path_id(&http)?).await?;
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), contact_values(&contact));
    show_with(&caller, &http, contact, form, StatusCode::OK).await
}

pub(super) async fn send(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (id, state) = (path_id(&http)?, caller.state());
    let sent = submit(state, caller.scope().id, http.path(), &fields, async || {
        let (amendment, faults) = read(&fields);
        let version = Version::from_text(fields.get("version"));
        let amending = state.contacts.amend(caller.scope(), id, &version, amendment, faults);
        amending.await.map_err(|error| to_form_error(error, || state.links.page(http.path())))?;
        Ok(Done::confirmed(&state.links, format_args!("/dashboard/contacts/{id}"), Confirmation::Saved))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let form = fields.shown_again(state, caller.scope().id, error)?;
            let contact = get(&caller, id).await?;
            show_with(&caller, &http, contact, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// The contact's page with the faults of a form other than the one that amends the contact.
pub(crate) async fn show_refused(
    caller: &SessionCaller,
    http: &HttpRequest,
    id: ContactId,
    fields: FormFields,
    faults: FieldErrors,
) -> PageResult {
    let contact = get(caller, id).await?;
    let form_token = kept_form_token(caller.state(), caller.scope().id, &fields)?;
    let values = fields.into_values_with(contact_values(&contact));
    let form = Form::refused(form_token, values, faults);
    show_with(caller, http, contact, form, StatusCode::UNPROCESSABLE_ENTITY).await
}

async fn show_with(
    caller: &SessionCaller,
    http: &HttpRequest,
    contact: Contact,
    form: Form,
    status: StatusCode,
) -> PageResult {
    let state = caller.state().clone();
    let filter = InvoiceFilter { contact: Some(contact.id), ..InvoiceFilter::default() };
    let size = PageSize::of(MAX_INVOICES).unwrap_or_default();
    let invoices = state.invoicing.summaries(caller.scope(), &filter, size, None).await?.items;
    let company = caller.company_name().to_owned();
    let shown = communications(caller, &contact).await?;
    let today = caller.today();
    let make = move || ContactPage::new(&contact, &form, &invoices, &shown, today, &company, &state.links);
    Ok(render_with(status, http, make).await?)
}

/// The channels that the contact allows, and the latest messages.
async fn communications(caller: &SessionCaller, contact: &Contact) -> Result<ShownCommunications, PageError> {
    let reads = &caller.state().conversations.reads;
    let mut holds = Vec::new();
    let email = contact.email.as_ref().map(|email| (Channel::Email, Address::from(email)));
    let phone = contact.phone.as_ref().and_then(|phone| Address::parse(Channel::Sms, phone.as_str()).ok());
    let phones = [Channel::Sms, Channel::Voice].map(|one| phone.clone().map(|phone| (one, phone)));
    for (channel, address) in email.into_iter().chain(phones.into_iter().flatten()) {
        holds.extend(reads.address_holds(contact.account, channel, &address).await?);
    }
    let messages = reads.messages(contact.account, Some(contact.id), None, MAX_MESSAGES + 1).await?;
    let shown = messages.iter().take(MAX_MESSAGES).cloned();
    Ok(ShownCommunications {
        contact: contact.id.to_string(),
        consents: reads.consents(contact.account, contact.id).await?,
        holds,
        has_more: messages.len() > MAX_MESSAGES,
        // The page's heading already names the contact.
        messages: shown.map(|message| ShownMessage { message, contact: None }).collect(),
        time_zone: caller.scope().time_zone.clone(),
    })
}

fn read(fields: &FormFields) -> (ContactAmendment, FieldErrors) {
    let mut reader = FormReader::new(fields);
    let amendment = ContactAmendment {
        name: reader.line("name"),
        email: reader.text("email", EmailAddress::parse),
        phone: reader.line("phone"),
        address: AddressInput {
            line1: reader.line("address.line1"),
            line2: reader.line("address.line2"),
            city: reader.line("address.city"),
            state: reader.line("address.state"),
            postal_code: reader.line("address.postal_code"),
            country: reader.line("address.country"),
        },
    };
    (amendment, reader.into_faults())
}

/// A contact of the account.
pub(crate) async fn get(caller: &SessionCaller, id: ContactId) -> Result<Contact, PageError> {
    caller.state().contacts.get(caller.scope(), id).await.map_err(to_page_error)
}

pub(super) fn to_page_error(error: LookUpError) -> PageError {
    match error {
        LookUpError::NotFound => PageError::not_found(),
        LookUpError::Invalid(faults) => ApiError::invalid(faults).into(),
        LookUpError::Store(error) => error.into(),
    }
}

fn to_form_error(error: AmendContactError, current: impl FnOnce() -> String) -> FormError {
    match error {
        AmendContactError::Invalid(faults) => faults.into(),
        AmendContactError::NotFound => PageError::not_found().into(),
        AmendContactError::Changed => PageError::changed(current()).into(),
        AmendContactError::Store(error) => error.into(),
    }
}
