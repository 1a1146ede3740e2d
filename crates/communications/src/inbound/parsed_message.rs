//! An inbound message as it was read, and what its newest text says.

use classification::{Classification, MessageType, VERSION};
use escalations::Channel;
use kernel::text::one_line;
use time::Date;

use super::inbox::InboxItem;
use super::mail::{Automatic, Bounce, InboundMail};
use super::opt_out_keyword::{is_opt_in_keyword, mentions_stop, opt_out_keyword};
use super::receive::sha256;
use super::sent_words::without_sent;
use crate::address::Address;
use crate::classify::classify;
use crate::reply_token::ReplyToken;

/// The longest text of an inbound message that is kept, in characters: the limit of an escalation's
/// statement.
const MAX_TEXT_LENGTH: usize = 10_000;

/// An inbound message as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ParsedMessage {
    pub(super) channel: Channel,
    pub(super) sender: Option<Address>,
    pub(super) recipients: Vec<String>,
    pub(super) in_reply_to: Vec<String>,
    pub(super) internet_id: Option<String>,
    pub(super) subject: Option<String>,
    pub(super) text: String,
    pub(super) attachments: u32,
    /// Whether the provider of text messages recognised an opt-out.
    pub(super) opts_out: bool,
    pub(super) automatic: Option<Automatic>,
    pub(super) bounce: Option<Bounce>,
    /// The digest by which a repeated e-mail is recognised. A text message has no `Message-ID`; the inbox has
    /// stored a repeated one once.
    pub(super) content_digest: Option<[u8; 32]>,
}

impl ParsedMessage {
    /// An e-mail.
    pub(super) fn of_mail(mail: InboundMail) -> Self {
        let sender = mail.from.as_deref().and_then(|from| Address::parse(Channel::Email, from).ok());
        let mut parsed = Self {
            channel: Channel::Email,
            sender,
            recipients: mail.recipients,
            in_reply_to: mail.in_reply_to,
            internet_id: mail.message_id,
            subject: mail.subject,
            text: mail.text,
            attachments: u32::try_from(mail.attachments).unwrap_or(u32::MAX),
            opts_out: false,
            automatic: mail.automatic,
            bounce: mail.bounce,
            content_digest: None,
        };
        parsed.content_digest = Some(parsed.digest());
        parsed
    }

    /// A text message as the inbox has it.
    pub(super) fn of_text_message(item: &InboxItem, content: &[u8]) -> Self {
        Self {
            channel: item.channel,
            sender: item.sender.clone(),
            recipients: Vec::new(),
            in_reply_to: Vec::new(),
            internet_id: None,
            subject: None,
            text: cut(String::from_utf8_lossy(content).trim()),
            attachments: item.attachments,
            opts_out: item.opts_out,
            automatic: None,
            bounce: None,
            content_digest: None,
        }
    }

    /// Leaves out what the mail repeats of the message that it answers. If nothing else stands in it, its
    /// subject is what the customer wrote, unless a mark such as "Re:" says that it may be another's.
    pub(super) fn leave_out_sent(&mut self, answered: &str) {
        if self.channel != Channel::Email || self.text.trim().is_empty() {
            return;
        }
        self.text = without_sent(&self.text, answered);
        let own = self.subject.as_deref().filter(|subject| !subject.contains([':', '：']));
        if self.text.trim().is_empty()
            && self.automatic.is_none()
            && let Some(own) = own
        {
            self.text = own.to_owned();
        }
    }

    /// The text that is stored.
    pub(super) fn stored_text(&self) -> String {
        cut(&self.text)
    }

    /// The subject that is stored.
    pub(super) fn stored_subject(&self) -> Option<String> {
        self.subject.as_deref().map(|subject| one_line(subject, 500))
    }

    /// The `Message-ID` that is stored.
    pub(super) fn stored_internet_id(&self) -> Option<String> {
        self.internet_id.as_deref().map(|id| one_line(id, 500))
    }

    /// Reports may differ in the mail that they return alone.
    fn digest(&self) -> [u8; 32] {
        let sender = self.sender.as_ref().map_or("", |sender| sender.as_str());
        let subject = self.stored_subject().unwrap_or_default();
        let mut texts = vec![sender.as_bytes(), subject.as_bytes(), self.text.as_bytes()];
        texts.extend(self.bounce.iter().flat_map(|bounce| &bounce.returned_ids).map(String::as_bytes));
        sha256(&texts)
    }

    /// Whether a recipient's address has a reply token.
    pub(super) fn has_token(&self) -> bool {
        self.recipients.iter().any(|address| ReplyToken::in_address(address).is_some())
    }

