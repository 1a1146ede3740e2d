//! Deciding what a message says.

use std::collections::HashMap;
use std::ops::Range;

use time::Date;

use crate::classification::dates::days;
use crate::classification::learning::{DOUBLING, WHOLE, shares};
use crate::classification::likeness::{Like, Likeness};
use crate::classification::message_type::MessageType;
use crate::classification::pattern::Text;
use crate::classification::rulebook::{RULEBOOK, Rule, Rulebook, VERSION};
use crate::classification::text::{Boundary, Word, words};

/// What the rules understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classification {
    /// What the message says.
    pub message_type: MessageType,
    /// Whether the service may act on it without a person.
    pub sure: bool,
    /// The bytes of the message that decided. Absent where nothing did: the type is `other` then.
    pub evidence: Option<Range<usize>>,
    /// The day that is promised.
    pub date: Option<Date>,
    /// The version of the rules.
    pub version: u32,
}

/// Below this score no rule says anything.
const LEAST: i32 = 4;
/// More than this the rules of a type do not say.
const MOST: i32 = 30;
/// How much one point of a rule speaks for its type.
const RULE: i32 = DOUBLING / 2;
/// A long message is not more like a type than this.
const MOST_LIKE: i32 = 40 * DOUBLING;
/// How much a type that raises an escalation is preferred: a call for help that is missed costs more than a
/// reminder that waits.
const RAISES: i32 = DOUBLING;
/// A type that is at least so likely is sure.
const SURE: i32 = WHOLE / 16 * 15;
/// A message of more words that no rule knows is read by a person.
const SAYS_LITTLE: usize = 3;
/// How many words before a statement may negate it or name whose statement it is.
const WINDOW: usize = 3;

/// Understands a message that was written on a day: the newest text alone, without what it quotes.
///
/// ```
/// use communications::classification::{MessageType, classify};
/// use time::macros::date;
///
/// let text = "Sorry, I lost my job in May.";
/// let understood = classify(text, date!(2026 - 12 - 01));
/// assert_eq!(understood.message_type, MessageType::Hardship);
/// assert!(understood.sure);
/// assert_eq!(&text[understood.evidence.unwrap()], "I lost my job");
///
/// let negated = classify("No dispute about it, all good.", date!(2026 - 12 - 01));
/// assert_eq!(negated.message_type, MessageType::Other);
/// ```
#[must_use]
pub fn classify(message: &str, written_on: Date) -> Classification {
    understand(&RULEBOOK, &RULEBOOK.likeness, message, written_on)
}

/// Understands a message by rules and by its likeness to examples.
pub(super) fn understand(
    book: &Rulebook,
    likeness: &Likeness,
    message: &str,
    written_on: Date,
) -> Classification {
    let words = book.wording.apply(words(message));
    let days = days(&words, written_on);
    let text = Text { words: &words, days: &days };
    let mut scores: HashMap<MessageType, Score> = HashMap::new();
    for at in 0..words.len() {
        for rule in book.rules_at(text, at) {
            if let Some(span) = rule.pattern.matches(text, at) {
                let score = weigh(book, rule, &words, at);
                scores.entry(rule.kind).or_default().add(score, span);
            }
        }
    }
    let like = likeness.like(&words);
    // The day that stands next to the promise, else the last one named.
    let promise = scores.get(&MessageType::Promise).and_then(|score| score.best.clone());
    let (_, promise) = promise.unwrap_or((0, 0..0));
    let near = days.iter().find(|day| day.words.start < promise.end && day.words.end > promise.start);
    let date = near.or_else(|| days.last()).map(|mention| mention.day).filter(|day| *day >= written_on);
    let (message_type, evidence, sure) = decide(&scores, &like, date.is_some(), words.len());
    let evidence = evidence.and_then(|evidence| bytes(&words, &evidence));
    let date = date.filter(|_| message_type == MessageType::Promise);
    Classification { message_type, sure, evidence, date, version: VERSION }
}

/// What the rules of one type found.
#[derive(Debug, Default)]
struct Score {
    found: Vec<(i32, Range<usize>)>,
    best: Option<(i32, Range<usize>)>,
    against: i32,
}

impl Score {
    fn add(&mut self, score: i32, span: Range<usize>) {
        if score < 0 {
            self.against = self.against.min(score);
            return;
        }
        // The first of the best: the same in every run.
        let longer = |best: &(i32, Range<usize>)| (score, span.len()) > (best.0, best.1.len());
        if score > 0 && self.best.as_ref().is_none_or(longer) {
            self.best = Some((score, span.clone()));
        }
        self.found.push((score, span));
    }

