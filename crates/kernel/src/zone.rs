//! Time zones: where an account's days begin and end.

use std::fmt;
use std::sync::Arc;

use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

use crate::clock::{from_unix_micros, unix_micros};

/// A time zone of the IANA database, by name: `Australia/Sydney`.
#[derive(Clone, PartialEq, Eq)]
pub struct TimeZone {
    rules: jiff::tz::TimeZone,
    /// A stored name that this machine's database lacks.
    unknown: Option<Arc<str>>,
}

/// The text is not the name of a zone of the IANA database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the name of an IANA time zone, such as Australia/Sydney")]
pub struct UnknownTimeZone;

impl TimeZone {
    /// Coordinated universal time.
    #[must_use]
    pub fn utc() -> Self {
        Self::known(jiff::tz::TimeZone::UTC)
    }

    /// Looks up a zone by its name in any case; the result has the database's spelling.
    ///
    /// # Errors
    /// [`UnknownTimeZone`] when the database has no zone of this name.
    pub fn parse(name: &str) -> Result<Self, UnknownTimeZone> {
        let zone = jiff::tz::TimeZone::get(name.trim()).map_err(|_unknown| UnknownTimeZone)?;
        // The database's placeholder for an unset time zone.
        if zone.iana_name() == Some("Factory") {
            return Err(UnknownTimeZone);
        }
        zone.iana_name().is_some().then(|| Self::known(zone)).ok_or(UnknownTimeZone)
    }

    /// A stored zone. If this machine's database lacks the zone, its name is kept and UTC's days are used.
    #[must_use]
    pub fn from_stored(name: &str) -> Self {
        match jiff::tz::TimeZone::get(name) {
            Ok(zone) if zone.iana_name().is_some() => Self::known(zone),
            _ => Self { rules: jiff::tz::TimeZone::UTC, unknown: Some(name.into()) },
        }
    }

    const fn known(rules: jiff::tz::TimeZone) -> Self {
        Self { rules, unknown: None }
    }

    /// The zone's name.
    #[must_use]
    pub fn name(&self) -> &str {
        let known = || self.rules.iana_name().unwrap_or("UTC");
        self.unknown.as_deref().unwrap_or_else(known)
    }

    /// The calendar date in this zone at an instant.
    ///
    /// ```
    /// use time::macros::{date, datetime};
    /// let sydney = kernel::TimeZone::parse("Australia/Sydney").unwrap();
    /// assert_eq!(sydney.date_at(datetime!(2026-11-20 13:30 UTC)), date!(2026-11-21));
    /// ```
    #[must_use]
    pub fn date_at(&self, instant: OffsetDateTime) -> Date {
        let local = jiff::Timestamp::from_microsecond(unix_micros(instant))
            .map(|at| at.to_zoned(self.rules.clone()).date());
        local.ok().and_then(from_jiff).unwrap_or_else(|| instant.date())
    }

    /// The local date and time in this zone at an instant.
    ///
    /// ```
    /// use time::macros::datetime;
    /// let sydney = kernel::TimeZone::parse("Australia/Sydney").unwrap();
    /// assert_eq!(sydney.local(datetime!(2026-11-20 13:30 UTC)), datetime!(2026-11-21 00:30));
    /// ```
    #[must_use]
    pub fn local(&self, instant: OffsetDateTime) -> PrimitiveDateTime {
        let local = jiff::Timestamp::from_microsecond(unix_micros(instant))
            .map(|at| at.to_zoned(self.rules.clone()).datetime());
        let parts = local.ok().and_then(|local| {
            let [hour, minute, second] = [local.hour(), local.minute(), local.second()].map(u8::try_from);
            let time = Time::from_hms(hour.ok()?, minute.ok()?, second.ok()?).ok()?;
            Some(PrimitiveDateTime::new(from_jiff(local.date())?, time))
        });
        parts.unwrap_or_else(|| PrimitiveDateTime::new(instant.date(), instant.time()))
    }

    /// The instant at which a calendar date begins in this zone: midnight, or the first instant after it if
    /// the clocks skip midnight.
    #[must_use]
    pub fn start_of(&self, date: Date) -> OffsetDateTime {
        let begins = to_jiff(date)
            .and_then(|date| date.to_zoned(self.rules.clone()).ok())
            .and_then(|zoned| zoned.start_of_day().ok())
            .map(|zoned| zoned.timestamp().as_microsecond());
        begins.and_then(from_unix_micros).unwrap_or_else(|| date.midnight().assume_utc())
    }
}

fn from_jiff(date: jiff::civil::Date) -> Option<Date> {
    let month = Month::try_from(u8::try_from(date.month()).ok()?).ok()?;
    Date::from_calendar_date(date.year().into(), month, u8::try_from(date.day()).ok()?).ok()
}

fn to_jiff(date: Date) -> Option<jiff::civil::Date> {
    let year = i16::try_from(date.year()).ok()?;
    let month = i8::try_from(u8::from(date.month())).ok()?;
    jiff::civil::Date::new(year, month, i8::try_from(date.day()).ok()?).ok()
}

impl fmt::Debug for TimeZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::{date, datetime};

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    #[test]
    fn both_sides_of_the_date_line_have_their_own_day() {
        let instant = datetime!(2026-01-01 11:30 UTC);
        assert_eq!(zone("Pacific/Kiritimati").date_at(instant), date!(2026 - 01 - 02));
        assert_eq!(zone("Pacific/Niue").date_at(instant), date!(2026 - 01 - 01));
        assert_eq!(zone("UTC").date_at(instant), date!(2026 - 01 - 01));
    }

    #[test]
    fn a_day_without_midnight_begins_when_it_begins() {
        // Santiago moves its clocks at midnight: 5 September 2026 24:00 becomes 6 September 01:00.
        assert_eq!(zone("America/Santiago").start_of(date!(2026 - 09 - 06)), datetime!(2026-09-06 04:00 UTC));
        assert_eq!(zone("UTC").start_of(date!(2026 - 09 - 06)), datetime!(2026-09-06 00:00 UTC));
    }

    #[test]
    fn stored_unknown_name_is_kept_and_has_days_of_utc() {
        let unknown = TimeZone::from_stored("Mars/Olympus");
        assert_eq!(unknown.name(), "Mars/Olympus");
        let late = datetime!(2026-01-01 23:59 UTC);
        assert_eq!(unknown.date_at(late), date!(2026 - 01 - 01));
        assert_eq!(TimeZone::from_stored("Asia/Tokyo"), zone("Asia/Tokyo"));
    }

    #[test]
    fn names_are_looked_up_and_spelled_as_the_database_does() {
        assert_eq!(zone("australia/sydney").name(), "Australia/Sydney");
        for bad in ["", "Sydney", "Factory", "+10:00", "Mars/Olympus", "../etc/passwd", "Australia/Sydney\0"]
        {
            assert!(TimeZone::parse(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_name_makes_it_panic(name in "\\PC{0,40}|[A-Za-z_]{2,10}/[A-Za-z_/.]{0,20}", days in 0..2_900_000_i32) {
            if let Ok(zone) = TimeZone::parse(&name) {
                prop_assert_eq!(TimeZone::parse(zone.name()), Ok(zone.clone()));
                let date = Date::from_julian_day(2_415_021 + days).unwrap();
                prop_assert!(zone.start_of(date) <= (date.midnight() + time::Duration::DAY).assume_utc() + time::Duration::DAY);
            }
        }
    }
}
