//! `POST /dashboard/messages/{id}/handled` and `/correct`: the owner marks a message as handled, or corrects
//! its type.

use actix_web::{HttpRequest, HttpResponse};
use communications::{ConversationError, Message, MessageId, MessageType};
use http_server::{ApiError, ErrorCode};
use kernel::{FieldErrors, Id};
use pages::Confirmation;
use pages::texts::ENGLISH;

use super::inbox;
use crate::forms::{Done, FormError, FormFields, PageError, submit};
use crate::page::confirming;
use crate::session_caller::SessionCaller;

pub(super) async fn handled(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let sent = submit(state, account, http.path(), &fields, async || {
        let message = message(&caller, &http).await?;
        state.conversations.mark_handled(account, message.id).await.map_err(to_form_error)?;
        Ok(back(&caller, &fields, &message, Confirmation::MessageHandled))
    });
    Ok(sent.await?)
}

pub(super) async fn correct(
    caller: SessionCaller,
    http: HttpRequest,
    fields: FormFields,
) -> Result<HttpResponse, PageError> {
    let (state, account) = (caller.state(), caller.scope().id);
    let sent = submit(state, account, http.path(), &fields, async || {
        let message = message(&caller, &http).await?;
        let to = MessageType::parse(fields.get("type")).map_err(|fault| FieldErrors::one("type", fault))?;
        state.conversations.correct(account, message.id, to).await.map_err(to_form_error)?;
        Ok(back(&caller, &fields, &message, Confirmation::MessageCorrected))
    });
    Ok(sent.await?)
}

pub(super) fn path_id(http: &HttpRequest) -> Result<MessageId, PageError> {
    Id::parse(http.match_info().get("id").unwrap_or_default()).ok_or_else(PageError::not_found)
}

/// The account's message that the path names.
async fn message(caller: &SessionCaller, http: &HttpRequest) -> Result<Message, PageError> {
    let found = caller.state().conversations.reads.message(caller.scope().id, path_id(http)?).await?;
    found.ok_or_else(PageError::not_found)
}

/// The page that the form was on: the contact's, or the inbox.
fn back(caller: &SessionCaller, fields: &FormFields, message: &Message, what: Confirmation) -> Done {
    let urls = &caller.state().urls;
    let address = match message.contact.filter(|_| fields.get("back") == "contact") {
        Some(contact) => urls.page(format_args!("/dashboard/contacts/{contact}")),
        None => urls.page(inbox::PATH),
    };
    Done::SeeOther(confirming(&address, what))
}

pub(crate) fn to_form_error(error: ConversationError) -> FormError {
    match error {
        ConversationError::ContactNotFound | ConversationError::MessageNotFound => {
            PageError::not_found().into()
        }
        ConversationError::NotForMail => FieldErrors::one("channel", "must be sms or voice").into(),
        ConversationError::NotClosed | ConversationError::NoAddress => {
            PageError::conflict(ENGLISH.communications.not_closed).into()
        }
        ConversationError::Store(error) => error.into(),
        ConversationError::Raise(error) => ApiError::failed(ErrorCode::InternalError, error).into(),
    }
}
