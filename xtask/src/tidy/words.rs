//! Names that were replaced by the terms in CONTRIBUTING.md.

use super::breach::{Breach, in_code, in_lines};
use super::tree::Tree;

/// Refused in code and prose, with the term to write instead. Compared word by word; `kept_answer` and
/// `KeptAnswer` are two words.
const WORDS: [(&[&str], &str); 11] = [
    (&["kept", "answer"], "stored response"),
    (&["kept", "answers"], "stored responses"),
    (&["herald"], "delivery notifier"),
    (&["postman"], "mail worker"),
    (&["bookkeeper"], "ledger worker"),
    (&["foresight"], "scope cache"),
    (&["no", "chance"], "randomness unavailable"),
    (&["by", "chance"], "randomly"),
    (&["tortured"], "under fault injection"),
    (&["turn", "to", "look"], "lock"),
    (&["will", "match"], "an argument of the call"),
];

/// Refused as names of types, with the name to write instead.
const TYPES: [(&str, &str); 12] = [
    ("Bookkeeper", "LedgerWorker"),
    ("Chance", "SecureRandom"),
    ("Courier", "DeliveryWorker"),
    ("Dispatch", "InvoiceMailer"),
    ("Farewell", "GracefulShutdown"),
    ("Foresight", "ScopeCache"),
    ("Front", "AppState"),
    ("Herald", "DeliveryNotifier"),
    ("NoChance", "SecureRandom"),
    ("Postman", "MailWorker"),
    ("Refusal", "ApiError"),
    ("Stage", "the noun that is meant"),
];

/// Not checked: this table, and generated files.
const ALLOWED: [&str; 3] = ["xtask/src/tidy/words.rs", "Cargo.lock", "openapi.json"];

/// Not checked, since they contain the words of customers: labelled messages, and the rules that match them.
const SPEECH: [&str; 2] = ["crates/communications/evaluation/", "crates/classification/src/rules/"];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let is_speech = |path: &str| SPEECH.iter().any(|folder| path.starts_with(folder));
    let is_checked = |path: &str| !ALLOWED.contains(&path) && !is_speech(path);
    let mut breaches = in_lines(tree, is_checked, |line| {
        let words = split_words(line);
        let is_in_line = |given_up: &[&str]| words.windows(given_up.len()).any(|found| found == given_up);
        let (given_up, term) = WORDS.iter().find(|(given_up, _)| is_in_line(given_up))?;
        Some(format!("{:?}: the term is {term:?}", given_up.join(" ")))
    });
    breaches.extend(in_code(tree, is_checked, |word| {
        let (name, term) = TYPES.iter().find(|(name, _)| *name == word)?;
        Some(format!("{name}: the term is {term}"))
    }));
    breaches
}

/// The lower-case words of a line; identifiers are split at `_` and at capitals.
fn split_words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in line.chars() {
        if c.is_alphanumeric() {
            let begins = !before.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
            match words.last_mut().filter(|_| !begins) {
                Some(word) => word.extend(c.to_lowercase()),
                None => words.push(c.to_lowercase().collect()),
            }
        } else if ![' ', '_', '-'].contains(&c) {
            // Words on both sides of a dot or a bracket do not form a term.
            words.push(String::new());
        }
        before = c;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_up_names_are_reported_in_code_and_prose() {
        for line in
            ["struct KeptAnswer;", "kept_answers (", "// The Herald tells of it.", "enum Refusal { Wrong }"]
        {
            let found = check(&Tree::from([("crates/kernel/src/a.rs", line)]));
            assert_eq!(found.len(), 1, "{line}");
        }
    }

    #[test]
    fn other_words_that_contain_them_are_fine() {
        let text = "house.kept().answers; // Heralded, answers that are kept. Refusal is a word here.\n";
        assert!(check(&Tree::from([("crates/kernel/src/a.rs", text)])).is_empty());
    }
}
