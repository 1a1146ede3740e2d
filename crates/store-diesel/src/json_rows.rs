//! Rows as one parameter: a JSON array of arrays, which the statement takes apart with the dialect's
//! `json_value`. One text is one parameter on both databases, whatever the number of rows.

use kernel::StoreError;
use serde::Serialize;

/// What the database is to make of a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// 32 hexadecimal digits.
    Uid,
    /// Whole microseconds since 1970.
    Instant,
    /// `YYYY-MM-DD`.
    Day,
    /// Text.
    Text,
    /// A whole number.
    Int,
}

/// The JSON of rows, each a tuple of values.
pub(crate) fn json_rows<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Result<String, StoreError> {
    let rows: Vec<R> = rows.into_iter().collect();
    serde_json::to_string(&rows).map_err(|source| StoreError::Failed(source.into()))
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};
    use uuid::Uuid;

    use super::*;
    use crate::types::{RowDay, RowId, RowInstant};

    #[test]
    fn rows_are_arrays_of_plain_values() {
        let at = RowInstant(datetime!(1970-01-01 00:00:01.5 UTC));
        let row = (RowId(Uuid::from_u128(255)), at, RowDay(date!(2026 - 02 - 03)), "a \"b\"\n", None::<i64>);
        let id = "000000000000000000000000000000ff";
        let expected = format!(r#"[["{id}",1500000,"2026-02-03","a \"b\"\n",null]]"#);
        assert_eq!(json_rows([row]).unwrap(), expected);
        assert_eq!(json_rows([(); 0]).unwrap(), "[]");
    }
}
