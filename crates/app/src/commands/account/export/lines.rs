//! A file of JSON lines.

use std::io::{self, Write};

use serde::Serialize;

/// Writes records, each on a line of its own.
pub(super) struct JsonLines<W>(W);

impl<W: Write> JsonLines<W> {
    pub(super) const fn new(file: W) -> Self {
        Self(file)
    }

    pub(super) fn add(&mut self, kind: &str, record: &impl Serialize) -> io::Result<()> {
        write!(self.0, r#"{{"{kind}":"#)?;
        serde_json::to_writer(&mut self.0, record)?;
        self.0.write_all(b"}\n")
    }

    pub(super) fn add_all<T: Serialize>(
        &mut self,
        kind: &str,
        records: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        records.into_iter().try_for_each(|record| self.add(kind, &record))
    }

    pub(super) fn end(mut self) -> io::Result<()> {
        self.0.flush()
    }
}
