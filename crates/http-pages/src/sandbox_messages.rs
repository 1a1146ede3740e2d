//! `/sandbox/mailroom`: for trying the service, shows the messages sent to contacts and lets the visitor
//! reply for a contact.

use std::collections::BTreeMap;

use actix_web::HttpRequest;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use communications::{Channel, Direction, HandleError, Message};
use kernel::{AccountId, Field, FieldErrors, FieldSource as _, Id, MultiLine, StoreError, StoreResult};
use pages::communications::{SandboxMessage, SandboxMessages, SandboxMessagesPage};
use pages::texts::ENGLISH;
use pages::{Confirmation, Form, PageLinks};

use crate::forms::submit::new_form_token;
use crate::forms::{Done, FormError, FormFields, FormReader, PageError, PageResult, submit};
use crate::page::render_with;
use crate::routing::{self, Routes};
use crate::state::PagesState;

const PATH: &str = "/sandbox/mailroom";
/// How many messages a page shows.
const MAX_SHOWN: usize = 50;
/// The maximum length of a reply, in characters: as much as is kept of a received message.
const MAX_REPLY: usize = 10_000;

pub(crate) fn configure(routes: &mut Routes<'_>) {
    routes.service(routing::sandbox_page(PATH, show, send));
}

async fn show(http: HttpRequest, state: Data<PagesState>) -> PageResult {
    let form = Form::new(String::new(), Vec::new());
    respond(&http, &state, form, StatusCode::OK).await
}

async fn respond(http: &HttpRequest, state: &PagesState, form: Form, status: StatusCode) -> PageResult {
    let query = FormFields::of_query(http)?;
    let after = Id::parse(query.get("after"));
    let mut found = state.conversations.reads.outgoing(after, MAX_SHOWN.saturating_add(1)).await?;
    let has_more = found.len() > MAX_SHOWN;
    found.truncate(MAX_SHOWN);
    let next = found.last().filter(|_| has_more).map(|last| last.id);
    let links = PageLinks {
        first: after.map(|_| state.links.page(PATH)),
        next: next.map(|id| state.links.page(format_args!("{PATH}?after={id}"))),
    };
    let reply_form = |message: Message| {
        let form_token = new_form_token(state, message.account);
        SandboxMessage { message, form_token }
    };
    let messages = on_the_sandbox(state, found).await?.into_iter().map(reply_form).collect();
    let urls = state.links.clone();
    let shown = SandboxMessages { messages, form, links };
    Ok(render_with(status, http, move || SandboxMessagesPage::new(&shown, &urls)).await?)
}

/// Keeps only messages of accounts that have no live gateway.
async fn on_the_sandbox(state: &PagesState, found: Vec<Message>) -> StoreResult<Vec<Message>> {
    let mut live: BTreeMap<AccountId, bool> = BTreeMap::new();
    let mut shown = Vec::new();
    for message in found {
        let is_live = match live.get(&message.account) {
            Some(known) => *known,
            None => state.online.has_live_gateway(message.account).await?,
        };
        live.insert(message.account, is_live);
        if !is_live {
            shown.push(message);
        }
    }
    Ok(shown)
}

async fn send(http: HttpRequest, state: Data<PagesState>, fields: FormFields) -> PageResult {
    let message = find(&state, &fields).await?;
    let sent = submit(&state, message.account, PATH, &fields, async || {
        let text = read(&fields)?;
        let address = reply_address(&state, &message).await?;
        let replying = state.inbound.reply_as_contact(&message, text.as_str(), address.as_deref());
        replying.await.map_err(|error: HandleError| StoreError::from(error))?;
        Ok::<_, FormError>(Done::confirmed(&state.links, PATH, Confirmation::ReplyReceived))
    });
    match sent.await {
        Ok(response) => Ok(response),
        Err(error) => {
            let form = fields.shown_again(&state, message.account, error)?;
            respond(&http, &state, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
    }
}

/// The message that is replied to.
async fn find(state: &PagesState, fields: &FormFields) -> Result<Message, PageError> {
    let missing = || PageError::conflict(ENGLISH.communications.mailroom_unknown);
    let id = Id::parse(fields.get("message")).ok_or_else(missing)?;
    let found = state.conversations.reads.message_by_id(id).await?;
    let message = found.filter(|message| message.direction == Direction::Out).ok_or_else(missing)?;
    if state.online.has_live_gateway(message.account).await? {
        return Err(PageError::not_found());
    }
    Ok(message)
}

fn read(fields: &FormFields) -> Result<MultiLine<MAX_REPLY>, FieldErrors> {
    let mut reader = FormReader::new(fields);
    match reader.text("text", MultiLine::parse) {
        Field::Value(text) => Ok(text),
        Field::Faulty => Err(reader.into_faults()),
        Field::Absent | Field::Null => Err(FieldErrors::one("text", "is required")),
    }
}

/// The address to which the contact's mail program sends a reply: of inbound mail if it is set, else the
/// owner's own mailbox.
async fn reply_address(state: &PagesState, message: &Message) -> StoreResult<Option<String>> {
    if message.channel != Channel::Email {
        return Ok(None);
    }
    if let (Some(token), Some(domain)) = (&message.reply_token, &state.inbound_access.domain) {
        return Ok(Some(format!("reply+{}@{domain}", token.reveal())));
    }
    Ok(state.reminders.invoices.letterhead(message.account).await?.email)
}
