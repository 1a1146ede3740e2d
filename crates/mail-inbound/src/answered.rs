//! What is known of the mail that a mail answers.

use communications::{Address, Channel};
use mail_parser::Message;

use crate::headers::{Headers, is_separator};

/// What mail programs put before the subject of a mail that is answered or forwarded.
const ANSWER_MARKS: [&str; 28] = [
    "re", "aw", "antw", "antwort", "sv", "vs", "ref", "rif", "r", "res", "odp", "odg", "ynt", "ilt", "vb",
    "atb", "回复", "答复", "返信", "fw", "fwd", "wg", "tr", "rv", "i", "enc", "pd", "转发",
];
/// Shorter subjects are words that a customer may write behind a colon too.
const FEWEST_LETTERS_OF_SUBJECT: usize = 12;
const MAX_SUBJECT_BYTES: usize = 1_000;

/// The answered mail, as far as the answer tells.
pub(crate) struct Answered {
    /// Without marks, in lower case; empty if the mail is no answer or nothing can be compared with it.
    subject: String,
    customer: Option<String>,
}

impl Answered {
    pub(crate) fn by(message: &Message<'_>, headers: &Headers, from: Option<&str>) -> Self {
        let subject = message.subject().filter(|subject| subject.len() <= MAX_SUBJECT_BYTES);
        let subject = subject.unwrap_or_default();
        let named = ["in-reply-to", "references"].iter().any(|name| !headers.ids(name).is_empty());
        let is_answer = named || names_another_mail(subject);
        Self {
            subject: if is_answer { unmarked(&subject.to_lowercase()) } else { String::new() },
            customer: from.map(str::to_lowercase),
        }
    }

    /// Whether a text in lower case is the subject, whatever "Re:" and the like is before it.
    pub(crate) fn has_subject(&self, text: &str) -> bool {
        let is_long = self.subject.chars().count() >= FEWEST_LETTERS_OF_SUBJECT;
        is_long && text.ends_with(&self.subject) && unmarked(text) == self.subject
    }

    /// Whether a text in lower case has an address that is not the customer's.
    pub(crate) fn is_of_another(&self, text: &str) -> bool {
        let by_customer = |customer: &str| {
            let own = address(customer);
            let is_own = |part: &str| part.contains('@') && address(part) == own;
            text.contains(customer) || (own.is_some() && text.split(is_separator).any(is_own))
        };
        text.contains('@') && !self.customer.as_deref().is_some_and(by_customer)
    }
}

/// The address in a text, whichever way its domain is spelled.
fn address(text: &str) -> Option<Address> {
    Address::parse(Channel::Email, text).ok()
}

/// Whether a subject begins like that of a reply or a forwarded mail, and so may be another's words.
pub(crate) fn names_another_mail(subject: &str) -> bool {
    let Some((mark, _)) = subject.split_once([':', '：']) else {
        return false;
    };
    let mark = mark.trim().to_lowercase();
    let mark = mark.split_once('[').map_or(&*mark, |(mark, _count)| mark);
    ANSWER_MARKS.contains(&mark.trim_end())
}

/// A subject without the marks before it.
fn unmarked(subject: &str) -> String {
    let mut left = subject;
    while names_another_mail(left)
        && let Some((_mark, rest)) = left.split_once([':', '：'])
    {
        left = rest;
    }
    left.split_whitespace().collect::<Vec<_>>().join(" ")
}
