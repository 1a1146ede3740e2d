//! `/dashboard/inbox`: the messages from customers and to them.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::HttpRequest;
use communications::{Message, MessageId};
use contacts::ContactId;
use kernel::{Cursor, Id};
use pages::PageLinks;
use pages::communications::{InboxPage, ShownInbox, ShownMessage};

use crate::forms::submit::new_form_token;
use crate::forms::{FormFields, PageError, PageResult};
use crate::list_cursor;
use crate::page::render;
use crate::session_caller::SessionCaller;

pub(super) const PATH: &str = "/dashboard/inbox";
/// How many messages a page shows.
const SIZE: usize = 25;

pub(super) async fn show(caller: SessionCaller, http: HttpRequest) -> PageResult {
    let (state, account) = (caller.state(), caller.scope().id);
    let query = FormFields::of_query(&http)?;
    let contact = contact(&caller, &query).await?;
    let id = contact.as_ref().map(|(id, _)| *id);
    let after = list_cursor::start((&state.cursors, &state.links), (PATH, &cursor_scope(&caller)), &query)?;
    let after = after.map(|cursor| Id::from_uuid(cursor.after));
    let reads = &state.conversations.reads;
    // Unread messages are on the first page only; further pages start after a message.
    let unread = if after.is_none() { reads.unread(account, id, SIZE).await? } else { Vec::new() };
    let mut messages = reads.messages(account, id, after, SIZE.saturating_add(1)).await?;
    let has_more = messages.len() > SIZE;
    messages.truncate(SIZE);
    let next = messages.last().filter(|_| has_more).map(|last| last.id);
    let ids: BTreeSet<ContactId> =
        unread.iter().chain(&messages).filter_map(|message| message.contact).collect();
    let ids: Vec<ContactId> = ids.into_iter().collect();
    let names = state.conversations.contacts.names(account, &ids).await?.into_iter().collect();
    let inbox = ShownInbox {
        company: caller.company_name().to_owned(),
        unread: shown(unread, &names),
        messages: shown(messages, &names),
        contact: contact.map(|(id, name)| (id.to_string(), name)),
        contacts: choices(names),
        time_zone: caller.scope().time_zone.clone(),
        form_token: new_form_token(state, account),
        links: links(&caller, id, after.is_some(), next),
    };
    let urls = state.links.clone();
    Ok(render(&http, move || InboxPage::new(&inbox, &urls)).await?)
}

/// The contact that the query limits the list to.
async fn contact(
    caller: &SessionCaller,
    query: &FormFields,
) -> Result<Option<(ContactId, String)>, PageError> {
    let text = query.get("contact");
    if text.is_empty() {
        return Ok(None);
    }
    let id = Id::parse(text).ok_or_else(PageError::not_found)?;
    let found = caller.state().conversations.contacts.get(caller.scope().id, id).await?;
    let found = found.ok_or_else(PageError::not_found)?;
    Ok(Some((id, found.name.to_string())))
}

fn cursor_scope(caller: &SessionCaller) -> String {
    format!("dashboard/inbox/{}", caller.scope().id)
}

fn links(
    caller: &SessionCaller,
    contact: Option<ContactId>,
    is_later: bool,
    next: Option<MessageId>,
) -> PageLinks {
    let state = caller.state();
    let filter = contact.map(|id| format!("contact={id}")).unwrap_or_default();
    let sealed = |id: MessageId| state.cursors.seal(&cursor_scope(caller), Cursor { after: id.uuid() });
    PageLinks {
        first: is_later.then(|| state.links.page(format_args!("{PATH}?{filter}"))),
        next: next.map(|id| state.links.page(format_args!("{PATH}?{filter}&cursor={}", sealed(id)))),
    }
}

/// The messages with the names of their contacts.
fn shown(messages: Vec<Message>, names: &BTreeMap<ContactId, String>) -> Vec<ShownMessage> {
    let with_name = |message: Message| {
        let contact = message.contact.and_then(|id| names.get(&id)).cloned();
        ShownMessage { message, contact }
    };
    messages.into_iter().map(with_name).collect()
}

/// The contacts of the messages, by their names.
fn choices(names: BTreeMap<ContactId, String>) -> Vec<(String, String)> {
    let mut choices: Vec<_> = names.into_iter().map(|(id, name)| (id.to_string(), name)).collect();
    choices.sort_by(|one, other| one.1.cmp(&other.1));
    choices
}
