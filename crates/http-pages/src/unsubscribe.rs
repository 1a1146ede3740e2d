//! `/unsubscribe/{token}`: a contact stops reminders with the link in one of them. Mail programs send the
//! form by themselves, with one click (RFC 8058), so it is accepted from any origin and the response is no
//! redirect; a repeat changes nothing.

use actix_web::HttpRequest;
use actix_web::web::Data;
use communications::{Address, CloseReason, HandleError, Message, ReplyToken, UNSUBSCRIBE_PREVIEW};
use kernel::{StoreError, StoreResult};
use pages::UnsubscribePage;

use crate::forms::{PageError, PageResult};
use crate::page::render;
use crate::payer::request::unknown_token;
use crate::routing::{self, Routes};
use crate::state::PagesState;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes
        .service(routing::one_click_page(
            &format!("/unsubscribe/{UNSUBSCRIBE_PREVIEW}"),
            show_preview,
            show_preview,
        ))
        .service(routing::one_click_page("/unsubscribe/{token}", show, send));
}

/// The page of the link in the preview of a reminder, which has no contact.
async fn show_preview(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let urls = state.links.clone();
    Ok(render(&http, move || UnsubscribePage::of_preview(&urls)).await?)
}

async fn show(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let (_, message) = find(&http, &state).await?;
    let has_ended = has_ended(&state, &message).await?;
    let urls = state.links.clone();
    let page = move || match has_ended {
        true => UnsubscribePage::ended(&message, &urls),
        false => UnsubscribePage::new(&message, &urls),
    };
    Ok(render(&http, page).await?)
}

/// Whether reminders to the address of the message, and to the present one of its contact, were ended by
/// opt-outs.
async fn has_ended(state: &PagesState, message: &Message) -> StoreResult<bool> {
    let mut addresses = vec![message.address.clone()];
    if let Some(contact) = message.contact {
        let contact = state.conversations.contacts.get(message.account, contact).await?;
        addresses.extend(contact.and_then(|contact| contact.email).as_ref().map(Address::from));
    }
    for address in addresses {
        let holds = state.inbound.reads.address_holds(message.account, message.channel, &address).await?;
        if !holds.iter().any(|hold| hold.is_standing() && hold.reason == CloseReason::OptedOut) {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn send(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let (token, message) = find(&http, &state).await?;
    if !state.inbound.unsubscribe(&token).await.map_err(|error: HandleError| StoreError::from(error))? {
        return Err(unknown_token(&state, &http).await.into());
    }
    let urls = state.links.clone();
    Ok(render(&http, move || UnsubscribePage::ended(&message, &urls)).await?)
}

async fn find(http: &HttpRequest, state: &PagesState) -> Result<(ReplyToken, Message), PageError> {
    let token = ReplyToken::parse(http.match_info().get("token").unwrap_or_default());
    if let Some(token) = token
        && let Some(message) = state.inbound.reads.message_by_token(&token).await?
    {
        return Ok((token, message));
    }
    Err(unknown_token(state, http).await.into())
}
