//! Marks of unfinished work.

use super::breach::{Breach, in_code, in_lines};
use super::tree::Tree;

/// Written in two halves, so that this file does not break its own rule.
const LATER: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// The macro, also in halves.
const MACRO: &str = concat!("to", "do!");

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let do_it = |word: &str| format!("{word}: do it now, or write down elsewhere what is to be done");
    let mut breaches = in_lines(tree, is_source, |line| {
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.find(|word| LATER.contains(word)).map(do_it)
    });
    breaches.extend(in_code(tree, is_source, |word| {
        (MACRO.strip_suffix('!') == Some(word)).then(|| do_it(MACRO))
    }));
    breaches
}

fn is_source(path: &str) -> bool {
    [".rs", ".sql", ".sh", ".toml"].iter().any(|kind| path.ends_with(kind)) || path.starts_with(".ci/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_marks_are_reported() {
        let macro_call = format!("//! Fine.\nfn f() {{ {}() }}\n", concat!("to", "do!"));
        let mark = format!("-- fine\n-- {}: index\n", LATER[0]);
        let tree = Tree::from([
            ("crates/kernel/src/a.rs", macro_call.as_str()),
            ("migrations/sqlite/0001_a/up.sql", mark.as_str()),
            ("README.md", mark.as_str()),
        ]);
        let found = check(&tree);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|breach| breach.line == 2));
    }
}
