//! How like the messages of each type a message is: each of its words, and each two that follow each other,
//! count for the types in whose examples they stand more often than in the others'.
//!
//! This finds what no rule was written for. It decides where the rules are silent or of two minds, and is
//! never sure by itself. The weights are whole numbers, computed from `rules/examples.txt`.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::classification::message_type::MessageType;
use crate::classification::text::{Boundary, Word, words};
use crate::classification::wording::Wording;

const TYPES: usize = MessageType::ALL.len();

/// A doubling, in what weights are counted in.
const DOUBLING: i32 = 8;

/// A weight for each type, in the order of [`MessageType::ALL`], in eighths of a doubling.
type Weights = [i32; TYPES];

/// The weights of words.
#[derive(Debug)]
pub(super) struct Likeness {
    weights: HashMap<String, Weights>,
}

/// How like the examples of each type a message is.
#[derive(Debug)]
pub(super) struct Like {
    weights: Weights,
    /// What counted, and where it stands.
    found: Vec<(Weights, Range<usize>)>,
}

impl Likeness {
    /// The weights that these examples give.
    pub(super) fn of_examples(
        wording: &Wording,
        examples: impl Iterator<Item = (MessageType, &'static str)>,
    ) -> Self {
        let mut counts: HashMap<String, [u32; TYPES]> = HashMap::new();
        let mut examples_of = [0_u32; TYPES];
        for (kind, text) in examples {
            let Some(number) = number_of(kind) else { continue };
            let words = wording.apply(words(text));
            let different: HashSet<String> = features(&words).map(|(feature, _)| feature).collect();
            for feature in different {
                increase(counts.entry(feature).or_insert([0; TYPES]), number);
            }
            increase(&mut examples_of, number);
        }
        let weights = counts.into_iter().map(|(feature, of)| (feature, weights(&of, &examples_of)));
        Self { weights: weights.collect() }
    }

    /// How like the examples these words are.
    pub(super) fn like(&self, words: &[Word]) -> Like {
        let mut like = Like { weights: [0; TYPES], found: Vec::new() };
        let mut seen = HashSet::new();
        for (feature, span) in features(words) {
            let Some(weights) = self.weights.get(&feature) else { continue };
            if !seen.insert(feature) {
                continue;
            }
            for (sum, weight) in like.weights.iter_mut().zip(weights) {
                *sum = sum.saturating_add(*weight);
            }
            like.found.push((*weights, span));
        }
        like
    }
}

impl Like {
    /// How often it doubles that the message is of this type rather than of another; below 0 it halves.
    pub(super) fn doublings(&self, kind: MessageType) -> i32 {
        self.to(kind).saturating_div(DOUBLING)
    }

    /// By how many doublings a type is more likely than the next one.
    pub(super) fn lead(&self, kind: MessageType) -> i32 {
        let rivals = MessageType::ALL.into_iter().filter(|rival| *rival != kind);
        let rival = rivals.map(|rival| self.to(rival)).max().unwrap_or(0);
        self.to(kind).saturating_sub(rival).saturating_div(DOUBLING)
    }

    fn to(&self, kind: MessageType) -> i32 {
        number_of(kind).and_then(|number| self.weights.get(number)).copied().unwrap_or(0)
    }

    /// The words that speak most for a type.
    pub(super) fn evidence(&self, kind: MessageType) -> Option<Range<usize>> {
        let number = number_of(kind)?;
        let weight = |weights: &Weights| weights.get(number).copied().unwrap_or(0);
        let mut best: Option<(i32, &Range<usize>)> = None;
        for (weights, span) in &self.found {
            let weight = weight(weights);
            if weight > best.map_or(0, |(best, _)| best) {
                best = Some((weight, span));
            }
        }
        best.map(|(_, span)| span.clone())
    }
}

fn number_of(kind: MessageType) -> Option<usize> {
    MessageType::ALL.iter().position(|other| *other == kind)
}

fn increase(counts: &mut [u32; TYPES], number: usize) {
    if let Some(count) = counts.get_mut(number) {
        *count = count.saturating_add(1);
    }
}

/// Each word, and each two that follow each other, with where they stand. What is quoted does not count.
fn features(words: &[Word]) -> impl Iterator<Item = (String, Range<usize>)> {
    let all_quoted = words.iter().all(|word| word.quoted);
    let place = move |at: usize| -> Option<&str> {
        let word = words.get(at)?;
        let text = if word.text.starts_with(|first: char| first.is_ascii_digit()) { "0" } else { &word.text };
        (all_quoted || !word.quoted).then_some(text)
    };
    (0..words.len()).flat_map(move |at| {
        let next = at.saturating_add(1);
        let bounded = words.get(at).is_some_and(|word| word.before == Boundary::Sentence);
        let one = place(at).map(|word| (word.to_owned(), at..next));
        let begins = place(at).filter(|_| at == 0).map(|word| (format!("^ {word}"), at..next));
        let ends = place(at).filter(|_| next == words.len()).map(|word| (format!("{word} $"), at..next));
        let before = at.checked_sub(1).filter(|_| !bounded);
        let two =
            before.and_then(|before| Some((format!("{} {}", place(before)?, place(at)?), before..next)));
        [one, begins, ends, two].into_iter().flatten()
    })
}

/// How much more often a word stands in the examples of each type than in all others.
fn weights(of: &[u32; TYPES], examples: &[u32; TYPES]) -> Weights {
    let (all, all_examples): (u32, u32) = (of.iter().sum(), examples.iter().sum());
    let mut weights = [0; TYPES];
    for ((weight, of), examples) in weights.iter_mut().zip(of).zip(examples) {
        let inside = log(smoothed(*of, 3)).saturating_sub(log(smoothed(*examples, 6)));
        let (others, other_examples) = (all.saturating_sub(*of), all_examples.saturating_sub(*examples));
        let outside = log(smoothed(others, 3)).saturating_sub(log(smoothed(other_examples, 6)));
        *weight = inside.saturating_sub(outside);
    }
    weights
}

/// What is never seen is not impossible.
const fn smoothed(count: u32, least: u32) -> u32 {
    count.saturating_mul(10).saturating_add(least)
}

/// Eight times the logarithm to the base of two, in whole numbers: the same on every machine.
fn log(number: u32) -> i32 {
    let power = u128::from(number.min(0xffff)).saturating_pow(8);
    power.checked_ilog2().and_then(|log| i32::try_from(log).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn message_is_like_the_examples_that_share_its_words() {
        let wording = Wording::new(HashSet::new());
        let examples = [
            (MessageType::Hardship, "we ceased trading"),
            (MessageType::Hardship, "the shop ceased to trade"),
            (MessageType::Dispute, "the tap drips"),
        ];
        let likeness = Likeness::of_examples(&wording, examples.into_iter());
        let like = likeness.like(&wording.apply(words("they ceased it")));
        assert!(like.doublings(MessageType::Hardship) > 0 && like.lead(MessageType::Hardship) > 0);
        assert!(like.doublings(MessageType::Dispute) < 0);
        assert_eq!(like.evidence(MessageType::Hardship), Some(1..2));
        let unknown = likeness.like(&wording.apply(words("bonjour")));
        assert_eq!(unknown.evidence(MessageType::Hardship), None);
        assert_eq!([log(1), log(2), log(3), log(1024)], [0, 8, 12, 80]);
    }
}
