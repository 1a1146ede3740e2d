//! The page of the sandbox that shows the messages sent to contacts.

use askama::Template;
use communications::Message;
use invoices::figures::written_instant;
use kernel::{PublicUrls, TimeZone};

use super::message_rows::removed;
use super::segments::{Segment, with_links};
use crate::account::PageLinks;
use crate::confirmation::Confirmation;
use crate::form::{Control, Form, Problem};
use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, Texts};

/// The content of the page.
#[derive(Debug, Clone)]
pub struct SandboxMessages {
    /// The sent messages, newest first.
    pub messages: Vec<SandboxMessage>,
    /// The reply that was refused, if any.
    pub form: Form,
    pub links: PageLinks,
}

/// A sent message. The messages are those of several accounts.
#[derive(Debug, Clone)]
pub struct SandboxMessage {
    pub message: Message,
    /// The form token of a reply.
    pub form_token: String,
}

#[derive(Debug, Clone, Template)]
#[template(path = "communications/sandbox_messages.html")]
pub struct SandboxMessagesPage {
    t: &'static Texts,
    stylesheet: String,
    said: Option<&'static str>,
    problems: Vec<Problem>,
    messages: Vec<SandboxMessageItem>,
    links: PageLinks,
}

#[derive(Debug, Clone)]
struct SandboxMessageItem {
    id: String,
    form_token: String,
    subject: String,
    facts: String,
    text: Vec<Segment>,
    /// The text in the reply box.
    reply: String,
    error: Option<String>,
}

impl Page for SandboxMessagesPage {
    fn confirm(&mut self, what: Confirmation) {
        self.said = Some((self.t.said)(what));
    }
}

impl SandboxMessagesPage {
    #[must_use]
    pub fn new(shown: &SandboxMessages, urls: &PublicUrls) -> Self {
        let (t, form) = (&ENGLISH, &shown.form);
        let text = form.field("text", t.communications.mailroom_reply, Control::Lines);
        let refused = form.value("message");
        // The fields of the page have ids with that of their message.
        let is_shown = shown.messages.iter().any(|one| one.message.id.to_string() == refused);
        let at_the_reply = |problem: Problem| Problem {
            field: problem.field.filter(|_| is_shown).map(|name| format!("{name}-{refused}")),
            ..problem
        };
        let row = |SandboxMessage { message, form_token }: &SandboxMessage| {
            let is_refused = message.id.to_string() == refused;
            SandboxMessageItem {
                id: message.id.to_string(),
                form_token: if is_refused { form.form_token.clone() } else { form_token.clone() },
                subject: subject(message, t),
                facts: facts(message, t),
                text: match message.text_removed_at {
                    Some(at) => vec![removed(at, &TimeZone::utc(), t.communications)],
                    None => with_links(&message.text),
                },
                reply: if is_refused { text.value.clone() } else { String::new() },
                error: text.error.clone().filter(|_| is_refused),
            }
        };
        Self {
            t,
            stylesheet: urls.asset(&stylesheet::NAME),
            said: None,
            problems: form.problems([&text]).into_iter().map(at_the_reply).collect(),
            messages: shown.messages.iter().map(row).collect(),
            links: shown.links.clone(),
        }
    }
}

fn subject(message: &Message, t: &Texts) -> String {
    message.subject.clone().unwrap_or_else(|| (t.communications.channel)(message.channel).to_owned())
}

fn facts(message: &Message, t: &Texts) -> String {
    let c = t.communications;
    let at = format!("{} UTC", written_instant(message.written_at, &TimeZone::utc()));
    (c.mailroom_facts)((c.channel)(message.channel), message.address.as_str(), &at)
}
