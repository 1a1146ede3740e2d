//! Which messages are in English, as their commonest words tell. The rules and examples are English, and in
//! another language their words mean something else: "ich bin", "die Rechnung".

use crate::rulebook::Rulebook;
use crate::scoring::Scores;
use crate::text::Word;

/// Whether at least as many words are English as are of other languages. What a rule matches is understood,
/// and counts as English: some rules have phrases of other languages. Names and unknown words count as
/// neither.
pub(super) fn is_english(book: &Rulebook, words: &[Word], scores: &Scores) -> bool {
    let (mut english, mut foreign) = (0_usize, 0_usize);
    for (at, word) in words.iter().enumerate() {
        let is_foreign = book.is("foreign", &word.text);
        let mut rules = scores.values().flat_map(|score| &score.rules);
        // A single word of both may be meant in the other language.
        let is_matched = rules.any(|(_, span)| span.contains(&at) && (span.len() > 1 || !is_foreign));
        if is_matched || book.is("english", &word.text) {
            english = english.saturating_add(1);
        } else if is_foreign {
            foreign = foreign.saturating_add(1);
        }
    }
    english >= foreign
}
