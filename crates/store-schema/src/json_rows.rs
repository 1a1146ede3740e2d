//! Rows as one parameter: a JSON array of arrays, which the statement unpacks with the dialect's
//! `json_value`. One text is one parameter on both databases, whatever the number of rows.

use kernel::{StoreError, StoreResult};
use serde::Serialize;

/// The SQL type that the database converts a value to.
#[derive(Debug, Clone, Copy)]
pub enum ValueType {
    /// 32 hexadecimal digits.
    Uid,
    /// Whole microseconds since 1970.
    Instant,
    /// `YYYY-MM-DD`.
    Day,
    Text,
    /// A whole number.
    Int,
}

/// Serializes rows, each a tuple of values.
pub fn json_rows<R: Serialize>(rows: impl IntoIterator<Item = R>) -> StoreResult<String> {
    let rows: Vec<R> = rows.into_iter().collect();
    serde_json::to_string(&rows).map_err(|source| StoreError::Failed(source.into()))
}
