//! Normalises words to those that the rules use: other spellings, contractions and typing errors.

use std::collections::HashMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::text::{Boundary, Word};

/// Phrases and what is read instead. The left side of `=` is one or more words.
const REWRITES: &str = include_str!("rules/rewrites.txt");
/// Words that are never corrected, however similar they are to a word of the rules.
const COMMON: &str = include_str!("rules/common_words.txt");
/// Contractions that are other words without their apostrophe.
const CONTRACTIONS: [(&str, &str); 5] =
    [("ill", "iwill"), ("well", "wewill"), ("were", "weare"), ("id", "iwould"), ("shell", "shewill")];
/// Shorter words of the rules resemble too many others for single wrong letters to be corrected.
const SHORTEST_CORRECTED: usize = 6;
/// Longer words, in bytes, are no misspellings: each has as many spellings to try as it has letters.
const LONGEST_CORRECTED: usize = 40;

/// What has a number: after these words, "no" before digits is no negation.
const NUMBERED: [&str; 9] =
    ["invoice", "invoices", "inv", "bill", "account", "order", "ref", "reference", "customer"];

/// The words after the first, and what is read instead of them all.
type WordRewrite = (Vec<&'static str>, &'static str);

/// Words of messages with their corrections. Customers choose these words, so they are hashed with a random
/// seed.
pub(super) type Corrections = HashMap<String, Option<String>>;

/// Normalises the words of a message to those that the rules use.
#[derive(Debug)]
pub(super) struct Wording {
    /// The rewrites by their first word, the longest first.
    rewrites: FxHashMap<&'static str, Vec<WordRewrite>>,
    common: FxHashSet<&'static str>,
    foreign: FxHashSet<String>,
    vocabulary: FxHashSet<String>,
    /// Each word of the rules, by its spellings with one letter left out.
    misspelt: FxHashMap<String, String>,
}

impl Wording {
    /// The wording for rules with this vocabulary. These foreign words are no misspellings either.
    pub(super) fn new(vocabulary: FxHashSet<String>, foreign: FxHashSet<String>) -> Self {
        let mut rewrites: FxHashMap<_, Vec<WordRewrite>> = FxHashMap::default();
        for (written, read) in REWRITES.lines().filter_map(|line| line.split_once('=')) {
            let mut words = written.split_whitespace();
            if let Some(first) = words.next() {
                rewrites.entry(first).or_default().push((words.collect(), read.trim()));
            }
        }
        for list in rewrites.values_mut() {
            list.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len()));
        }
        let common = COMMON.split_whitespace().collect();
        let mut misspelt = FxHashMap::default();
        let mut sorted: Vec<_> = vocabulary.iter().filter(|word| is_correctable(word)).collect();
        // Sorted, so that every process finds the same word whatever the order of the set.
        sorted.sort();
        for word in sorted {
            for variant in shortened(word) {
                misspelt.entry(variant).or_insert_with(|| word.clone());
            }
        }
        Self { rewrites, common, foreign, vocabulary, misspelt }
    }

    /// The words, normalised.
    pub(super) fn apply(&self, words: Vec<Word>) -> Vec<Word> {
        self.apply_again(words, &mut Corrections::default())
    }

    /// The words, normalised, with the corrections that earlier messages needed: searching for a correction
    /// is slow.
    pub(super) fn apply_again(&self, mut words: Vec<Word>, known: &mut Corrections) -> Vec<Word> {
        for word in words.iter_mut().filter(|word| word.contracted) {
            if let Some((_, read)) = CONTRACTIONS.iter().find(|(written, _)| word.text == *written) {
                word.text = (*read).to_owned();
            }
        }
        read_numbers(&mut words);
        // Twice: "do not have" becomes "dont have", then "havent".
        let mut words = self.rewrite(self.rewrite(words));
        for word in words.iter_mut().filter(|word| word.text.len() <= LONGEST_CORRECTED) {
            if !known.contains_key(&word.text) {
                known.insert(word.text.clone(), self.corrected(&word.text));
            }
            if let Some(Some(right)) = known.get(&word.text) {
                word.text.clone_from(right);
            }
        }
        self.rewrite(words)
    }

    fn rewrite(&self, words: Vec<Word>) -> Vec<Word> {
        let mut read: Vec<Word> = Vec::with_capacity(words.len());
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let (count, text) = self.rewritten(&words, at);
            let last = words.get(at.saturating_add(count).saturating_sub(1)).unwrap_or(word);
            let span = word.span.start..last.span.end;
            let mut texts = text.map_or_else(|| vec![word.text.as_str()], |text| text.split(' ').collect());
            let mut before = word.before;
            for text in texts.drain(..) {
                read.push(Word { text: text.to_owned(), span: span.clone(), before, ..word.clone() });
                before = Boundary::None;
            }
            at = at.saturating_add(count);
        }
        read
    }

    fn rewritten(&self, words: &[Word], at: usize) -> (usize, Option<&'static str>) {
        let rest = words.get(at.saturating_add(1)..).unwrap_or_default();
        let list = words.get(at).and_then(|word| self.rewrites.get(word.text.as_str()));
        let fits = |(written, _): &&(Vec<&str>, &str)| {
            written.len() <= rest.len()
                && written
                    .iter()
                    .zip(rest)
                    .all(|(written, word)| word.text == *written && word.before < Boundary::Sentence)
        };
        match list.into_iter().flatten().find(fits) {
            Some((written, read)) => (written.len().saturating_add(1), Some(read)),
            None => (1, None),
        }
    }

    /// The word of the rules of which this word is a misspelling.
    fn corrected(&self, word: &str) -> Option<String> {
        let letters = word.chars().all(|character| character.is_ascii_lowercase());
        let is_known =
            self.vocabulary.contains(word) || self.common.contains(word) || self.foreign.contains(word);
        if is_known || !letters || word.len() < 4 {
            return None;
        }
        if word.ends_with("in")
            && let Some(right) = self.vocabulary.get(&format!("{word}g"))
        {
            return Some(right.clone());
        }
        if word.len() < SHORTEST_CORRECTED
            && let Some(right) = swapped(word).find_map(|variant| self.vocabulary.get(&variant))
        {
            return Some(right.clone());
        }
        if word.len() < SHORTEST_CORRECTED {
            let missing = self.misspelt.get(word).filter(|_| word.len() + 1 == SHORTEST_CORRECTED);
            return missing.cloned();
        }
        // One letter too many, one missing, one wrong, or two swapped.
        let direct = self.misspelt.get(word);
        let found = direct.or_else(|| {
            shortened(word).find_map(|variant| {
                let right = self.misspelt.get(&variant)?;
                (variant == *right || right.len() == word.len()).then_some(right)
            })
        });
        let found = found.or_else(|| {
            let mut longer = shortened(word);
            longer.find_map(|variant| self.vocabulary.get(&variant).filter(|word| is_correctable(word)))
        });
        found.cloned()
    }
}

