//! Functions that all row conversions share.

use std::fmt;

use kernel::{Currency, Named, SingleLine, StoreError, StoreResult};
use serde::Serialize;

use crate::types::RowId;

/// The table and the id of a row.
#[derive(Debug, Clone, Copy)]
pub struct RowRef {
    pub table: &'static str,
    pub id: RowId,
}

impl RowRef {
    /// The error for a column that cannot be converted.
    pub fn wrong(self, column: &str, what: impl fmt::Display) -> StoreError {
        StoreError::Inconsistent {
            table: self.table,
            id: self.id.0.to_string(),
            what: format!("{column} {what}"),
        }
    }

    /// Parses a name that a column holds.
    pub fn named<T: Named>(self, column: &str, name: &str) -> StoreResult<T> {
        T::parse(name).map_err(|fault| self.wrong(column, fault))
    }

    pub(crate) fn currency(self, code: &str) -> StoreResult<Currency> {
        Currency::from_stored(code).map_err(|fault| self.wrong("currency", fault))
    }

    pub(crate) fn bytes32(self, column: &str, bytes: &[u8]) -> StoreResult<[u8; 32]> {
        bytes.try_into().map_err(|_other_length| self.wrong(column, "has not 32 bytes"))
    }

    pub(crate) fn count<N: TryFrom<i64>>(self, column: &str, value: i64) -> StoreResult<N> {
        N::try_from(value).map_err(|_out_of_range| self.wrong(column, "is out of range"))
    }
}

/// Text, as stored.
pub(crate) fn text<const MAX: usize>(line: &SingleLine<MAX>) -> String {
    line.as_str().to_owned()
}

/// Optional text, as stored.
pub(crate) fn text_or_null<const MAX: usize>(line: Option<&SingleLine<MAX>>) -> Option<String> {
    line.map(text)
}

/// A document of plain text fields, as JSON. Serializing one cannot fail.
pub(crate) fn json(document: &impl Serialize) -> String {
    serde_json::to_string(document).unwrap_or_default()
}
