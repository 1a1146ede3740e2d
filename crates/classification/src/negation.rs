//! Which statements are negated, denied or only asked about, as the words before them and between them tell.

use std::ops::Range;

use crate::message_type::MessageType;
use crate::rulebook::{Rule, Rulebook};
use crate::text::{Boundary, Word};

/// How many words before a statement are searched for a negation or for the person whom it is about.
pub(super) const WINDOW: usize = 3;
/// The same for what takes a statement back: "did not ask you to stop".
const WIDE_WINDOW: usize = 4;
/// The same where the negation belongs to a wish: "I do not want to speak to your manager".
const WISH_WINDOW: usize = 8;
/// The same where a question begins before the statement.
const QUESTION_WINDOW: usize = 12;

/// Whether a negation may be the event that the rule is about: "nobody called me back" asks for a person,
/// "has not fixed the broken pump" disputes.
pub(super) fn is_about_events(rule: &Rule) -> bool {
    match rule.kind {
        MessageType::HumanRequest => true,
        MessageType::Dispute => !rule.pattern.is_short(),
        _ => false,
    }
}

/// Whether a negation or a question takes back what the rule matches, so that the rule is no ground to act
/// on: "the invoice is not wrong", "how do I unsubscribe".
pub(super) fn is_taken_back(book: &Rulebook, rule: &Rule, words: &[Word], span: &Range<usize>) -> bool {
    if matches!(rule.kind, MessageType::PaidClaim | MessageType::Other) {
        return false;
    }
    // "Cannot" and "will not" are how people tell of hardship and refuse.
    let class = if rule.kind.raises() { "denies" } else { "neg" };
    let matched = words.get(span.clone()).unwrap_or_default();
    let in_gap = |word: &Word| book.is(class, &word.text) && !rule.pattern.names(&word.text);
    if matched.iter().any(in_gap) {
        return true;
    }
    let before = clause_before(book, words, span.start, WIDE_WINDOW);
    let is_event = rule.kind == MessageType::Refused || is_about_events(rule);
    let negated = if rule.negates_itself {
        is_denied(before)
    } else {
        is_denied(before)
            || is_declined(book, clause_before(book, words, span.start, WISH_WINDOW), matched.first())
            || (!is_event && is_negated(book, class, before, matched.first()))
    };
    negated || is_asked(book, rule.kind, words, span.start)
}

/// Whether the negation belongs to the first word or to a wish for it: "do not call", "do not want to talk",
/// "nothing is wrong". Otherwise it may be the event that the message is about: "not fixed the broken pump".
fn is_declined(book: &Rulebook, before: &[Word], first: Option<&Word>) -> bool {
    before.iter().enumerate().any(|(place, word)| {
        let rest = before.get(place.saturating_add(1)..).unwrap_or_default();
        let is_none = matches!(word.text.as_str(), "nothing" | "none" | "neither" | "nor");
        let wishes = rest.first().or(first).is_some_and(|next| book.is("wishes", &next.text));
        book.is("denies", &word.text) && (rest.is_empty() || is_none || wishes)
    })
}

/// Whether the words before make a question: "why did you stop", "how do I unsubscribe". Disputes and calls
/// for help are often questions; an opt-out and a promise are not.
fn is_asked(book: &Rulebook, kind: MessageType, words: &[Word], at: usize) -> bool {
    let bounded = |place: &usize| words.get(*place).is_some_and(|word| word.before > Boundary::None);
    let earliest = at.saturating_sub(QUESTION_WINDOW);
    let start = (earliest..=at).rev().find(bounded).unwrap_or(earliest);
    let before = words.get(start..words.len().min(at.saturating_add(2))).unwrap_or_default();
    let class = match kind {
        MessageType::OptOut => "asks_opt_out",
        MessageType::Promise => "asks_promise",
        MessageType::HumanRequest => "asks_human_request",
        _ => return false,
    };
    let is_asking = |pair: &[Word]| match pair {
        // "Can you stop" requests, "can I stop" asks.
        [first, second] if kind == MessageType::OptOut && book.is("permits", &first.text) => {
            matches!(second.text.as_str(), "i" | "we")
        }
        [first, second] => book.is(class, &first.text) && book.is("persons", &second.text),
        _ => false,
    };
    let asks_how = || before.iter().any(|word| book.is("interrogatives", &word.text));
    before.windows(2).any(is_asking) || (kind == MessageType::OptOut && asks_how())
}

/// The words before a place, as far back as they belong to the same statement.
pub(super) fn clause_before<'a>(book: &Rulebook, words: &'a [Word], at: usize, most: usize) -> &'a [Word] {
    let mut start = at;
    while start > 0 && at.saturating_sub(start) < most {
        let bounded = words.get(start).is_some_and(|word| word.before > Boundary::None);
        let previous = words.get(start.saturating_sub(1));
        if bounded || previous.is_none_or(|word| book.is("joins", &word.text)) {
            break;
        }
        start = start.saturating_sub(1);
    }
    words.get(start..at).unwrap_or_default()
}

/// Whether one of these words negates what follows. `class` lists the negations that count.
pub(super) fn is_negated(book: &Rulebook, class: &str, before: &[Word], first: Option<&Word>) -> bool {
    before.iter().enumerate().any(|(place, word)| {
        let next = before.get(place.saturating_add(1)).or(first);
        // "No I dispute this": an answer, not a negation.
        let answer = word.text == "no" && next.is_some_and(|next| book.is("subjects", &next.text));
        book.is(class, &word.text) && !answer
    })
}

/// Whether the statement is denied: "It is not that I cannot pay."
pub(super) fn is_denied(before: &[Word]) -> bool {
    before.windows(2).any(|pair| match pair {
        [first, second] => {
            matches!(first.text.as_str(), "not" | "never" | "dont" | "isnt" | "didnt" | "wasnt")
                && matches!(
                    second.text.as_str(),
                    "that" | "because" | "saying" | "said" | "say" | "mean" | "like"
                )
        }
        _ => false,
    })
}

/// Where the message says that something will be paid: "will pay", "is going to be settled".
pub(super) fn announcements<'a>(
    book: &'a Rulebook,
    words: &'a [Word],
) -> impl Iterator<Item = Range<usize>> + 'a {
    let announced = |(at, word): (usize, &Word)| {
        let next = at.saturating_add(1);
        let rest = words.get(next..).unwrap_or_default().iter().take(WIDE_WINDOW);
        let mut sentence = rest.take_while(|word| word.before < Boundary::Sentence);
        let settled = sentence.position(|word| book.is("settles", &word.text))?;
        book.is("will", &word.text).then(|| at..next.saturating_add(settled).saturating_add(1))
    };
    words.iter().enumerate().filter_map(announced)
}

/// Whether a word that ends messages, and that no rule matches, is taken back.
pub(super) fn is_ending_taken_back(book: &Rulebook, words: &[Word]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        let before = clause_before(book, words, at, WIDE_WINDOW);
        let is_taken_back = || is_negated(book, "neg", before, Some(word));
        book.is("ends", &word.text) && (is_taken_back() || is_asked(book, MessageType::OptOut, words, at))
    })
}
