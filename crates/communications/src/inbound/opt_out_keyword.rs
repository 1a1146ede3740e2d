//! Words that opt out of text messages, or in again, when a text message says nothing else.

use std::ops::Range;

use classification::{MessageType, narrow};
use time::Date;

use crate::classify::classify;

/// The words that a sender must obey (47 CFR 64.1200 (a)(10)), and those that carriers and Twilio act upon by
/// themselves. In an e-mail they may mean something else: "cancel" the invoice.
const KEYWORDS: [&str; 12] = [
    "stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit", "revoke", "opt out", "optout",
    "opt-out", "arret",
];
/// Those whose sentence does not go on in the next line, as "cancel / my order" does: a name there signs
/// them.
const SIGNED_KEYWORDS: [&str; 4] = ["stop", "stopall", "stop all", "unsubscribe"];
/// The most words of a name.
const MAX_WORDS_OF_NAME: usize = 3;

/// The byte range of the keyword, if a text message that was written on this day says nothing else. A
/// signature below it says nothing.
pub(super) fn opt_out_keyword(text: &str, written_on: Date) -> Option<Range<usize>> {
    let start = text.find(char::is_alphanumeric)?;
    let said = text.get(start..)?;
    let (line, below) = said.split_once('\n').unwrap_or((said, ""));
    let keyword = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_one_of = |words: &[&str]| words.iter().any(|one| is_word(keyword, one));

    let is_text = |line: &&str| line.contains(char::is_alphanumeric);
    let mut lines = below.lines().map(str::trim).take_while(|line| *line != "--").filter(is_text).peekable();
    let _name = lines.next_if(|line| is_one_of(&SIGNED_KEYWORDS) && is_name(line, written_on));
    let is_alone = lines.next().is_none_or(is_of_phone) && lines.next().is_none();
    (is_alone && is_one_of(&KEYWORDS)).then(|| start..start.saturating_add(keyword.len()))
}

/// Whether a text message begins or ends with STOP. Among other words it may be meant, or not: "at the next
/// stop".
pub(super) fn mentions_stop(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let (first, last) = (words.next(), words.next_back());
    [first, last].into_iter().flatten().any(|word| is_word(word, "stop"))
}

/// Whether a text message only tells the provider to deliver text messages again.
pub(super) fn is_opt_in_keyword(text: &str) -> bool {
    ["start", "unstop"].iter().any(|one| is_word(text.trim(), one))
}

/// Whether this word is written, in any case, and perhaps in wide letters.
fn is_word(written: &str, word: &str) -> bool {
    written.chars().map(|c| narrow(c).to_ascii_lowercase()).eq(word.chars())
}

/// Whether a line may be a name: a few words with capital letters that do not surely say anything. The rules
/// may be unsure of a name, which is like many other words.
fn is_name(line: &str, written_on: Date) -> bool {
    let understood = classify(line, written_on);
    let is_of_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | ',' | '-' | '\'' | '’'))
    };
    line.split_whitespace().count() <= MAX_WORDS_OF_NAME
        && line.split_whitespace().all(is_of_name)
        && (understood.message_type == MessageType::Other || !understood.sure)
}

/// Whether a phone may have written the line, and not a customer who "sent from my account" what was due.
fn is_of_phone(line: &str) -> bool {
    let line = line.to_lowercase();
    line.starts_with("sent from my ") && !["account", "bank", "card"].iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn keyword_counts_when_nothing_else_is_said() {
        for (text, expected) in [
            ("END", Some("END")),
            (" \"Cancel.\"\n", Some("Cancel")),
            ("Opt out!", Some("Opt out")),
            ("revoke", Some("revoke")),
            ("ＳＴＯＰ！", Some("ＳＴＯＰ")),
            ("𝐒𝐭𝐨𝐩", Some("𝐒𝐭𝐨𝐩")),
            ("STOP\nSent from my iPhone", Some("STOP")),
            ("Cancel.\r\n\r\nSent from my Samsung Galaxy", Some("Cancel")),
            ("Stop\n-- \nJohn Smith, 12 High Street", Some("Stop")),
            ("STOP.\nAnna", Some("STOP")),
            ("STOP\nJohn R. O'Neil\nSent from my iPhone", Some("STOP")),
            ("", None),
            ("...", None),
            ("cancel the invoice", None),
            ("I pay at the end", None),
            ("the end", None),
            ("CANCEL\nMY ORDER", None),
            ("Stop\nsending the invoice to my old address", None),
            ("STOP\nPaid", None),
            ("STOP\nLost Job", None),
            ("STOP\n+491701234567", None),
            ("STOP\nSent from my account yesterday", None),
            ("STOP\nSent from my iPhone\nI lost my job", None),
        ] {
            let found = opt_out_keyword(text, date!(2026 - 12 - 01)).and_then(|span| text.get(span));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