/// Reads "invoice no. 12" as "invoice number 12": the abbreviation neither negates nor ends a sentence.
fn read_numbers(words: &mut [Word]) {
    for at in 0..words.len() {
        let Some([noun, no, number, ..]) = words.get_mut(at..) else { return };
        let has_number = NUMBERED.contains(&noun.text.as_str()) && no.before < Boundary::Sentence;
        let is_number = number.text == "inv" || number.text.starts_with(|first: char| first.is_ascii_digit());
        if has_number && is_number && matches!(no.text.as_str(), "no" | "nr") {
            "number".clone_into(&mut no.text);
            number.before = Boundary::None;
        }
    }
}

fn is_correctable(word: &str) -> bool {
    word.len() >= SHORTEST_CORRECTED && word.chars().all(|character| character.is_ascii_lowercase())
}

/// The word with each of its letters but the first left out.
fn shortened(word: &str) -> impl Iterator<Item = String> {
    let places = word.char_indices().map(|(at, _)| at).skip(1);
    places.map(move |left_out| {
        word.char_indices().filter(|(at, _)| *at != left_out).map(|(_, character)| character).collect()
    })
}

/// The word with each pair of adjacent letters swapped.
fn swapped(word: &str) -> impl Iterator<Item = String> {
    (1..word.len()).filter_map(move |at| {
        let (before, after) = word.split_at_checked(at)?;
        let (last, first) = (before.chars().next_back()?, after.chars().next()?);
        let (start, end) = (before.strip_suffix(last)?, after.strip_prefix(first)?);
        Some(format!("{start}{first}{last}{end}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words;

    fn set<const N: usize>(words: [&str; N]) -> FxHashSet<String> {
        words.map(str::to_owned).into_iter().collect()
    }

    #[test]
    fn foreign_word_is_no_misspelling() {
        let read = |foreign| {
            let wording = Wording::new(set(["demand"]), foreign);
            wording.apply(words("demain"))[0].text.clone()
        };
        assert_eq!(read(set([])), "demand");
        assert_eq!(read(set(["demain"])), "demain");
    }

    #[test]
    fn typing_errors_become_words_of_the_rules() {
        let wording = Wording::new(set(["insolvent", "redundancy"]), FxHashSet::default());
        let read = |message: &str| -> Vec<String> {
            wording.apply(words(message)).into_iter().map(|word| word.text).collect()
        };
        assert_eq!(read("insolvnt insolvennt insolvant"), ["insolvent"; 3]);
        assert_eq!(read("redundnacy solvent"), ["redundancy", "solvent"]);
        assert_eq!(read("we do not have to"), ["we", "dont", "gotta"]);
    }

    #[test]
    fn number_of_an_invoice_is_neither_negated_nor_a_sentence_of_its_own() {
        let wording = Wording::new(set([]), FxHashSet::default());
        let read = wording.apply(words("Invoice no. 12, order no 7. No 3 is missing on invoice. No 4"));
        let texts: Vec<_> = read.iter().map(|word| word.text.as_str()).collect();
        let named = ["invoice", "number", "12", "order", "number", "7", "no", "3"];
        assert_eq!(texts[..8], named);
        assert_eq!(texts[texts.len() - 2..], ["no", "4"]);
        assert_eq!(read[2].before, Boundary::None);
    }

    #[test]
    fn four_is_read_as_for_before_a_word_and_not_before_a_month() {
        let wording = Wording::new(set([]), FxHashSet::default());
        let read = |message: &str| wording.apply(words(message)).remove(0).text;
        assert_eq!([read("4 u"), read("4 December"), read("4 days")], ["for", "4", "4"]);
    }

    #[test]
    fn word_longer_than_any_misspelling_is_neither_corrected_nor_remembered() {
        let (longest, longer) = ("insolvency".repeat(4), "insolvency".repeat(5));
        let wording = Wording::new(set([&*longest, &*longer]), FxHashSet::default());
        let mut known = Corrections::default();
        let without_end = |word: &str| word[..word.len() - 1].to_owned();
        let message = [&longest, &longer].map(|word| without_end(word)).join(" ");
        let read = wording.apply_again(words(&message), &mut known);
        let read: Vec<&str> = read.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(read, [longest.as_str(), &without_end(&longer)]);
        assert_eq!(known.len(), 1);
    }
}
