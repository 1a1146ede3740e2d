//! How much a message resembles the examples of each type. Its words, words that follow each other, and rules
//! that match speak for the types in whose examples they occur.
//!
//! This classifies messages that no rule was written for, and decides where rules of several types match.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use time::Date;
use time::macros::date;

use crate::classification::dates::{DayMention, days};
use crate::classification::features::{Feature, features, is_of_letters};
use crate::classification::learning::{self, Weights};
use crate::classification::message_type::MessageType;
use crate::classification::pattern::MatchedText;
use crate::classification::rulebook::Rulebook;
use crate::classification::scoring::{Scores, scores};
use crate::classification::text::{Word, words};
use crate::classification::wording::Corrections;

/// One in this many examples that raise no escalation is also learnt from in a pair with another one.
const PAIRED: usize = 3;
/// The step width through the examples of type `other`, so that neighbours are not paired.
const PAIR_STRIDE: usize = 131;
/// The divisor of letter sequences: a word has several of them.
const LETTERS: i32 = 4;

/// The day on which the examples were written.
const WRITTEN_ON: Date = date!(2026 - 12 - 01);

/// The weights of features.
#[derive(Debug)]
pub(super) struct LikenessModel {
    weights: FxHashMap<Feature, Weights>,
}

/// How much a message resembles the examples of each type.
#[derive(Debug)]
pub(super) struct LikenessScores {
    scores: Weights,
    /// The features that counted and may be evidence, with their words. Letter sequences are no evidence: a
    /// name shares some with unrelated words.
    found: Vec<(Weights, Range<usize>)>,
}

impl LikenessModel {
    /// Learns the weights from examples.
    pub(super) fn of_examples<'a>(
        book: &Rulebook,
        examples: impl Iterator<Item = (MessageType, &'a str)>,
    ) -> Self {
        let (mut numbers, mut divisors) = (FxHashMap::<Feature, usize>::default(), Vec::new());
        let mut seen: FxHashSet<Feature> = FxHashSet::default();
        let mut corrections = Corrections::default();
        let mut rows: Vec<(usize, Vec<Feature>)> = Vec::new();
        let examples: Vec<(MessageType, &str)> = examples.collect();
        let pairs = pairs(&examples);
        let pairs = pairs.iter().map(|(kind, text)| (*kind, text.as_str()));
        for (kind, text) in examples.iter().copied().chain(pairs) {
            let Some(kind) = number_of(kind) else { continue };
            let words = book.wording.apply_again(words(text), &mut corrections);
            let days = days(&words, WRITTEN_ON);
            let found = features(&words, &days, &scores(book, MatchedText { words: &words, days: &days }));
            for (feature, span) in &found {
                // A pair of words that are not adjacent says little if only one example has it.
                if span.len() <= 2 || !seen.insert(*feature) {
                    numbers.entry(*feature).or_insert_with(|| {
                        divisors.push(if is_of_letters(*feature) { LETTERS } else { 1 });
                        divisors.len().saturating_sub(1)
                    });
                }
            }
            rows.push((kind, found.into_iter().map(|(feature, _)| feature).collect()));
        }
        let number = |feature: &Feature| numbers.get(feature).copied();
        let rows = rows.iter().map(|(kind, found)| (*kind, found.iter().filter_map(number).collect()));
        let rows: Vec<learning::Example> = rows.collect();
        let weights = learning::weights(&rows, &divisors);
        let weight = |(feature, number): (Feature, usize)| Some((feature, *weights.get(number)?));
        Self { weights: numbers.into_iter().filter_map(weight).collect() }
    }

    /// How much these words resemble the examples.
    pub(super) fn score(&self, words: &[Word], days: &[DayMention], scores: &Scores) -> LikenessScores {
        let features = features(words, days, scores).into_iter();
        let known =
            features.filter_map(|(feature, span)| Some((feature, *self.weights.get(&feature)?, span)));
        let known: Vec<_> = known.collect();
        let scores = learning::scores(known.iter().map(|(_, weights, _)| weights));
        let words = known.into_iter().filter(|(feature, _, _)| !is_of_letters(*feature));
        LikenessScores { scores, found: words.map(|(_, weights, span)| (weights, span)).collect() }
    }
}

