//! What the rules find in a message, and how much it counts.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::message_type::MessageType;
use crate::negation::{WINDOW, clause_before, is_about_events, is_denied, is_negated, is_taken_back};
use crate::pattern::MatchedText;
use crate::rulebook::{Rule, Rulebook};
use crate::text::Word;

/// What the rules of each type found.
pub(super) type Scores = FxHashMap<MessageType, Score>;

/// What the rules find in these words.
pub(super) fn scores(book: &Rulebook, text: MatchedText<'_>) -> Scores {
    let mut scores = Scores::default();
    for at in 0..text.words.len() {
        for (number, rule) in book.rules_at(text, at) {
            if let Some(span) = rule.pattern.matches(text, at) {
                let counts = weigh(book, rule, text.words, at);
                let score = scores.entry(rule.kind).or_default();
                if counts != 0 {
                    score.rules.push((number, span.clone()));
                }
                if rule.score > 0 && is_taken_back(book, rule, text.words, &span) {
                    score.taken_back.push((rule.score, span.clone()));
                }
                score.add(counts, span);
            }
        }
    }
    for score in scores.values_mut() {
        score.keep_meant_negations(book, text.words);
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
    /// Rules that match words which a negation or a question takes back, with their scores.
    taken_back: Vec<(i32, Range<usize>)>,
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

    /// Whether a rule speaks for the type without these words.
    pub(super) fn holds_apart_from(&self, spans: &[Range<usize>]) -> bool {
        self.found.iter().any(|(score, found)| *score > 0 && spans.iter().all(|span| apart(found, span)))
    }

    /// Where a rule with a negation of its own names the negated word, the negation is what it means: "never
    /// ordered". In "not refusing to pay" the word is in a gap of "not .. pay".
    fn keep_meant_negations(&mut self, book: &Rulebook, words: &[Word]) {
        let Self { rules, taken_back, .. } = self;
        taken_back.retain(|(_, back)| {
            let first = words.get(back.start).map_or("", |word| word.text.as_str());
            let is_meant =
                |rule: &Rule| rule.score > 0 && rule.negates_itself && rule.pattern.continues_with(first);
            let mut around = rules.iter().filter(|(_, span)| span.contains(&back.start));
            !around.any(|(number, _)| book.rule(*number).is_some_and(is_meant))
        });
    }

    /// Whether the message takes back what speaks for the type: "I am not unemployed". A statement elsewhere
    /// in the message holds, if it is at least half as strong. The last words of what is taken back are none
    /// if it is taken back `to_the_end`: the day in "cannot pay on Friday".
    pub(super) fn is_taken_back(&self, to_the_end: bool) -> bool {
        let Some(most) = self.taken_back.iter().map(|(score, _)| *score).max() else {
            return false;
        };
        let holds = |(score, span): &(i32, Range<usize>)| {
            score.saturating_mul(2) >= most
                && self.taken_back.iter().all(|(_, back)| {
                    apart(span, back) || (span.start > back.start && (!to_the_end || span.end > back.end))
                })
        };
        !self.found.iter().any(holds)
    }
}

const fn apart(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.end <= other.start || one.start >= other.end
}

/// The points of a rule at this place: few or none if it is negated, quoted, or said of somebody else.
fn weigh(book: &Rulebook, rule: &Rule, words: &[Word], at: usize) -> i32 {
    if rule.score < 0 || rule.kind == MessageType::Other {
        return rule.score;
    }
    let before = clause_before(book, words, at, WINDOW);
    let negated = if rule.negates_itself || is_about_events(rule) {
        is_denied(before)
    } else {
        is_negated(book, "neg", before, words.get(at))
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
