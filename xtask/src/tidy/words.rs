//! Names that were given up for the terms in CONTRIBUTING.md.

use super::Breach;
use super::tree::Tree;

/// What is refused, in code and prose, and what to write. Compared word by word; `kept_answer` and `KeptAnswer` are two words.
const GIVEN_UP: [(&[&str], &str); 22] = [
    (&["kept", "answer"], "stored response"),
    (&["kept", "answers"], "stored responses"),
    (&["refusal"], "error"),
    (&["refusals"], "errors"),
    (&["farewell"], "graceful shutdown"),
    (&["knock"], "probe"),
    (&["knocks"], "probes"),
    (&["knocking"], "probing"),
    (&["threshold", "of", "the", "door"], "listener"),
    (&["herald"], "delivery notifier"),
    (&["courier"], "delivery worker"),
    (&["postman"], "mail worker"),
    (&["bookkeeper"], "ledger worker"),
    (&["foresight"], "scope cache"),
    (&["no", "chance"], "randomness unavailable"),
    (&["by", "chance"], "randomly"),
    (&["letter", "of", "a", "mail"], "email template"),
    (&["illustrate"], "logo"),
    (&["harness"], "test app"),
    (&["ground", "of"], "fixture"),
    (&["tortured"], "fault injection"),
    (&["good", "bye"], "the end of a connection"),
];

/// Where the words stand for something else: this table, and other programs' names.
const ALLOWED: [(&str, &str); 5] = [
    ("xtask/src/tidy/words.rs", ""),
    ("crates/testkit/", "harness"),
    ("crates/mail-lettre/tests/", "harness"),
    ("Cargo.lock", ""),
    ("openapi.json", ""),
];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    tree.texts()
        .flat_map(|(path, text)| {
            text.lines()
                .enumerate()
                .filter_map(move |(index, line)| breach(path, index + 1, line))
        })
        .collect()
}

fn breach(path: &str, line: usize, text: &str) -> Option<Breach> {
    let words = words(text);
    let (given_up, term) = GIVEN_UP.iter().find(|(given_up, _)| {
        let is_allowed = ALLOWED.iter().any(|(begin, word)| {
            path.starts_with(begin) && (word.is_empty() || given_up.contains(word))
        });
        !is_allowed
            && words
                .windows(given_up.len())
                .any(|found| found.iter().eq(given_up.iter()))
    })?;
    let what = format!("{:?}: the term is {term:?}", given_up.join(" "));
    Some(Breach::new(path, line, what))
}

/// The lower-case words of a line; identifiers are taken apart at `_` and at capitals.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in line.chars() {
        if c.is_alphanumeric() {
            let begins = !before.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
            match words.last_mut().filter(|_| !begins) {
                Some(word) => word.extend(c.to_lowercase()),
                None => words.push(c.to_lowercase().collect()),
            }
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
        for line in [
            "struct KeptAnswer;",
            "kept_answers (",
            "// The Herald tells of it.",
            "fn a_refusal_is_kept() {}",
        ] {
            let found = check(&Tree::from([("crates/kernel/src/a.rs", line)]));
            assert_eq!(found.len(), 1, "{line}");
        }
    }

    #[test]
    fn other_words_that_contain_them_are_fine() {
        let text = "// Heralded, answers that are kept, a knockout.\n";
        assert!(check(&Tree::from([("crates/kernel/src/a.rs", text)])).is_empty());
    }
}