impl LikenessScores {
    /// The score of a type, in parts of [`learning::DOUBLING`].
    pub(super) fn score(&self, kind: MessageType) -> i32 {
        number_of(kind).and_then(|number| self.scores.get(number)).copied().unwrap_or(0)
    }

    /// The words that speak most for a type.
    pub(super) fn evidence(&self, kind: MessageType) -> Option<Range<usize>> {
        let number = number_of(kind)?;
        let mut best: Option<(i32, &Range<usize>)> = None;
        for (weights, span) in self.found.iter().filter(|(_, span)| !span.is_empty()) {
            let weight = weights.get(number).copied().unwrap_or(0);
            if weight > best.map_or(0, |(best, _)| best) {
                best = Some((weight, span));
            }
        }
        best.map(|(_, span)| span.clone())
    }
}

/// Pairs of examples that raise nothing: together they raise nothing either. Examples are short, and in a
/// longer message more words speak for a type without meaning it.
fn pairs(examples: &[(MessageType, &str)]) -> Vec<(MessageType, String)> {
    let others = examples.iter().filter(|(kind, _)| *kind == MessageType::Other);
    let others: Vec<&str> = others.map(|(_, text)| *text).collect();
    let harmless = examples.iter().filter(|(kind, _)| !kind.raises());
    let pair = |(at, (kind, text)): (usize, &(MessageType, &str))| {
        let other = others.get(at.saturating_mul(PAIR_STRIDE).checked_rem(others.len())?)?;
        let is_even = at % 2 == 0;
        Some((*kind, if is_even { format!("{other}. {text}") } else { format!("{text}. {other}") }))
    };
    harmless.step_by(PAIRED).enumerate().filter_map(pair).collect()
}

/// The index of a type in [`Weights`].
pub(super) fn number_of(kind: MessageType) -> Option<usize> {
    MessageType::ALL.iter().position(|other| *other == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classification::rulebook::RULEBOOK;

    #[test]
    fn message_is_like_the_examples_that_share_its_words() {
        let book = &RULEBOOK;
        let likeness = |model: &LikenessModel, text: &str| {
            model.score(&book.wording.apply(words(text)), &[], &Scores::default())
        };
        let examples = [
            (MessageType::Hardship, "we ceased trading"),
            (MessageType::Hardship, "the shop ceased to trade"),
            (MessageType::Dispute, "the tap drips"),
            (MessageType::Dispute, "the door squeaks"),
        ];
        let model = LikenessModel::of_examples(book, examples.into_iter());
        let near = likeness(&model, "they ceased it");
        assert!(near.score(MessageType::Hardship) > near.score(MessageType::Dispute));
        assert_eq!(near.evidence(MessageType::Hardship), Some(1..2));
        let unknown = likeness(&model, "bonjour");
        assert_eq!(unknown.evidence(MessageType::Hardship), None);
    }

    #[test]
    fn misspelt_word_is_like_the_word_but_no_evidence() {
        let examples = [(MessageType::Hardship, "we ceased it"), (MessageType::Dispute, "it squeaks")];
        let model = LikenessModel::of_examples(&RULEBOOK, examples.into_iter());
        let likeness = model.score(&RULEBOOK.wording.apply(words("skweaks")), &[], &Scores::default());
        assert!(likeness.score(MessageType::Dispute) > likeness.score(MessageType::Hardship), "{likeness:?}");
        assert_eq!(likeness.evidence(MessageType::Dispute), None);
    }

    #[test]
    fn harmless_examples_are_paired_with_others_alone() {
        let examples = [
            (MessageType::Dispute, "the tap drips"),
            (MessageType::Other, "noted"),
            (MessageType::PaidClaim, "sent"),
            (MessageType::Other, "thanks"),
            (MessageType::Promise, "friday"),
        ];
        let expected = [(MessageType::Other, "noted. noted"), (MessageType::Promise, "friday. thanks")];
        assert_eq!(pairs(&examples), expected.map(|(kind, text)| (kind, text.to_owned())));
    }
}
