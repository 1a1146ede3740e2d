//! `POST /dashboard/messages/{id}/handled` and `/correct`: what the owner says to a message.

use actix_web::{HttpRequest, HttpResponse};
use communications::{ConversationError, MessageId, MessageType};
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
        let id = path_id(&http)?;
        state.conversations.mark_handled(account, id).await.map_err(to_form_error)?;
        back(&caller, &fields, id, Confirmation::MessageHandled).await
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
        let id = path_id(&http)?;
        let to = MessageType::parse(fields.get("type")).map_err(|fault| FieldErrors::one("type", fault))?;
        state.conversations.correct(account, id, to).await.map_err(to_form_error)?;
        back(&caller, &fields, id, Confirmation::MessageCorrected).await
    });
    Ok(sent.await?)
}

fn path_id(http: &HttpRequest) -> Result<MessageId, PageError> {
    Id::parse(http.match_info().get("id").unwrap_or_default()).ok_or_else(PageError::not_found)
}

/// The page that the form was on: the contact's, or the inbox.
async fn back(
    caller: &SessionCaller,
    fields: &FormFields,
    id: MessageId,
    what: Confirmation,
) -> Result<Done, FormError> {
    let state = caller.state();
    let message = state.conversations.reads.message(caller.scope().id, id).await?;
    let contact = message.and_then(|message| message.contact).filter(|_| fields.get("back") == "contact");
    let address = match contact {
        Some(contact) => state.urls.page(format_args!("/dashboard/contacts/{contact}")),
        None => state.urls.page(inbox::PATH),
    };
    Ok(Done::SeeOther(confirming(&address, what)))
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
