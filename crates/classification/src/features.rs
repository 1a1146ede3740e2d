//! The features of a message: words, their concepts, sequences of letters, and rules that match.

use std::collections::VecDeque;
use std::ops::Range;

use crate::concepts::concept;
use crate::dates::DayMention;
use crate::scoring::Scores;
use crate::text::{Boundary, Word};

/// Of a longer word, this many first letters are also a feature: most forms of the word share them.
const STEM: usize = 4;

/// The length of letter sequences, which run across words. A misspelt word keeps most of them, and so does
/// one with another ending.
const LETTERS: usize = 5;
/// The bit that is set in features of letter sequences and in no others.
const OF_LETTERS: Feature = 1 << 63;

/// A property of a message, as an FNV-1a hash, which is the same on every machine.
pub(super) type Feature = u64;

/// Whether a feature is a sequence of letters. A word has several of them.
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

/// The features of a message, each once, with the words where it occurs first: words, concepts, letter
/// sequences, and rules that match. Quoted words do not count, unless all are quoted.
pub(super) fn features(words: &[Word], days: &[DayMention], scores: &Scores) -> Vec<(Feature, Range<usize>)> {
    let all_quoted = words.iter().all(|word| word.quoted);
    let text = |at: usize| -> Option<&str> {
        let word = words.get(at)?;
        let mut around = days.iter().filter(|day| day.words.contains(&at));
        let number = word.text.starts_with(|first: char| first.is_ascii_digit()).then_some("0");
        let read = around.find_map(|day| day.name_of(&word.text)).or(number).unwrap_or(&word.text);
        (all_quoted || !word.quoted).then_some(read)
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
        // Pairs with the words before it in its sentence.
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
    // A stable sort: of equal features, the first occurrence stays first.
    found.sort_by_key(|(feature, _)| *feature);
    found.dedup_by_key(|(feature, _)| *feature);
    found.sort_by_key(|(_, span)| (span.start, span.end));
    found
}

/// Adds the concepts of the words, alone and paired with up to three words before them in the sentence.
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

/// Adds the letter sequences, with a space before and after each word.
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
