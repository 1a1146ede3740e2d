//! What a message is made of: words, what they mean, and rules that match.

use std::collections::VecDeque;
use std::ops::Range;

use crate::classification::concepts::concept;
use crate::classification::scoring::Scores;
use crate::classification::text::{Boundary, Word};

/// Longer words also speak by so many first letters, which stay the same in most of their forms.
const STEM: usize = 4;

/// So many letters that follow each other, across words: much of a word stays where it is misspelt, and so
/// does its beginning where its end is another.
const LETTERS: usize = 5;
/// The bit that features of letters have, and no others.
const OF_LETTERS: Feature = 1 << 63;

/// A property of a message: the FNV-1a hash of what it is made of, the same on every machine.
pub(super) type Feature = u64;

/// Whether letters are what a feature is made of. A word has several of them.
pub(super) const fn is_of_letters(feature: Feature) -> bool {
    feature & OF_LETTERS != 0
}

fn feature(parts: &[&str]) -> Feature {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0xff]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    hash & !OF_LETTERS
}

/// The features of a message, each once, with the words where it stands first: its words, what they mean,
/// their letters, the rules that match. What is quoted does not count.
pub(super) fn features(words: &[Word], scores: &Scores) -> Vec<(Feature, Range<usize>)> {
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
    add_concepts(&mut found, words, text);
    add_letters(&mut found, words, text);
    for score in scores.values() {
        for (number, span) in &score.rules {
            found.push((feature(&["rule", &number.to_string()]), span.clone()));
        }
    }
    // Stable: of the same features the first stays first.
    found.sort_by_key(|(feature, _)| *feature);
    found.dedup_by_key(|(feature, _)| *feature);
    found.sort_by_key(|(_, span)| (span.start, span.end));
    found
}

/// What the words mean, alone and after what stands up to three places before them in the sentence.
fn add_concepts<'a>(
    found: &mut Vec<(Feature, Range<usize>)>,
    words: &[Word],
    text: impl Fn(usize) -> Option<&'a str>,
) {
    let mut before: VecDeque<(usize, &str, bool)> = VecDeque::new();
    for (at, word) in words.iter().enumerate() {
        let Some(written) = text(at) else { continue };
        let next = at.saturating_add(1);
        if word.before == Boundary::Sentence {
            before.clear();
        }
        let concept = concept(written);
        let name = concept.unwrap_or(written);
        if concept.is_some() {
            found.push((feature(&["concept", name]), at..next));
        }
        for (back, (start, other, is_concept)) in before.iter().enumerate() {
            if *is_concept || concept.is_some() {
                let kind = if back == 0 { "concepts" } else { "concepts near" };
                found.push((feature(&[kind, other, name]), *start..next));
            }
        }
        before.truncate(2);
        before.push_front((at, name, concept.is_some()));
    }
}

/// The letters, with a space before and after each word.
fn add_letters<'a>(
    found: &mut Vec<(Feature, Range<usize>)>,
    words: &[Word],
    text: impl Fn(usize) -> Option<&'a str>,
) {
    let mut letters: Vec<(usize, char)> = Vec::new();
    for at in 0..words.len() {
        if let Some(word) = text(at) {
            letters.push((at, ' '));
            letters.extend(word.chars().map(|letter| (at, letter)));
        }
    }
    letters.push((words.len().saturating_sub(1), ' '));
    let mut part = String::new();
    for window in letters.windows(LETTERS) {
        let [(start, _), .., (end, _)] = window else { continue };
        part.clear();
        part.extend(window.iter().map(|(_, letter)| letter));
        found.push((feature(&["letters", &part]) | OF_LETTERS, *start..end.saturating_add(1)));
    }
}
