//! What the rules find in a message, and how much it counts.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::classification::message_type::MessageType;
use crate::classification::pattern::Text;
use crate::classification::rulebook::{Rule, Rulebook};
use crate::classification::text::{Boundary, Word};

/// How many words before a statement are searched for a negation or for the person whom it is about.
const WINDOW: usize = 3;

/// What the rules of each type found.
pub(super) type Scores = FxHashMap<MessageType, Score>;

/// What the rules find in these words.
pub(super) fn scores(book: &Rulebook, text: Text<'_>) -> Scores {
    let mut scores = Scores::default();
    for at in 0..text.words.len() {
        for (number, rule) in book.rules_at(text, at) {
            if let Some(span) = rule.pattern.matches(text, at) {
                let counts = weigh(book, rule, text.words, at);
                let score = scores.entry(rule.kind).or_default();
                if counts != 0 {
                    score.rules.push((number, span.clone()));
                }
                score.add(counts, span);
            }
        }
    }
    scores
}

/// What the rules of one type found.
#[derive(Debug, Default)]
pub(super) struct Score {
    found: Vec<(i32, Range<usize>)>,
    pub(super) best: Option<(i32, Range<usize>)>,
    /// The indices of the rules that match and count, and where they match.
    pub(super) rules: Vec<(usize, Range<usize>)>,
    against: i32,
}

impl Score {
    fn add(&mut self, score: i32, span: Range<usize>) {
        if score < 0 {
            self.against = self.against.min(score);
            return;
        }
        // The first of the best, so that every run gives the same result.
        let longer = |best: &(i32, Range<usize>)| (score, span.len()) > (best.0, best.1.len());
        if score > 0 && self.best.as_ref().is_none_or(longer) {
            self.best = Some((score, span.clone()));
        }
        self.found.push((score, span));
    }

    /// The best match in full, half of the best two that do not overlap, and the strongest rule against the
    /// type.
    pub(super) fn total(&self) -> i32 {
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

/// The points of a rule at this place: few or none if it is negated, quoted, or said of somebody else.
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

/// Whether the statement is denied: "It is not that I cannot pay."
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