    /// Whether the owner must read it, since it may say something although it seems to say nothing: in a
    /// file, in encrypted or quoted text, so that only its subject was read, or nothing; or it may mean STOP.
    pub(super) fn needs_owner(&self, message_type: MessageType) -> bool {
        let text = self.text.trim();
        let only_subject = || self.attachments > 0 && self.subject.as_deref().map(str::trim) == Some(text);
        let may_opt_out = || self.channel == Channel::Sms && mentions_stop(text);
        message_type == MessageType::Other && (text.is_empty() || only_subject() || may_opt_out())
    }

    /// Whether it is a text message that only tells the provider to deliver text messages again.
    pub(super) fn opts_in(&self) -> bool {
        self.channel == Channel::Sms && is_opt_in_keyword(&self.text)
    }

    /// Classifies its text, as written on a day.
    pub(super) fn classified(&self, written_on: Date) -> Classification {
        let is_text = self.channel == Channel::Sms;
        let keyword = is_text.then(|| opt_out_keyword(&self.text, written_on)).flatten();
        // The provider may know further keywords, in other languages.
        let keyword = keyword.or_else(|| self.opts_out.then_some(0..self.text.len()));
        let (message_type, evidence) = match keyword {
            Some(keyword) => (MessageType::OptOut, Some(keyword)),
            None if self.opts_in() => (MessageType::Other, None),
            None => {
                let mut understood = classify(&self.text, written_on);
                understood.sure &= !self.needs_owner(understood.message_type);
                return understood;
            }
        };
        Classification { message_type, sure: true, evidence, date: None, version: VERSION }
    }
}

/// The part of a text that is kept, without control characters.
fn cut(text: &str) -> String {
    text.chars().filter(|c| matches!(c, '\n' | '\t') || !c.is_control()).take(MAX_TEXT_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    fn said(channel: Channel, text: &str, opts_out: bool) -> ParsedMessage {
        ParsedMessage {
            channel,
            sender: None,
            recipients: Vec::new(),
            in_reply_to: Vec::new(),
            internet_id: None,
            subject: None,
            text: text.to_owned(),
            attachments: 0,
            opts_out,
            automatic: None,
            bounce: None,
            content_digest: None,
        }
    }

    #[test]
    fn keyword_that_opts_in_again_says_nothing_in_a_text_message() {
        for (channel, text, is_keyword) in [
            (Channel::Sms, "START", true),
            (Channel::Sms, "unstop", true),
            (Channel::Sms, " Start\n", true),
            (Channel::Sms, "HELP", false),
            (Channel::Email, "START", false),
        ] {
            let understood = said(channel, text, false).classified(date!(2026 - 12 - 01));
            let says_nothing = understood.message_type == MessageType::Other && understood.sure;
            assert_eq!(says_nothing, is_keyword, "{channel:?} {text}: {understood:?}");
        }
    }

    #[test]
    fn message_of_which_at_most_the_subject_was_read_is_not_sure() {
        for (subject, text, attachments, sure) in [
            (None, " ", 0, false),
            (Some("Re: Invoice"), "", 1, false),
            (Some("Thanks, got it."), "Thanks, got it.", 1, false),
            (Some("Thanks, got it."), "Thanks, got it.", 0, true),
            (Some("I lost my job"), "I lost my job", 1, true),
            (Some("Invoice"), "Thanks, got it.", 1, true),
        ] {
            let subject = subject.map(str::to_owned);
            let message = ParsedMessage { subject, attachments, ..said(Channel::Email, text, false) };
            let understood = message.classified(date!(2026 - 12 - 01));
            assert_eq!(understood.sure, sure, "{text:?} {attachments}");
        }
    }

    #[test]
    fn text_that_may_mean_stop_and_is_not_understood_needs_the_owner() {
        for (channel, text, needs_owner) in [
            (Channel::Sms, "ok stop", true),
            (Channel::Sms, "STOP Sent from my iPhone", true),
            (Channel::Sms, "The next stop is mine", false),
            (Channel::Sms, "Thanks, got it.", false),
            (Channel::Email, "ok stop", false),
        ] {
            let message = said(channel, text, false);
            let understood = message.classified(date!(2026 - 12 - 01));
            assert_eq!(understood.message_type, MessageType::Other, "{text}: {understood:?}");
            assert_eq!(message.needs_owner(understood.message_type), needs_owner, "{channel:?} {text}");
        }
    }

    #[test]
    fn keyword_alone_surely_ends_text_messages_and_not_mail() {
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

    #[test]
    fn changed_subject_above_a_repeated_message_is_what_the_customer_wrote() {
        let sent = "Invoice INV-1 from Shop was due on 2 December 2026.\nAmount due: $100.00\nPlease pay it.";
        for (subject, text) in
            [("Insolvency – stop reminders", "Insolvency – stop reminders"), ("Re: Pay", "")]
        {
            let subject = Some(subject.to_owned());
            let mut message = ParsedMessage { subject, ..said(Channel::Email, sent, false) };
            message.leave_out_sent(sent);
            assert_eq!(message.text, text);
        }
    }
}
