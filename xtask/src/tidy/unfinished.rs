//! Marks of unfinished work.

use super::Breach;
use super::code::{shipped, words};
use super::tree::Tree;

/// Written in two halves, or this file would be the first to break its own rule.
const LATER: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

pub(super) fn check(tree: &Tree) -> Vec<Breach> {
    let files = tree.texts().filter(|(path, _)| is_source(path));
    files.flat_map(|(path, text)| left_for_later(path, text)).collect()
}

fn is_source(path: &str) -> bool {
    [".rs", ".sql", ".sh", ".toml"].iter().any(|kind| path.ends_with(kind)) || path.starts_with(".ci/")
}

fn left_for_later(path: &str, text: &str) -> Vec<Breach> {
    let marks =
        words(text).filter(|(_, word)| LATER.contains(word)).map(|(line, word)| (line, word.to_owned()));
    let code = if path.ends_with(".rs") { shipped(text) } else { String::new() };
    let macros = code
        .lines()
        .enumerate()
        .filter(|(_, line)| line.contains(concat!("to", "do!(")))
        .map(|(index, _)| (index + 1, concat!("to", "do!").to_owned()));
    marks
        .chain(macros)
        .map(|(line, word)| {
            Breach::new(path, line, format!("{word}: do it now, or write down elsewhere what is to be done"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_for_later_is_caught() {
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
