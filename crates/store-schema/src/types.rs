//! Column types that are valid on both databases.
//!
//! Each is one SQL type with a PostgreSQL and a SQLite representation, so that one schema serves both: an id
//! is a `uuid` or a 16-byte blob, an instant a `timestamptz` or whole microseconds since 1970, a day a `date`
//! or ISO text. JSON is text on both, and never searched.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::query_builder::QueryId;
use diesel::sql_types::SqlType;
use kernel::Id;
use serde::{Serialize, Serializer};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// The SQL type of ids.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uid)]
pub struct RowId(pub Uuid);

#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Instant)]
pub struct RowInstant(pub OffsetDateTime);

#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Day)]
pub struct RowDay(pub Date);

impl RowId {
    /// The domain's id; the column determines its type.
    pub const fn id<E>(self) -> Id<E> {
        Id::from_uuid(self.0)
    }
}

impl RowId {
    /// The lowest id that can be made in the millisecond of `instant` or later: ids begin with the
    /// millisecond (RFC 9562, section 5.7).
    pub fn first_at(instant: OffsetDateTime) -> Self {
        let millis = instant.unix_timestamp_nanos().div_euclid(1_000_000);
        // The time has 48 bits.
        let millis = u128::try_from(millis).unwrap_or(0).min((1 << 48) - 1);
        Self(Uuid::from_u128(millis << 80))
    }
}

impl<E> From<Id<E>> for RowId {
    fn from(id: Id<E>) -> Self {
        Self(id.uuid())
    }
}

impl RowInstant {
    /// Whole microseconds since 1970 UTC.
    pub fn micros(self) -> Result<i64, std::num::TryFromIntError> {
        i64::try_from(self.0.unix_timestamp_nanos().div_euclid(1_000))
    }

    fn from_micros(micros: i64) -> Result<Self, time::error::ComponentRange> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros).saturating_mul(1_000)).map(Self)
    }
}

/// Serializes as 32 hexadecimal digits, for [`json_rows`](crate::json_rows::json_rows).
impl Serialize for RowId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.simple())
    }
}

/// Serializes as microseconds. Fails only for instants outside the range of i64, which no clock returns.
impl Serialize for RowInstant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.micros().map_err(serde::ser::Error::custom)?)
    }
}

impl Serialize for RowDay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&kernel::clock::date_text(self.0))
    }
}
