//! An inbound message as it was read, and what its newest text says.

use escalations::Channel;
use time::Date;

use super::mail::{Automatic, Bounce};
use super::opt_out_keyword::opt_out_keyword;
use crate::address::Address;
use crate::classification::{Classification, MessageType, VERSION, classify};
use crate::reply_token::ReplyToken;

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
    /// Whether the provider of text messages recognised an opt-out.
    pub(super) opts_out: bool,
    pub(super) automatic: Option<Automatic>,
    pub(super) bounce: Option<Bounce>,
}

impl ParsedMessage {
    /// Whether a recipient's address has a reply token.
    pub(super) fn has_token(&self) -> bool {
        self.recipients.iter().any(|address| ReplyToken::in_address(address).is_some())
    }

    /// Classifies its text, as written on a day.
    pub(super) fn classified(&self, written_on: Date) -> Classification {
        let keyword = opt_out_keyword(&self.text).filter(|_| self.channel == Channel::Sms);
        // The provider may know further keywords, in other languages.
        let keyword = keyword.or_else(|| self.opts_out.then_some(0..self.text.len()));
        match keyword {
            Some(keyword) => Classification {
                message_type: MessageType::OptOut,
                sure: true,
                evidence: Some(keyword),
                date: None,
                version: VERSION,
            },
            None => classify(&self.text, written_on),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn keyword_alone_surely_ends_text_messages_and_not_mail() {
        let said = |channel, text: &str, opts_out| ParsedMessage {
            channel,
            sender: None,
            recipients: Vec::new(),
            answers: Vec::new(),
            internet_id: None,
            subject: None,
            text: text.to_owned(),
            attachments: 0,
            opts_out,
            automatic: None,
            bounce: None,
        };
        for (channel, text, by_provider, sure) in [
            (Channel::Sms, "END", false, true),
            (Channel::Sms, "Revoke.", false, true),
            (Channel::Sms, "Cancel my order then", false, false),
            (Channel::Sms, "Baja", false, false),
            (Channel::Sms, "Baja", true, true),
            (Channel::Email, "Cancel", false, false),
        ] {
            let understood = said(channel, text, by_provider).classified(date!(2026 - 12 - 01));
            let opts_out = understood.message_type == MessageType::OptOut && understood.sure;
            assert_eq!(opts_out, sure, "{channel:?} {text}");
        }
    }
}
