//! Messages as rows, with their classification and the owner's links to change it.

use communications::{Channel, ClassifiedBy, Direction, HoldReason, Message, MessageType, SkipReason};
use invoices::figures::{written_date, written_instant};
use kernel::{Named as _, PublicUrls, TimeZone};
use time::OffsetDateTime;

use super::segments::{Segment, with_links, with_mark};
use crate::form::Choice;
use crate::texts::{CommunicationsTexts, ENGLISH};

#[derive(Debug, Clone)]
pub(crate) struct MessageItem {
    pub(crate) id: String,
    pub(crate) facts: String,
    pub(crate) contact: Option<(String, String)>,
    pub(crate) subject: Option<String>,
    pub(crate) text: Vec<Segment>,
    /// The URL of the message's page, if the text was cut.
    pub(crate) whole_at: Option<String>,
    /// The classification of the message.
    pub(crate) understood: Option<String>,
    pub(crate) notes: Vec<String>,
    pub(crate) is_unread: bool,
    /// The URL of the answer's page; `None` if the message cannot be answered.
    pub(crate) answer_at: Option<String>,
    /// The URL that marks the message as handled.
    pub(crate) handled_at: String,
    /// The URL that corrects the classification; `None` if the message has none.
    pub(crate) correct_at: Option<String>,
    pub(crate) types: Vec<Choice>,
    /// The version of the type, by which a correction of an outdated one is refused.
    pub(crate) version: &'static str,
    /// The fault of the type to which the classification was to be corrected.
    pub(crate) type_error: Option<String>,
}

/// A message, with its contact if that is to be shown.
#[derive(Debug, Clone)]
pub struct ShownMessage {
    pub message: Message,
    /// The contact's name.
    pub contact: Option<String>,
}

impl MessageItem {
    /// The number of characters that a list shows of a message.
    const EXCERPT: usize = 300;

    /// A message in a list, with the beginning of its text.
    pub(crate) fn excerpt(shown: &ShownMessage, zone: &TimeZone, urls: &PublicUrls) -> Self {
        Self::new(shown, Self::EXCERPT, zone, urls)
    }

    /// A message with its whole text.
    pub(crate) fn whole(shown: &ShownMessage, zone: &TimeZone, urls: &PublicUrls) -> Self {
        Self::new(shown, usize::MAX, zone, urls)
    }

    fn new(shown: &ShownMessage, max: usize, zone: &TimeZone, urls: &PublicUrls) -> Self {
        let (c, message) = (ENGLISH.communications, &shown.message);
        let own = |action: &str| urls.page(format_args!("/dashboard/messages/{}/{action}", message.id));
        let (text, is_cut) = cut(&message.text, max);
        let understood = message.understood.as_ref();
        Self {
            id: message.id.to_string(),
            facts: facts(message, zone, c),
            contact: message
                .contact
                .zip(shown.contact.clone())
                .map(|(id, name)| (urls.page(format_args!("/dashboard/contacts/{id}#conversation")), name)),
            subject: message.subject.clone(),
            text: match (message.text_removed_at, understood) {
                (Some(at), _) => vec![removed(at, zone, c)],
                (None, Some(understood)) if message.direction == Direction::In => {
                    with_mark(&text, &understood.evidence)
                }
                (None, _) => with_links(&text),
            },
            whole_at: is_cut.then(|| urls.page(format_args!("/dashboard/messages/{}", message.id))),
            understood: understood.map(|_| words(message, c)),
            notes: notes(message, c),
            is_unread: message.is_unread,
            answer_at: message.can_be_answered().then(|| own("answer")),
            handled_at: own("handled"),
            // Without its text the meaning of a message cannot be judged.
            correct_at: understood.filter(|_| message.text_removed_at.is_none()).map(|_| own("correct")),
            types: types(understood.map(communications::Understood::says), c),
            version: message.version(),
            type_error: None,
        }
    }
}

/// The replacement of a text that was removed.
pub(super) fn removed(at: OffsetDateTime, zone: &TimeZone, c: &CommunicationsTexts) -> Segment {
    Segment::plain(&(c.text_removed)(&written_date(zone.date_at(at))))
}

fn types(says: Option<MessageType>, c: &CommunicationsTexts) -> Vec<Choice> {
    let choice = |one: MessageType| Choice {
        value: one.as_str().to_owned(),
        label: (c.message_type)(one).to_owned(),
        is_chosen: says == Some(one),
    };
    MessageType::ALL.map(choice).to_vec()
}

