//! The page on which the owner answers a customer's message.

use askama::Template;
use communications::Channel;
use kernel::PublicUrls;

use super::message_page::OneMessage;
use super::message_rows::MessageItem;
use crate::confirmation::Confirmation;
use crate::dashboard::{Dashboard, Section};
use crate::form::{Control, FormField, Problem};
use crate::page::Page;
use crate::texts::{CommunicationsTexts, ENGLISH, Texts};

/// The page on which the owner answers a customer's message.
#[derive(Debug, Clone, Template)]
#[template(path = "communications/answer.html")]
pub struct AnswerPage {
    t: &'static Texts,
    c: &'static CommunicationsTexts,
    layout: Dashboard,
    form_token: String,
    problems: Vec<Problem>,
    message: MessageItem,
    to: String,
    text: FormField,
    back: String,
    zone: String,
}

impl Page for AnswerPage {
    fn confirm(&mut self, what: Confirmation) {
        self.layout.confirm(what, self.t);
    }
}

impl AnswerPage {
    #[must_use]
    pub fn new(one: &OneMessage, urls: &PublicUrls) -> Self {
        let (t, c, form) = (&ENGLISH, ENGLISH.communications, &one.form);
        let message = &one.shown.message;
        let text = form.field("text", c.answer_text, Control::Lines);
        let text = if message.channel == Channel::Sms { text.hint(c.answer_sms_hint) } else { text };
        Self {
            t,
            c,
            layout: Dashboard::new(&one.company, Section::Inbox, c.answer_heading, urls, t),
            form_token: form.form_token.clone(),
            problems: form.problems([&text]),
            message: MessageItem::whole(&one.shown, &one.time_zone, urls),
            to: (c.answer_to)((c.by_channel)(message.channel), message.address.as_str()),
            text,
            back: urls.page("/dashboard/inbox"),
            zone: (t.invoicing.zone)(one.time_zone.name()),
        }
    }
}
