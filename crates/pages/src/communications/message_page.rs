//! One message with its whole text.

use askama::Template;
use kernel::{PublicUrls, TimeZone};

use super::message_rows::{MessageItem, ShownMessage};
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, Form, Problem};
use crate::page::Page;
use crate::texts::{CommunicationsTexts, ENGLISH, Texts};

/// The content of the page, and of the page on which the message is answered.
#[derive(Debug, Clone)]
pub struct OneMessage {
    /// The name of the account's company.
    pub company: String,
    pub shown: ShownMessage,
    pub time_zone: TimeZone,
    /// The correction of its type that was refused, if any; or the answer.
    pub form: Form,
}

/// One message with its whole text.
#[derive(Debug, Clone, Template)]
#[template(path = "communications/message.html")]
pub struct MessagePage {
    t: &'static Texts,
    c: &'static CommunicationsTexts,
    layout: Dashboard,
    form_token: String,
    problems: Vec<Problem>,
    /// The page to which its forms lead.
    back: &'static str,
    messages: Vec<MessageItem>,
    inbox: String,
    zone: String,
}

impl Page for MessagePage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl MessagePage {
    #[must_use]
    pub fn new(one: &OneMessage, urls: &PublicUrls) -> Self {
        let (t, c, form) = (&ENGLISH, ENGLISH.communications, &one.form);
        let corrected = form.field("type", c.meaning, Control::Lines);
        let at_the_select = |problem: Problem| Problem {
            field: problem.field.map(|_| format!("means-{}", one.shown.message.id)),
            ..problem
        };
        let problems = form.problems([&corrected]).into_iter().map(at_the_select).collect();
        let mut row = MessageItem::whole(&one.shown, &one.time_zone, urls);
        row.type_error = corrected.error;
        Self {
            t,
            c,
            layout: Dashboard::new(&one.company, Section::Inbox, c.message, urls, t),
            form_token: form.form_token.clone(),
            problems,
            back: ["contact", "inbox_of_contact"]
                .into_iter()
                .find(|back| form.value("back") == *back)
                .unwrap_or("inbox"),
            messages: vec![row],
            inbox: urls.page("/dashboard/inbox"),
            zone: (t.invoicing.zone)(one.time_zone.name()),
        }
    }
}
