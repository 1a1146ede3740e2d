//! Column types that are valid on both databases.
//!
//! Each is one SQL type with a PostgreSQL and a SQLite representation, so that one schema serves both: an id
//! is a `uuid` or a 16-byte blob, an instant a `timestamptz` or whole microseconds since 1970, a day a `date`
//! or ISO text. JSON is text on both, and never queried.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Binary, Integer, SqlType, Text};
use diesel::sqlite::Sqlite;
use kernel::{Entity, Id};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

/// The SQL type of ids. Public in a private module, because `diesel::table!` makes public items of it.
#[derive(Debug, Clone, Copy, Default, SqlType, QueryId)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951))]
#[diesel(sqlite_type(name = "Binary"))]
pub struct Uid;

/// The SQL type of instants.
#[derive(Debug, Clone, Copy, Default, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185))]
#[diesel(sqlite_type(name = "Long"))]
pub struct Instant;

/// The SQL type of calendar days.
#[derive(Debug, Clone, Copy, Default, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1082, array_oid = 1182))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Day;

/// An id in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uid)]
pub(crate) struct RowId(pub(crate) Uuid);

/// An instant in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Instant)]
pub(crate) struct RowInstant(pub(crate) OffsetDateTime);

/// A day in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Day)]
pub(crate) struct RowDay(pub(crate) Date);

impl RowId {
    /// The domain's id; its kind follows from the column.
    pub(crate) const fn id<E: Entity>(self) -> Id<E> {
        Id::from_uuid(self.0)
    }
}

impl<E: Entity> From<Id<E>> for RowId {
    fn from(id: Id<E>) -> Self {
        Self(id.uuid())
    }
}

impl RowInstant {
    /// Whole microseconds since 1970 UTC.
    pub(crate) fn micros(self) -> Result<i64, std::num::TryFromIntError> {
        i64::try_from(self.0.unix_timestamp_nanos().div_euclid(1_000))
    }

    fn from_micros(micros: i64) -> Result<Self, time::error::ComponentRange> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros).saturating_mul(1_000))
            .map(Self)
    }
}

/// Microseconds from 1970 to 2000, the epoch of PostgreSQL.
const TO_POSTGRES_EPOCH: i64 = 946_684_800_000_000;
const POSTGRES_EPOCH: Date = time::macros::date!(2000 - 01 - 01);

impl ToSql<Uid, Pg> for RowId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        std::io::Write::write_all(out, self.0.as_bytes())?;
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Uid, Pg> for RowId {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.as_bytes())?))
    }
}

impl ToSql<Uid, Sqlite> for RowId {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_bytes().as_slice());
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Uid, Sqlite> for RowId {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let bytes = <Vec<u8> as FromSql<Binary, Sqlite>>::from_sql(value)?;
        Ok(Self(Uuid::from_slice(&bytes)?))
    }
}

impl ToSql<Instant, Pg> for RowInstant {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let micros = self.micros()?.saturating_sub(TO_POSTGRES_EPOCH);
        ToSql::<BigInt, Pg>::to_sql(&micros, &mut out.reborrow())
    }
}

impl FromSql<Instant, Pg> for RowInstant {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Pg>>::from_sql(value)?;
        Ok(Self::from_micros(micros.saturating_add(TO_POSTGRES_EPOCH))?)
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

impl ToSql<Day, Pg> for RowDay {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let days = i32::try_from((self.0 - POSTGRES_EPOCH).whole_days())?;
        ToSql::<Integer, Pg>::to_sql(&days, &mut out.reborrow())
    }
}

impl FromSql<Day, Pg> for RowDay {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let days = <i32 as FromSql<Integer, Pg>>::from_sql(value)?;
        let date = POSTGRES_EPOCH.checked_add(Duration::days(days.into()));
        Ok(Self(date.ok_or("a date that no calendar has")?))
    }
}

impl ToSql<Day, Sqlite> for RowDay {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(kernel::clock::date_text(self.0));
        Ok(serialize::IsNull::No)
    }
}

impl FromSql<Day, Sqlite> for RowDay {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        let date = kernel::clock::date_from_stored(&text);
        Ok(Self(date.ok_or("a date that is not written YYYY-MM-DD")?))
    }
}
