//! The page on which a contact ends reminders.

use askama::Template;
use communications::Message;
use kernel::PublicUrls;

use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, Texts};

/// The page on which reminders are ended, or are said to have ended.
#[derive(Debug, Clone, Template)]
#[template(path = "unsubscribe.html")]
pub struct UnsubscribePage {
    t: &'static Texts,
    stylesheet: String,
    heading: &'static str,
    intro: String,
    is_ended: bool,
}

impl Page for UnsubscribePage {}

impl UnsubscribePage {
    /// The button that ends reminders to where `message` went.
    #[must_use]
    pub fn new(message: &Message, urls: &PublicUrls) -> Self {
        let c = ENGLISH.communications;
        Self::with(c.unsubscribe, (c.unsubscribe_intro)(message.channel, message.address.as_str()), urls)
    }

    /// What is said once they have ended.
    #[must_use]
    pub fn ended(message: &Message, urls: &PublicUrls) -> Self {
        let c = ENGLISH.communications;
        let intro = (c.unsubscribed_intro)(message.channel, message.address.as_str());
        Self { is_ended: true, ..Self::with(c.unsubscribed, intro, urls) }
    }

    fn with(heading: &'static str, intro: String, urls: &PublicUrls) -> Self {
        let stylesheet = urls.asset(&stylesheet::NAME);
        Self { t: &ENGLISH, stylesheet, heading, intro, is_ended: false }
    }
}
