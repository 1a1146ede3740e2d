//! The texts of the pages on communications with customers.

use escalations::Channel;

/// The texts of the pages on communications with customers.
#[derive(Debug)]
pub struct CommunicationsTexts {
    // The page that ends reminders
    pub unsubscribe: &'static str,
    pub unsubscribe_intro: fn(Channel, &str) -> String,
    pub unsubscribe_button: &'static str,
    pub unsubscribe_note: &'static str,
    pub unsubscribed: &'static str,
    pub unsubscribed_intro: fn(Channel, &str) -> String,
}

/// English.
pub(super) static ENGLISH: CommunicationsTexts = CommunicationsTexts {
    unsubscribe: "End reminders",
    unsubscribe_intro: |channel, address| {
        format!("Press the button to get no more reminders by {} to {address}.", by(channel))
    },
    unsubscribe_button: "End reminders",
    unsubscribe_note: "Invoices, receipts and answers to your messages still come. Invoices stay payable.",
    unsubscribed: "Reminders have ended",
    unsubscribed_intro: |channel, address| {
        format!("No more reminders by {} are sent to {address}.", by(channel))
    },
};

const fn by(channel: Channel) -> &'static str {
    match channel {
        Channel::Email => "e-mail",
        Channel::Sms => "text message",
        Channel::Voice => "telephone",
    }
}
