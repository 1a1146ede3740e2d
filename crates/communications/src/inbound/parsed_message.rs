//! An inbound message as it was read, and what its newest text says.

use escalations::Channel;
use time::Date;

use super::mail::{Automatic, Bounce};
use super::opt_out_keyword::opt_out_keyword;
use crate::address::Address;
use crate::classification::{Classification, MessageType, VERSION, classify};

/// An inbound message as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedMessage {
    pub(super) channel: Channel,
    pub(super) sender: Option<Address>,
    pub(super) recipients: Vec<String>,
    pub(super) answers: Vec<String>,
    pub(super) internet_id: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) text: String,
    pub(super) attachments: u32,
    pub(super) automatic: Option<Automatic>,
    pub(super) bounce: Option<Bounce>,
}

impl ParsedMessage {
    /// Classifies its text, as written on a day.
    pub(super) fn classified(&self, written_on: Date) -> Classification {
        match opt_out_keyword(&self.text) {
            Some(keyword) if self.channel == Channel::Sms => Classification {
                message_type: MessageType::OptOut,
                sure: true,
                evidence: Some(keyword),
                date: None,
                version: VERSION,
            },
            _ => classify(&self.text, written_on),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn keyword_alone_surely_ends_text_messages_and_not_mail() {
        let said = |channel, text: &str| ParsedMessage {
            channel,
            sender: None,
            recipients: Vec::new(),
            answers: Vec::new(),
            internet_id: None,
            subject: None,
            text: text.to_owned(),
            attachments: 0,
            automatic: None,
            bounce: None,
        };
        for (channel, text, sure) in [
            (Channel::Sms, "END", true),
            (Channel::Sms, "Revoke.", true),
            (Channel::Sms, "Cancel my order then", false),
            (Channel::Email, "Cancel", false),
        ] {
            let understood = said(channel, text).classified(date!(2026 - 12 - 01));
            let opts_out = understood.message_type == MessageType::OptOut && understood.sure;
            assert_eq!(opts_out, sure, "{channel:?} {text}");
        }
    }
}
