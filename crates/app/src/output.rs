//! What commands print: text for people, or one JSON value for scripts.

use std::io::Write as _;

use serde::Serialize;

/// Prints to standard output.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Whether one JSON value is printed in place of text.
    pub json: bool,
}

impl Output {
    /// Prints the JSON value, or what `text` makes of it.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn show<T: Serialize>(
        self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<()> {
        let said = if self.json {
            serde_json::to_string_pretty(value)?
        } else {
            text(value)
        };
        self.line(&said)
    }

    /// Prints one line, or several, whatever the form.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn line(self, text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", text.trim_end_matches('\n'))?;
        out.flush()?;
        Ok(())
    }
}

/// Sets rows out in columns that are as wide as their widest cell.
#[must_use]
pub fn columns(heads: &[&str], rows: &[Vec<String>]) -> String {
    let width = |place: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(place))
            .map(|cell| cell.chars().count());
        cells
            .chain(heads.get(place).map(|head| head.len()))
            .max()
            .unwrap_or(0)
    };
    let line = |cells: Vec<&str>| {
        let padded = cells
            .iter()
            .enumerate()
            .map(|(place, cell)| format!("{cell:<0$}", width(place)));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(heads.to_vec())];
    lines.extend(
        rows.iter()
            .map(|row| line(row.iter().map(String::as_str).collect())),
    );
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let rows = vec![
            vec!["a".to_owned(), "long".to_owned()],
            vec!["bbb".to_owned(), "x".to_owned()],
        ];
        assert_eq!(columns(&["id", "n"], &rows), "id   n\na    long\nbbb  x");
    }
}
