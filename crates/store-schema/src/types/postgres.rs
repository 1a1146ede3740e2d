//! The column types on PostgreSQL: `uuid`, `timestamptz` and `date`.

use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{BigInt, Integer};
use time::{Date, Duration};
use uuid::Uuid;

use super::{Day, Instant, RowDay, RowId, RowInstant, Uid};

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
