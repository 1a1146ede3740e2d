//! Rows as one parameter.

use time::macros::{date, datetime};
use uuid::Uuid;

use store_schema::json_rows::json_rows;
use store_schema::types::{RowDay, RowId, RowInstant};

#[test]
fn rows_are_arrays_of_plain_values() {
    let at = RowInstant(datetime!(1970-01-01 00:00:01.5 UTC));
    let row = (RowId(Uuid::from_u128(255)), at, RowDay(date!(2026 - 02 - 03)), "a \"b\"\n", None::<i64>);
    let id = "000000000000000000000000000000ff";
    let expected = format!(r#"[["{id}",1500000,"2026-02-03","a \"b\"\n",null]]"#);
    assert_eq!(json_rows([row]).unwrap(), expected);
    assert_eq!(json_rows([(); 0]).unwrap(), "[]");
}
