//! How like the messages of each type a message is: its words, and words that follow each other, speak for
//! the types in whose examples they stand. The examples are `rules/examples.txt`.
//!
//! This finds what no rule was written for, and decides where the rules are of two minds.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::classification::learning::{self, Weights};
use crate::classification::message_type::MessageType;
use crate::classification::text::{Boundary, Word, words};
use crate::classification::wording::{Corrections, Wording};

/// Longer words also speak by so many first letters, which stay the same in most of their forms.
const STEM: usize = 4;

/// The weights of what messages are made of.
#[derive(Debug)]
pub(super) struct Likeness {
    weights: HashMap<Feature, Weights>,
}

/// How like the examples of each type a message is.
#[derive(Debug)]
pub(super) struct Like {
    scores: Weights,
    /// What counted, and where it stands.
    found: Vec<(Weights, Range<usize>)>,
}

impl Likeness {
    /// The weights that these examples give.
    pub(super) fn of_examples<'a>(
        wording: &Wording,
        examples: impl Iterator<Item = (MessageType, &'a str)>,
    ) -> Self {
        let mut numbers: HashMap<Feature, usize> = HashMap::new();
        let mut seen: HashSet<Feature> = HashSet::new();
        let mut corrections = Corrections::new();
        let mut rows: Vec<(usize, Vec<Feature>)> = Vec::new();
        for (kind, text) in examples {
            let Some(kind) = number_of(kind) else { continue };
            let found = features(&wording.apply_again(words(text), &mut corrections));
            for (feature, span) in &found {
                // Two words that stand apart, and in one example only, say little.
                if span.len() <= 2 || !seen.insert(*feature) {
                    let next = numbers.len();
                    numbers.entry(*feature).or_insert(next);
                }
            }
            rows.push((kind, found.into_iter().map(|(feature, _)| feature).collect()));
        }
        let number = |feature: &Feature| numbers.get(feature).copied();
        let rows = rows.iter().map(|(kind, found)| (*kind, found.iter().filter_map(number).collect()));
        let rows: Vec<learning::Example> = rows.collect();
        let weights = learning::weights(&rows, numbers.len());
        let weight = |(feature, number): (Feature, usize)| Some((feature, *weights.get(number)?));
        Self { weights: numbers.into_iter().filter_map(weight).collect() }
    }

    /// How like the examples these words are.
    pub(super) fn like(&self, words: &[Word]) -> Like {
        let found = features(words).into_iter();
        let found = found.filter_map(|(feature, span)| Some((*self.weights.get(&feature)?, span)));
        let found: Vec<_> = found.collect();
        Like { scores: learning::scores(found.iter().map(|(weights, _)| weights)), found }
    }
}

impl Like {
    /// How much speaks for a type, in parts of [`learning::DOUBLING`].
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

/// The number of a type in [`Weights`].
pub(super) fn number_of(kind: MessageType) -> Option<usize> {
    MessageType::ALL.iter().position(|other| *other == kind)
}

/// A property of a message: the FNV-1a hash of what it is made of, the same on every machine.
type Feature = u64;

fn feature(parts: &[&str]) -> Feature {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The features of a message, each once, with the words where it stands first. What is quoted does not count.
fn features(words: &[Word]) -> Vec<(Feature, Range<usize>)> {
    let all_quoted = words.iter().all(|word| word.quoted);
    let text = |at: usize| -> Option<&str> {
        let word = words.get(at)?;
        let number = word.text.starts_with(|first: char| first.is_ascii_digit());
        (all_quoted || !word.quoted).then_some(if number { "0" } else { &word.text })
    };
    let length = words.len().checked_ilog2().unwrap_or(0).to_string();
    let mut found = vec![(feature(&["any"]), 0..0), (feature(&["length", &length]), 0..0)];
    for at in 0..words.len() {
        let Some(word) = text(at) else { continue };
        let next = at.saturating_add(1);
        found.push((feature(&["word", word]), at..next));
        if let Some((stem, _)) = word.char_indices().nth(STEM).and_then(|(end, _)| word.split_at_checked(end))
        {
            found.push((feature(&["stem", stem]), at..next));
        }
        if at == 0 {
            found.push((feature(&["begins", word]), at..next));
        }
        if next == words.len() {
            found.push((feature(&["next", word, "$"]), at..next));
        }
        // The words before it in its sentence.
        let mut before = at;
        for back in 1..=3 {
            if words.get(before).is_none_or(|word| word.before == Boundary::Sentence) {
                if back == 1 {
                    found.push((feature(&["next", "^", word]), at..next));
                }
                break;
            }
            before = before.saturating_sub(1);
            let Some(other) = text(before) else { break };
            let name = if back == 1 { "next" } else { "near" };
            found.push((feature(&[name, other, word]), before..next));
        }
    }
    // Stable: of the same features the first stays first.
    found.sort_by_key(|(feature, _)| *feature);
    found.dedup_by_key(|(feature, _)| *feature);
    found.sort_by_key(|(_, span)| (span.start, span.end));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_is_like_the_examples_that_share_its_words() {
        let wording = Wording::new(HashSet::new());
        let examples = [
            (MessageType::Hardship, "we ceased trading"),
            (MessageType::Hardship, "the shop ceased to trade"),
            (MessageType::Dispute, "the tap drips"),
            (MessageType::Dispute, "the door squeaks"),
        ];
        let likeness = Likeness::of_examples(&wording, examples.into_iter());
        let like = likeness.like(&wording.apply(words("they ceased it")));
        assert!(like.score(MessageType::Hardship) > like.score(MessageType::Dispute));
        assert_eq!(like.evidence(MessageType::Hardship), Some(1..2));
        let unknown = likeness.like(&wording.apply(words("bonjour")));
        assert_eq!(unknown.evidence(MessageType::Hardship), None);
    }
}
