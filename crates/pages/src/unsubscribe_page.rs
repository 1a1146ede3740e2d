//! The page on which a contact stops reminders.

use askama::Template;
use communications::Message;
use kernel::PublicUrls;

use crate::page::Page;
use crate::stylesheet;
use crate::texts::{ENGLISH, Texts};

/// The page that stops reminders, or confirms that they have stopped.
#[derive(Debug, Clone, Template)]
#[template(path = "unsubscribe.html")]
pub struct UnsubscribePage {
    t: &'static Texts,
    stylesheet: String,
    heading: &'static str,
    intro: String,
    /// What is sent all the same.
    note: Option<&'static str>,
    is_ended: bool,
}

impl Page for UnsubscribePage {}

impl UnsubscribePage {
    /// The page with the button that stops reminders to the address of `message`.
    #[must_use]
    pub fn new(message: &Message, urls: &PublicUrls) -> Self {
        let c = ENGLISH.communications;
        Self::with(c.unsubscribe, (c.unsubscribe_intro)(message.channel, message.address.as_str()), urls)
    }

    /// The confirmation that reminders have stopped.
    #[must_use]
    pub fn ended(message: &Message, urls: &PublicUrls) -> Self {
        let c = ENGLISH.communications;
        let intro = (c.unsubscribed_intro)(message.channel, message.address.as_str());
        Self { is_ended: true, ..Self::with(c.unsubscribed, intro, urls) }
    }

    /// The page of the link in the preview of a reminder, with which nothing is stopped.
    #[must_use]
    pub fn of_preview(urls: &PublicUrls) -> Self {
        let c = ENGLISH.communications;
        Self {
            is_ended: true,
            note: None,
            ..Self::with(c.unsubscribe, c.unsubscribe_preview.to_owned(), urls)
        }
    }

    fn with(heading: &'static str, intro: String, urls: &PublicUrls) -> Self {
        let stylesheet = urls.asset(&stylesheet::NAME);
        Self {
            t: &ENGLISH,
            stylesheet,
            heading,
            intro,
            note: Some(ENGLISH.communications.unsubscribe_note),
            is_ended: false,
        }
    }
}
