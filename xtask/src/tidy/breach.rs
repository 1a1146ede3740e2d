//! A breach of a rule, and how to find breaches in lines and in code.

use std::fmt;

use super::tree::Tree;

/// One place that breaks a rule, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Breach {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) what: String,
}

impl Breach {
    pub(super) fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// A breach for each line of the selected files for which `what` returns a message.
pub(super) fn in_lines(
    tree: &Tree,
    is_checked: impl Fn(&str) -> bool,
    what: impl Fn(&str) -> Option<String>,
) -> Vec<Breach> {
    let lines = tree.texts().filter(|(path, _)| is_checked(path)).flat_map(|(path, text)| {
        let lines = text.lines().enumerate();
        lines.map(move |(index, line)| (path, index + 1, line))
    });
    lines.filter_map(|(path, line, text)| Some(Breach::new(path, line, what(text)?))).collect()
}

/// Like [`in_lines`], for each token of the selected Rust files, without comments, text literals and tests.
pub(super) fn in_code(
    tree: &Tree,
    is_checked: impl Fn(&str) -> bool,
    what: impl Fn(&str) -> Option<String>,
) -> Vec<Breach> {
    let sources = tree.code().filter(|(path, _)| is_checked(path));
    let tokens = sources.flat_map(|(path, code)| code.iter().map(move |token| (path, token)));
    tokens.filter_map(|(path, token)| Some(Breach::new(path, token.line, what(&token.text)?))).collect()
}
