//! The inbox: messages from customers and to them.

use askama::Template;
use kernel::{PublicUrls, TimeZone};

use super::message_rows::{MessageItem, ShownMessage};
use crate::account::PageLinks;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::Choice;
use crate::page::Page;
use crate::texts::{CommunicationsTexts, ENGLISH, Texts};

/// The content of the inbox.
#[derive(Debug, Clone)]
pub struct ShownInbox {
    /// The name of the account's company.
    pub company: String,
    /// Unread messages, newest first.
    pub unread: Vec<ShownMessage>,
    /// All messages, newest first.
    pub messages: Vec<ShownMessage>,
    /// The contact that the list is limited to: the id and the name.
    pub contact: Option<(String, String)>,
    /// Contacts to choose from: their ids and names.
    pub contacts: Vec<(String, String)>,
    pub time_zone: TimeZone,
    pub form_token: String,
    pub links: PageLinks,
}

#[derive(Debug, Clone, Template)]
#[template(path = "communications/inbox.html")]
pub struct InboxPage {
    t: &'static Texts,
    c: &'static CommunicationsTexts,
    layout: Dashboard,
    form_token: String,
    unread: Vec<MessageItem>,
    messages: Vec<MessageItem>,
    contacts: Vec<Choice>,
    /// Where the forms of messages lead: to the inbox, or to that of the chosen contact.
    back: &'static str,
    settings: String,
    zone: String,
    links: PageLinks,
}

impl Page for InboxPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl InboxPage {
    #[must_use]
    pub fn new(inbox: &ShownInbox, urls: &PublicUrls) -> Self {
        let (t, c, zone) = (&ENGLISH, ENGLISH.communications, &inbox.time_zone);
        let rows = |shown: &[ShownMessage]| {
            shown.iter().map(|one| MessageItem::excerpt(one, zone, urls)).collect::<Vec<_>>()
        };
        // Unread messages are shown above, and not repeated among all messages.
        let is_waiting =
            |one: &&ShownMessage| inbox.unread.iter().any(|row| row.message.id == one.message.id);
        let others: Vec<ShownMessage> =
            inbox.messages.iter().filter(|one| !is_waiting(one)).cloned().collect();
        let chosen = inbox.contact.as_ref().map(|(id, _)| id);
        let all = inbox.contact.iter().chain(&inbox.contacts);
        let mut contacts: Vec<Choice> = Vec::new();
        for (id, name) in all {
            if contacts.iter().all(|known| known.value != *id) {
                let is_chosen = chosen == Some(id);
                contacts.push(Choice { value: id.clone(), label: name.clone(), is_chosen });
            }
        }
        Self {
            t,
            c,
            layout: Dashboard::new(&inbox.company, Section::Inbox, c.inbox, urls, t),
            form_token: inbox.form_token.clone(),
            unread: rows(&inbox.unread),
            messages: rows(&others),
            contacts,
            back: if chosen.is_some() { "inbox_of_contact" } else { "inbox" },
            settings: urls.page("/dashboard/settings/communications"),
            zone: (t.invoicing.zone)(zone.name()),
            links: inbox.links.clone(),
        }
    }
}
