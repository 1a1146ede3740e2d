//! What commands print: text for people, or one JSON value for scripts.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _};

use anyhow::Context as _;
use serde::Serialize;

/// Prints to standard output.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Whether one JSON value is printed in place of text.
    pub json: bool,
    /// Whether the command changes nothing, so that nothing is lost with what it prints.
    is_of_reading: bool,
}

impl Output {
    /// What a command prints that changes something.
    #[must_use]
    pub const fn new(json: bool) -> Self {
        Self { json, is_of_reading: false }
    }

    /// What a command prints that changes nothing.
    #[must_use]
    pub const fn of_reading(self) -> Self {
        Self { is_of_reading: true, ..self }
    }

    /// Prints the value as JSON, or as the text that `text` makes of it.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn show<T: Serialize>(self, value: &T, text: impl FnOnce(&T) -> String) -> anyhow::Result<()> {
        let json = serde_json::to_string_pretty(value)?;
        let shown = if self.json { escape_controls(&json) } else { without_controls(&text(value)) };
        self.line(&shown)
    }

    /// Prints one or more lines as they are, in both forms.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn line(self, text: &str) -> anyhow::Result<()> {
        let printed = print(text);
        if self.is_of_reading { reading_ended(printed.map_err(Into::into)) } else { printed.context(LOST) }
    }
}

/// The result of printing what a command has read. A reader that has seen enough is no fault, as in
/// `countinghouse account list | head`.
///
/// # Errors
/// When standard output takes no more for another reason, and every other error as it is.
pub fn reading_ended(printed: anyhow::Result<()>) -> anyhow::Result<()> {
    match printed.map_err(anyhow::Error::downcast::<std::io::Error>) {
        Ok(()) => Ok(()),
        Err(Ok(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(Ok(error)) => Err(error).context("cannot print"),
        Err(Err(error)) => Err(error),
    }
}

const LOST: &str =
    "the command was carried out, but what it prints is lost; replace a key that it made with `rotate-key`";

fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", text.trim_end_matches('\n'))?;
    out.flush()
}

/// Replaces the characters that control a terminal, which a receiver's response or a customer's message may
/// contain. Line breaks and tabs stay.
fn without_controls(text: &str) -> String {
    let shown = |c: char| {
        let controls = c.is_control() && c != '\n' && c != '\t';
        if controls { char::REPLACEMENT_CHARACTER } else { c }
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// Escapes control characters in JSON, without loss: `serde_json` leaves U+007F to U+009F as they are.
pub(crate) fn escape_controls(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_control() && c != '\n' {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "\\u{:04x}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Lays out rows in columns that are as wide as their widest cell.
#[must_use]
pub fn columns(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = |(place, head): (usize, &&str)| {
        let cells = rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.chars().count());
        cells.fold(head.len(), usize::max)
    };
    let widths: Vec<usize> = heads.iter().enumerate().map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(heads.to_vec())];
    lines.extend(rows.iter().map(|row| line(row.iter().map(String::as_str).collect())));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_does_not_control_a_terminal() {
        let hostile = "a\u{1b}[2J\u{9b}31m\u{7}\u{7f}\rb\r\nc\td";
        assert_eq!(without_controls(hostile), "a\u{fffd}[2J\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}b\nc\td");
        let written = escape_controls(&serde_json::to_string_pretty(&[hostile]).unwrap());
        assert!(!written.chars().any(|c| c.is_control() && c != '\n'));
        let read: Vec<String> = serde_json::from_str(&written).unwrap();
        assert_eq!(read, [hostile]);
    }

    #[test]
    fn reader_that_has_seen_enough_is_no_fault() {
        let ended = |kind: ErrorKind| reading_ended(Err(std::io::Error::from(kind).into()));
        assert!(ended(ErrorKind::BrokenPipe).is_ok());
        assert_eq!(ended(ErrorKind::StorageFull).unwrap_err().to_string(), "cannot print");
        let other = reading_ended(Err(anyhow::anyhow!("no such contact"))).unwrap_err();
        assert_eq!(other.to_string(), "no such contact");
    }

    #[test]
    fn columns_line_up() {
        let rows = vec![vec!["a".to_owned(), "long".to_owned()], vec!["bbb".to_owned(), "x".to_owned()]];
        assert_eq!(columns(&["id", "n"], &rows), "id   n\na    long\nbbb  x");
    }
}
