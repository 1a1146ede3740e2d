//! Patterns of words, as the rule files write them.
//!
//! `word`, `this|that`, `prefix~`, `@class`, `?optional`, `*3` (up to three words of the same sentence),
//! `@date` (a day that is not past), `^` and `$` for the ends of the message.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dates::DayMention;
use crate::text::{Boundary, Word};

/// Named lists of words that patterns refer to.
pub(super) type Classes = FxHashMap<String, Vec<String>>;

/// How many words an asterisk without a number may skip.
const GAP: usize = 3;
/// Prefixes are indexed by this many of their first letters.
pub(super) const INDEXED_LETTERS: usize = 3;

/// Alternatives for one word.
#[derive(Debug, Clone, Default)]
pub(super) struct WordChoice {
    pub(super) words: FxHashSet<String>,
    pub(super) prefixes: Vec<String>,
    pub(super) date: bool,
    /// Any number matches.
    number: bool,
    /// The end of the message matches.
    end: bool,
}

#[derive(Debug, Clone)]
enum PatternElement {
    One(WordChoice),
    Maybe(WordChoice),
    Gap(usize),
    End,
}

/// A sequence of words to look for.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    at_start: bool,
    elements: Vec<PatternElement>,
}

/// The text that patterns are matched against.
#[derive(Clone, Copy)]
pub(super) struct MatchedText<'a> {
    pub(super) words: &'a [Word],
    pub(super) days: &'a [DayMention],
}

impl WordChoice {
    fn parse(text: &str, classes: &Classes) -> Option<Self> {
        let mut choice = Self::default();
        for part in text.split('|') {
            if part == "@date" {
                choice.date = true;
            } else if part == "@num" {
                choice.number = true;
            } else if part == "$" {
                choice.end = true;
            } else if let Some(name) = part.strip_prefix('@') {
                for word in classes.get(name)? {
                    choice.add(word)?;
                }
            } else {
                choice.add(part)?;
            }
        }
        Some(choice)
    }

    fn add(&mut self, part: &str) -> Option<()> {
        let letters = |text: &str| text.chars().all(|character| character.is_alphanumeric());
        match part.strip_suffix('~') {
            Some(prefix) if letters(prefix) && prefix.len() >= INDEXED_LETTERS => {
                self.prefixes.push(prefix.to_owned());
            }
            None if letters(part) && !part.is_empty() => {
                self.words.insert(part.to_owned());
            }
            _ => return None,
        }
        Some(())
    }

    /// The index of the word behind the match at `at`, if there is a match.
    fn next(&self, text: MatchedText<'_>, at: usize) -> Option<usize> {
        if self.date
            && let Some(day) = text.days.iter().find(|day| day.words.start == at && !day.is_past)
        {
            return Some(day.words.end);
        }
        let word = &text.words.get(at)?.text;
        let begins = |prefix: &String| word.starts_with(prefix.as_str());
        let numeric = self.number && word.starts_with(|first: char| first.is_ascii_digit());
        let fits = numeric || self.words.contains(word) || self.prefixes.iter().any(begins);
        fits.then(|| at.saturating_add(1))
    }
}

impl Pattern {
    /// Parses a pattern; `None` if it is malformed.
    pub(super) fn parse(text: &str, classes: &Classes) -> Option<Self> {
        let (at_start, text) = text.strip_prefix("^ ").map_or((false, text), |rest| (true, rest));
        let element = |part: &str| -> Option<PatternElement> {
            if part == "$" {
                return Some(PatternElement::End);
            }
            if let Some(number) = part.strip_prefix('*') {
                return Some(PatternElement::Gap(if number.is_empty() {
                    GAP
                } else {
                    number.parse().ok()?
                }));
            }
            match part.strip_prefix('?') {
                Some(part) => Some(PatternElement::Maybe(WordChoice::parse(part, classes)?)),
                None => Some(PatternElement::One(WordChoice::parse(part, classes)?)),
            }
        };
        let elements: Option<Vec<_>> = text.split_whitespace().map(element).collect();
        let elements = elements?;
        let begins =
            at_start || matches!(elements.first(), Some(PatternElement::One(choice)) if !choice.number);
        begins.then_some(Self { at_start, elements })
    }

    /// The words that a match may begin with. `None` for a pattern that matches only at the beginning of a
    /// message.
    pub(super) fn first(&self) -> Option<&WordChoice> {
        match self.elements.first() {
            Some(PatternElement::One(choice)) if !self.at_start => Some(choice),
            _ => None,
        }
    }

    /// Whether the pattern has only one element.
    pub(super) const fn is_short(&self) -> bool {
        self.elements.len() <= 1
    }

    /// Whether the pattern itself contains this word.
    pub(super) fn names(&self, word: &str) -> bool {
        self.vocabulary().any(|own| own == word)
    }

    /// Whether the pattern contains this word, and not as one of those that it begins with.
    pub(super) fn continues_with(&self, word: &str) -> bool {
        self.names(word) && self.first().is_none_or(|first| !first.words.contains(word))
    }

    /// Every whole word that occurs in the pattern.
    pub(super) fn vocabulary(&self) -> impl Iterator<Item = &String> {
        self.elements.iter().flat_map(|element| {
            match element {
                PatternElement::One(choice) | PatternElement::Maybe(choice) => Some(choice.words.iter()),
                PatternElement::Gap(_) | PatternElement::End => None,
            }
            .into_iter()
            .flatten()
        })
    }

    /// The words that the pattern matches from this one on.
    pub(super) fn matches(&self, text: MatchedText<'_>, at: usize) -> Option<Range<usize>> {
        if self.at_start && at != 0 {
            return None;
        }
        let end = follow(&self.elements, text, at, at)?;
        Some(at..end)
    }
}

/// The end of the match, if the elements match from `at` on; `start` is where the first element matched.
fn follow(elements: &[PatternElement], text: MatchedText<'_>, at: usize, start: usize) -> Option<usize> {
    let Some((element, rest)) = elements.split_first() else {
        return Some(at);
    };
    match element {
        PatternElement::End => (at == text.words.len()).then_some(at),
        PatternElement::One(choice) if choice.end && at == text.words.len() => follow(rest, text, at, start),
        PatternElement::One(choice) => {
            follows(text, at, start).then_some(())?;
            follow(rest, text, choice.next(text, at)?, start)
        }
        PatternElement::Maybe(choice) => {
            let taken = follows(text, at, start).then(|| choice.next(text, at)).flatten();
            let taken = taken.and_then(|next| follow(rest, text, next, start));
            taken.or_else(|| follow(rest, text, at, start))
        }
        PatternElement::Gap(most) => {
            let mut next = at;
            for _ in 0..=*most {
                if let Some(end) = follow(rest, text, next, start) {
                    return Some(end);
                }
                if !follows(text, next, start) {
                    return None;
                }
                next = next.saturating_add(1);
            }
            None
        }
    }
}

/// Whether there is a word at `at` that starts the match or is in the same sentence as the word before it.
fn follows(text: MatchedText<'_>, at: usize, start: usize) -> bool {
    text.words.get(at).is_some_and(|word| at == start || word.before < Boundary::Sentence)
}
