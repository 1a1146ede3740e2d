//! `/dashboard/messages/{id}`, and `POST` to `/handled` and `/correct` below it: the owner reads a whole
//! message, marks it as handled, or corrects its type.

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use communications::{ConversationError, Corrected, Message, MessageType};
use http_server::ApiError;
use kernel::{FieldErrors, Named as _};
use pages::communications::{MessagePage, OneMessage, ShownMessage};
use pages::texts::ENGLISH;
use pages::{Confirmation, Form};

use super::inbox;
use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, PageError, PageResult, submit};
use crate::page::render_with;
use crate::routing::path_id;
use crate::session_caller::SessionCaller;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let message = message(&caller, &http).await?;
    let form = Form::new(new_form_token(caller.state(), caller.scope().id), Vec::new());
    show_with(&caller, &http, message, form, StatusCode::OK).await
}

async fn show_with(
    caller: &SessionCaller,
    http: &HttpRequest,
    message: Message,
    form: Form,
    status: StatusCode,
) -> PageResult {
    let one = with_contact(caller, message, form).await?;
    let urls = caller.state().links.clone();
    Ok(render_with(status, http, move || MessagePage::new(&one, &urls)).await?)
}

/// A message with its contact's name, and a form about it.
pub(super) async fn with_contact(
    caller: &SessionCaller,
    message: Message,
    form: Form,
) -> Result<OneMessage, PageError> {
    let contact = match message.contact {
        Some(id) => caller.state().conversations.contacts.get(caller.scope().id, id).await?,
        None => None,
    };
    Ok(OneMessage {
        company: caller.company_name().to_owned(),
        shown: ShownMessage { message, contact: contact.map(|contact| contact.name.to_string()) },
        time_zone: caller.scope().time_zone.clone(),
        form,
    })
}

pub(super) async fn handled(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account) = (caller.state(), caller.scope().id);
    let sent = submit(state, account, http.path(), &fields, async || {
        let message = message(&caller, &http).await?;
        state
            .conversations
            .mark_read(account, message.id)
            .await
            .map_err(|error| to_form_error(error, &caller))?;
        Ok(back(&caller, &fields, &message, Confirmation::MessageHandled))
    });
    Ok(sent.await?)
}

pub(super) async fn correct(caller: SessionCaller, http: HttpRequest, fields: FormFields) -> PageResult {
    let (state, account) = (caller.state(), caller.scope().id);
    let sent = submit(state, account, http.path(), &fields, async || {
        let message = message(&caller, &http).await?;
        let to = MessageType::parse(fields.get("type")).map_err(|fault| FieldErrors::one("type", fault))?;
        let seen = Some(fields.get("version")).filter(|seen| !seen.is_empty());
        let corrected = state.conversations.correct(caller.scope(), message.id, to, seen).await;
        let confirmation = match corrected.map_err(|error| to_form_error(error, &caller))? {
            Corrected::ActedOn => Confirmation::MessageCorrected,
            Corrected::PromiseToEnter => Confirmation::PromiseToEnter,
            Corrected::NoAddressToClose => Confirmation::NoAddressToClose,
        };
        Ok(back(&caller, &fields, &message, confirmation))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let form = fields.shown_again(state, account, error)?;
            let message = message(&caller, &http).await?;
            show_with(&caller, &http, message, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// The account's message that the path names.
async fn message(caller: &SessionCaller, http: &HttpRequest) -> Result<Message, PageError> {
    let found = caller.state().conversations.reads.message(caller.scope().id, path_id(http)?).await?;
    found.ok_or_else(PageError::not_found)
}

/// The page that the form was on: the contact's, or the inbox, of all contacts or of this one.
fn back(caller: &SessionCaller, fields: &FormFields, message: &Message, what: Confirmation) -> Done {
    let urls = &caller.state().links;
    match (fields.get("back"), message.contact) {
        ("contact", Some(contact)) => {
            Done::confirmed(urls, format_args!("/dashboard/contacts/{contact}"), what)
        }
        ("inbox_of_contact", Some(contact)) => {
            Done::confirmed(urls, format_args!("{}?contact={contact}", inbox::PATH), what)
        }
        _ => Done::confirmed(urls, inbox::PATH, what),
    }
}

pub(crate) fn to_form_error(error: ConversationError, caller: &SessionCaller) -> FormError {
    match error {
        ConversationError::ContactNotFound | ConversationError::MessageNotFound => {
            PageError::not_found().into()
        }
        ConversationError::Changed => PageError::changed(caller.state().links.page(inbox::PATH)).into(),
        ConversationError::NotForMail => FieldErrors::one("channel", "must be sms or voice").into(),
        erased @ ConversationError::ContactErased => PageError::refused(&erased).into(),
        ConversationError::NotClosed | ConversationError::NoAddress => {
            PageError::conflict(ENGLISH.communications.not_closed).into()
        }
        ConversationError::Store(error) => error.into(),
        ConversationError::Raise(error) => ApiError::internal(error).into(),
    }
}