    /// The best rule counts in full, and half of each of the best two that are found elsewhere.
    fn total(&self) -> i32 {
        let Some((best, span)) = &self.best else {
            return 0;
        };
        let apart =
            |one: &Range<usize>, other: &Range<usize>| one.end <= other.start || one.start >= other.end;
        let best_apart_from = |spans: &[&Range<usize>]| {
            let elsewhere =
                self.found.iter().filter(|(_, found)| spans.iter().all(|span| apart(found, span)));
            elsewhere.max_by_key(|(score, _)| *score)
        };
        let second = best_apart_from(&[span]);
        let third = second.and_then(|(_, second)| best_apart_from(&[span, second]));
        let half = |found: Option<&(i32, Range<usize>)>| found.map_or(0, |(score, _)| score / 2);
        best.saturating_add(half(second)).saturating_add(half(third)).saturating_add(self.against)
    }
}

/// What a rule counts where it stands: little where it is negated, quoted, or said of somebody else.
fn weigh(book: &Rulebook, rule: &Rule, words: &[Word], at: usize) -> i32 {
    if rule.score < 0 || rule.kind == MessageType::Other {
        return rule.score;
    }
    let before = clause_before(book, words, at);
    // "Nobody called me back" asks for a person, "has not fixed the broken pump" disputes.
    let about_events = match rule.kind {
        MessageType::HumanRequest => true,
        MessageType::Dispute => !rule.pattern.is_short(),
        _ => false,
    };
    let negated = if rule.negates_itself || about_events {
        is_denied(before)
    } else {
        is_negated(book, before, words.get(at))
    };
    if negated {
        return 0;
    }
    let all_quoted = words.iter().all(|word| word.quoted);
    if words.get(at).is_some_and(|word| word.quoted) && !all_quoted {
        return rule.score / 4;
    }
    let personal = matches!(rule.kind, MessageType::Hardship | MessageType::Refused);
    let of_others = before.iter().any(|word| book.is("others", &word.text));
    let of_family = words.iter().any(|word| book.is("family", &word.text));
    if personal && of_others && !of_family { rule.score / 4 } else { rule.score }
}

/// The words before a place, as far back as they belong to the same statement.
fn clause_before<'a>(book: &Rulebook, words: &'a [Word], at: usize) -> &'a [Word] {
    let mut start = at;
    while start > 0 && at.saturating_sub(start) < WINDOW {
        let bounded = words.get(start).is_some_and(|word| word.before > Boundary::None);
        let previous = words.get(start.saturating_sub(1));
        if bounded || previous.is_none_or(|word| book.is("joins", &word.text)) {
            break;
        }
        start = start.saturating_sub(1);
    }
    words.get(start..at).unwrap_or_default()
}

fn is_negated(book: &Rulebook, before: &[Word], first: Option<&Word>) -> bool {
    before.iter().enumerate().any(|(place, word)| {
        let next = before.get(place.saturating_add(1)).or(first);
        // "No I dispute this": an answer, not a negation.
        let answer = word.text == "no" && next.is_some_and(|next| book.is("subjects", &next.text));
        book.is("neg", &word.text) && !answer
    })
}

/// "It is not that I cannot pay."
fn is_denied(before: &[Word]) -> bool {
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

/// The type, the words that decided, and whether it is sure.
fn decide(
    scores: &HashMap<MessageType, Score>,
    like: &Like,
    has_date: bool,
    length: usize,
) -> (MessageType, Option<Range<usize>>, bool) {
    let mut ranks = MessageType::ALL.map(|kind| {
        let total = scores.get(&kind).map_or(0, Score::total);
        let said = if total >= LEAST { total.saturating_add(preference(kind)).min(MOST) } else { 0 };
        like.score(kind).clamp(-MOST_LIKE, MOST_LIKE).saturating_add(said.saturating_mul(RULE))
    });
    let likely = shares(&ranks);
    for (rank, kind) in ranks.iter_mut().zip(MessageType::ALL) {
        *rank = rank.saturating_add(if kind.raises() { RAISES } else { 0 });
    }
    let mut best = None;
    for ((kind, rank), share) in MessageType::ALL.into_iter().zip(ranks).zip(likely) {
        let of_rules = scores.get(&kind).and_then(|score| score.best.clone()).map(|(_, span)| span);
        let evidence = of_rules.or_else(|| like.evidence(kind));
        let possible = evidence.is_some() && (has_date || kind != MessageType::Promise);
        // Of two with the same score the first of `ALL`.
        if possible && best.as_ref().is_none_or(|(_, best, _, _)| rank > *best) {
            best = Some((kind, rank, evidence, share >= SURE));
        }
    }
    let Some((kind, _, evidence, sure)) = best else {
        return (MessageType::Other, None, length <= SAYS_LITTLE);
    };
    (kind, evidence, sure)
}

/// Who cannot pay is helped first, whatever else they say; who gives a reason disputes rather than refuses.
const fn preference(kind: MessageType) -> i32 {
    match kind {
        MessageType::Hardship => 5,
        MessageType::Dispute => 4,
        MessageType::HumanRequest => 3,
        MessageType::Refused => 2,
        _ => 0,
    }
}

fn bytes(words: &[Word], span: &Range<usize>) -> Option<Range<usize>> {
    let first = words.get(span.start)?;
    let last = words.get(span.end.checked_sub(1)?)?;
    Some(first.span.start..last.span.end)
}