fn facts(message: &Message, zone: &TimeZone, c: &CommunicationsTexts) -> String {
    let at = written_instant(message.written_at, zone);
    let by = (c.channel)(message.channel);
    match message.direction {
        Direction::In => (c.came_in)(by, message.address.as_str(), &at),
        Direction::Out => (c.went_out)(by, message.address.as_str(), &at, (c.state)(message.state)),
    }
}

/// The classification, and who made it.
fn words(message: &Message, c: &CommunicationsTexts) -> String {
    let Some(understood) = &message.understood else {
        return String::new();
    };
    let read = (c.message_type)(understood.message_type);
    let date = understood.date.map(written_date);
    let mut read = (c.understood)(read, understood.sure, date.as_deref());
    if understood.classified_by == ClassifiedBy::LanguageModel {
        read.push_str(c.classified_by_model);
    }
    match understood.corrected {
        Some(corrected) => (c.corrected)((c.message_type)(corrected), &read),
        None => read,
    }
}

fn notes(message: &Message, c: &CommunicationsTexts) -> Vec<String> {
    let attachments = (message.attachments > 0).then(|| (c.attachments)(message.attachments));
    let is_mail_out = message.channel == Channel::Email && message.direction == Direction::Out;
    let detail = message.detail.as_deref().filter(|_| !is_mail_out || message.state.as_str() == "failed");
    // A reminder that was no longer allowed, or whose step was skipped, has the name of the reason.
    let reason = |detail| {
        let held = HoldReason::parse(detail).map(c.hold_reason);
        held.or_else(|_| SkipReason::parse(detail).map(c.skip_reason)).unwrap_or(detail)
    };
    let detail = detail.map(|detail| reason(detail).to_owned());
    [attachments, detail].into_iter().flatten().collect()
}

/// A text of at most `max` characters: one that is longer is cut after a word. The second value says whether
/// it was cut.
fn cut(text: &str, max: usize) -> (String, bool) {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return (text.to_owned(), false);
    };
    let (kept, rest) = text.split_at(end);
    // Without a space, as in a long address, the text is cut within a word.
    let words = match kept.rfind(char::is_whitespace) {
        Some(space) if !rest.starts_with(char::is_whitespace) => kept.get(..space).unwrap_or(kept),
        _ => kept,
    };
    (format!("{}…", words.trim_end()), true)
}

#[cfg(test)]
mod tests {
    use communications::{Address, MessageData, MessagePurpose, MessageState};
    use kernel::Id;
    use testkit::{CountingIds, FixedClock};

    use super::*;

    #[test]
    fn long_text_is_cut_after_a_word() {
        let cut = |text, max| cut(text, max);
        assert_eq!(cut("I paid it", 9), ("I paid it".to_owned(), false));
        assert_eq!(cut("I paid it", 8), ("I paid…".to_owned(), true));
        assert_eq!(cut("I paid it", 7), ("I paid…".to_owned(), true));
        assert_eq!(cut("I paid it", 6), ("I paid…".to_owned(), true));
        assert_eq!(cut("ä\nöé", 3), ("ä…".to_owned(), true));
        assert_eq!(cut("https://a.example", 5), ("https…".to_owned(), true));
    }

    #[test]
    fn reason_of_a_text_that_was_dropped_is_told_in_words() {
        let (ids, now) = (CountingIds::default(), FixedClock::START);
        let way = (Channel::Sms, Address::from_stored("+491701234567".to_owned()));
        let data =
            MessageData::outgoing(Id::new(&ids, now), Id::new(&ids, now), MessagePurpose::Reminder, way, now);
        for (detail, note) in [
            ("no_address", "the customer has no address for this channel"),
            ("collapsed", "a later step took its place"),
            ("the month's text messages are used up", "the month's text messages are used up"),
        ] {
            let (state, detail) = (MessageState::Dropped, Some(detail.to_owned()));
            let message = Message::new(MessageData { state, detail, ..data.clone() });
            assert_eq!(notes(&message, ENGLISH.communications), [note]);
        }
    }

    #[test]
    fn message_without_a_sender_says_so() {
        let came_in = crate::texts::ENGLISH.communications.came_in;
        assert_eq!(came_in("E-mail", "", "7 December"), "E-mail without a sender, 7 December");
    }
}
