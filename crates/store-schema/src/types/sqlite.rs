//! The column types on SQLite: a blob of 16 bytes, whole microseconds since 1970, and ISO text.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::BigInt;
use diesel::sqlite::Sqlite;
use uuid::Uuid;

use super::{Day, Instant, RowDay, RowId, RowInstant, Uid};

impl ToSql<Uid, Sqlite> for RowId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_bytes().as_slice());
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Uid, Sqlite> for RowId {
    fn from_sql(mut value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.read_blob())?))
    }
}

impl ToSql<Instant, Sqlite> for RowInstant {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.micros()?);
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Instant, Sqlite> for RowInstant {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?;
        Ok(Self::from_micros(micros)?)
    }
}

impl ToSql<Day, Sqlite> for RowDay {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(kernel::clock::date_text(self.0));
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Day, Sqlite> for RowDay {
    fn from_sql(mut value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let date = kernel::clock::date_from_stored(value.read_text());
        Ok(Self(date.ok_or("a date that is not written YYYY-MM-DD")?))
    }
}
