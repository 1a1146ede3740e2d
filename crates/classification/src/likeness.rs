//! How much a message resembles the examples of each type. Its words, words that follow each other, and rules
//! that match speak for the types in whose examples they occur.
//!
//! This classifies messages that no rule was written for, and decides where rules of several types match.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use time::Date;
use time::macros::date;

use crate::dates::{DayMention, days};
use crate::features::{Feature, features, is_of_letters};
use crate::learning::{self, Weights};
use crate::message_type::MessageType;
use crate::pattern::MatchedText;
use crate::rulebook::{RULEBOOK, Rulebook, examples};
use crate::scoring::{Scores, scores};
use crate::text::{Word, words};
use crate::wording::Corrections;

/// One in this many examples that raise no escalation is also learnt from in a pair with another one.
const PAIRED: usize = 3;
/// The step width through the examples of type `other`, so that neighbours are not paired.
const PAIR_STRIDE: usize = 131;
/// The divisor of letter sequences: a word has several of them.
const LETTERS: i32 = 4;

/// The day on which the examples were written.
const WRITTEN_ON: Date = date!(2026 - 12 - 01);

/// Of a row of the table, the bytes of its feature.
const FEATURE_BYTES: usize = size_of::<Feature>();
/// The bytes of one weight.
const WEIGHT_BYTES: usize = size_of::<i32>();
/// The bytes of a row: a feature and its weights, little-endian.
const ROW_BYTES: usize = FEATURE_BYTES + size_of::<Weights>();

/// How much each feature of a message speaks for each type: a table of rows sorted by feature.
#[derive(Clone)]
pub struct LikenessModel {
    table: Cow<'static, [u8]>,
}

impl fmt::Debug for LikenessModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LikenessModel({} features)", self.rows().len())
    }
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
    /// Learns from the examples of this crate. This takes half a second in an optimised build.
    #[must_use]
    pub fn learn() -> Self {
        Self::of_examples(&RULEBOOK, examples().into_iter().flatten())
    }

    /// A model that the same version of this crate learnt, from its [`as_bytes`](Self::as_bytes). Other bytes
    /// classify every message wrongly.
    #[must_use]
    pub const fn from_bytes(bytes: &'static [u8]) -> Self {
        Self { table: Cow::Borrowed(bytes) }
    }

    /// What is stored for [`from_bytes`](Self::from_bytes).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.table
    }

    fn rows(&self) -> &[[u8; ROW_BYTES]] {
        self.table.as_chunks().0
    }

    fn weights(&self, feature: Feature) -> Option<Weights> {
        let rows = self.rows();
        let at = rows.binary_search_by_key(&feature, feature_of).ok()?;
        rows.get(at).map(weights_of)
    }

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
        let row = |(feature, number): (Feature, usize)| Some((feature, weights.get(number)?));
        let mut rows: Vec<(Feature, &Weights)> = numbers.into_iter().filter_map(row).collect();
        rows.sort_unstable_by_key(|(feature, _)| *feature);
        let mut table = Vec::with_capacity(rows.len().saturating_mul(ROW_BYTES));
        for (feature, weights) in rows {
            table.extend(feature.to_le_bytes());
            table.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        Self { table: table.into() }
    }

    /// How much these words resemble the examples.
    pub(super) fn score(&self, words: &[Word], days: &[DayMention], scores: &Scores) -> LikenessScores {
        let features = features(words, days, scores).into_iter();
        let known = features.filter_map(|(feature, span)| Some((feature, self.weights(feature)?, span)));
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

fn feature_of(row: &[u8; ROW_BYTES]) -> Feature {
    row.first_chunk().copied().map_or(0, Feature::from_le_bytes)
}

fn weights_of(row: &[u8; ROW_BYTES]) -> Weights {
    let mut weights = Weights::default();
    let (stored, _) = row.split_at(FEATURE_BYTES).1.as_chunks::<WEIGHT_BYTES>();
    for (weight, bytes) in weights.iter_mut().zip(stored) {
        *weight = i32::from_le_bytes(*bytes);
    }
    weights
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
