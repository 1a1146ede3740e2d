//! Writing rows as JSON.
//!
//! By hand rather than through a serialiser: this runs for every value of a million rows, mostly in
//! development builds. What comes of webhook deliveries goes the same way.

use std::fmt::{self, Write};

use kernel::StoreError;

use crate::types::{RowDay, RowId, RowInstant};

/// A JSON array of rows.
#[derive(Default)]
pub(crate) struct JsonRows(String);

impl JsonRows {
    /// Adds a row.
    pub(crate) fn push(&mut self, values: &[&dyn Json]) -> Result<(), StoreError> {
        let text = &mut self.0;
        text.push(if text.is_empty() { '[' } else { ',' });
        let mut before = '[';
        for value in values {
            text.push(before);
            value.write(text).map_err(|source| StoreError::Failed(source.into()))?;
            before = ',';
        }
        text.push(']');
        Ok(())
    }

    /// The whole array.
    pub(crate) fn finish(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "[]" } else { "]" });
        self.0
    }
}

/// A value of a row.
pub(crate) trait Json {
    fn write(&self, out: &mut String) -> fmt::Result;
}

impl Json for RowId {
    fn write(&self, out: &mut String) -> fmt::Result {
        write_hex(out, self.0.as_bytes());
        Ok(())
    }
}

impl Json for Vec<u8> {
    fn write(&self, out: &mut String) -> fmt::Result {
        write_hex(out, self);
        Ok(())
    }
}

impl Json for RowInstant {
    fn write(&self, out: &mut String) -> fmt::Result {
        // Only instants that no calendar has fail here; the clock's do not.
        self.micros().map_err(|_out_of_range| fmt::Error)?.write(out)
    }
}

impl Json for RowDay {
    fn write(&self, out: &mut String) -> fmt::Result {
        // What `kernel::clock::date_text` writes, without its reading of a format.
        let (year, month, day) = self.0.to_calendar_date();
        write!(out, "\"{year:04}-{:02}-{day:02}\"", u8::from(month))
    }
}

impl Json for i64 {
    fn write(&self, out: &mut String) -> fmt::Result {
        write!(out, "{self}")
    }
}

impl Json for i32 {
    fn write(&self, out: &mut String) -> fmt::Result {
        write!(out, "{self}")
    }
}

impl Json for bool {
    fn write(&self, out: &mut String) -> fmt::Result {
        out.push(if *self { '1' } else { '0' });
        Ok(())
    }
}

impl Json for &str {
    fn write(&self, out: &mut String) -> fmt::Result {
        let plain = !self.bytes().any(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
        if plain {
            out.push('"');
            out.push_str(self);
            out.push('"');
        } else {
            out.push_str(&serde_json::to_string(self).map_err(|_unwritable| fmt::Error)?);
        }
        Ok(())
    }
}

impl Json for String {
    fn write(&self, out: &mut String) -> fmt::Result {
        self.as_str().write(out)
    }
}

impl<T: Json> Json for Option<T> {
    fn write(&self, out: &mut String) -> fmt::Result {
        match self {
            Some(value) => value.write(out),
            None => {
                out.push_str("null");
                Ok(())
            }
        }
    }
}

fn write_hex(out: &mut String, bytes: &[u8]) {
    out.push('"');
    crate::hex::push(out, bytes);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_arrays_of_plain_values() {
        let mut rows = JsonRows::default();
        rows.push(&[&1_i64, &"a \"b\"\n", &None::<i64>, &vec![0_u8, 255]]).unwrap();
        rows.push(&[&true]).unwrap();
        assert_eq!(rows.finish(), r#"[[1,"a \"b\"\n",null,"00ff"],[1]]"#);
        assert_eq!(JsonRows::default().finish(), "[]");
    }
}
