//! The clock port, and the text form of instants and dates.

use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, UtcOffset};

use crate::digits::push_digits;

/// The source of the present time.
///
/// An implementation returns UTC, truncated to microseconds, the precision of both databases.
pub trait Clock: Send + Sync {
    /// The present instant, in UTC, in whole microseconds.
    fn now(&self) -> OffsetDateTime;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that implements the port")]
    fn now(&self) -> OffsetDateTime {
        to_microseconds(OffsetDateTime::now_utc())
    }
}

/// Truncates an instant to whole microseconds, the precision of both databases.
#[must_use]
pub fn to_microseconds(instant: OffsetDateTime) -> OffsetDateTime {
    let micros = instant.microsecond();
    instant.replace_microsecond(micros).unwrap_or(instant)
}

/// An instant as the API writes it: UTC, milliseconds, a trailing `Z` (decisions, "All resources").
///
/// ```
/// use time::macros::datetime;
/// assert_eq!(kernel::instant_text(datetime!(2026-11-20 13:09:06.147 +11)), "2026-11-20T02:09:06.147Z");
/// ```
#[must_use]
pub fn instant_text(instant: OffsetDateTime) -> String {
    let instant = instant.to_offset(UtcOffset::UTC);
    let (hour, minute, second, millisecond) = instant.to_hms_milli();
    let mut text = String::with_capacity(24);
    push_date(&mut text, instant.date());
    for (before, number, width) in [
        ('T', hour.into(), 2),
        (':', minute.into(), 2),
        (':', second.into(), 2),
        ('.', millisecond.into(), 3),
    ] {
        text.push(before);
        push_digits(&mut text, number, width);
    }
    text.push('Z');
    text
}

/// An instant as people read it: `27 November 2026, 02:09 UTC`.
#[must_use]
pub fn written_in_utc(instant: OffsetDateTime) -> String {
    let form = format_description!("[day padding:none] [month repr:long] [year], [hour]:[minute] UTC");
    instant.format(form).unwrap_or_default()
}

/// An instant in microseconds since 1970, as exact as the store keeps instants.
#[must_use]
pub fn unix_micros(instant: OffsetDateTime) -> i64 {
    i64::try_from(instant.unix_timestamp_nanos().div_euclid(1_000)).unwrap_or(i64::MAX)
}

/// The instant of [`unix_micros`]; `None` if it is out of range.
#[must_use]
pub fn from_unix_micros(micros: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1_000).ok()
}

/// Parses an RFC 3339 instant, truncated to microseconds.
///
/// Accepts only the years 1900 to 9999, in UTC: another year is a typing error.
#[must_use]
pub fn parse_instant(text: &str) -> Option<OffsetDateTime> {
    let instant = OffsetDateTime::parse(text, &Rfc3339).ok()?.checked_to_offset(UtcOffset::UTC)?;
    (1900..=9999).contains(&instant.year()).then(|| to_microseconds(instant))
}

/// The message for text that [`parse_date`] refuses.
pub const NOT_A_DATE: &str = "must be a date written YYYY-MM-DD, of the years 1900 to 9999";

/// Parses a date written `YYYY-MM-DD` (ISO 8601 calendar date).
///
/// Accepts only the dates of [`is_plausible`].
#[must_use]
pub fn parse_date(text: &str) -> Option<time::Date> {
    date_from_stored(text).filter(|date| is_plausible(*date))
}

/// Whether a date is of the years 1900 to 9999: another year is a typing error.
#[must_use]
pub fn is_plausible(date: time::Date) -> bool {
    (1900..=9999).contains(&date.year())
}

/// Parses the result of [`date_text`], of the years 0 to 9999.
#[must_use]
pub fn date_from_stored(text: &str) -> Option<time::Date> {
    if text.len() != 10 {
        return None;
    }
    time::Date::parse(text, format_description!("[year]-[month]-[day]")).ok()
}

/// Writes a date as `YYYY-MM-DD`.
#[must_use]
pub fn date_text(date: time::Date) -> String {
    let mut text = String::with_capacity(10);
    push_date(&mut text, date);
    text
}

fn push_date(text: &mut String, date: time::Date) {
    if date.year() < 0 {
        text.push('-');
    }
    push_digits(text, date.year().unsigned_abs().into(), 4);
    text.push('-');
    push_digits(text, u8::from(date.month()).into(), 2);
    text.push('-');
    push_digits(text, date.day().into(), 2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    #[test]
    fn instants_are_of_the_years_that_dates_may_have() {
        let read = |text| parse_instant(text).map(instant_text);
        assert_eq!(read("2026-11-20T13:09:06.1479999+11:00").as_deref(), Some("2026-11-20T02:09:06.147Z"));
        for bad in [
            "0000-01-01T00:00:00+23:59", "1900-01-01T00:00:00+00:01", "2026-11-20",
            "9999-12-31T23:59:59-00:01",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn instants_and_dates_are_written_as_their_form_says(millis in -62_135_596_800_000_i128..253_402_300_800_000) {
            let form = format_description!(
                "[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z"
            );
            let instant = OffsetDateTime::from_unix_timestamp_nanos(millis * 1_000_000).unwrap();
            let written = instant.format(form).unwrap();
            prop_assert_eq!(instant_text(instant), &*written);
            prop_assert_eq!(date_text(instant.date()), &written[..10]);
        }
    }

    #[test]
    fn dates_are_read_strictly() {
        assert_eq!(parse_date("2026-02-28"), Some(date!(2026 - 02 - 28)));
        for bad in [
            "2026-02-30", "2026-2-28", "26-02-28", "2026/02/28", "0026-02-28", "+026-02-28",
            "2026-02-28T00:00", "", "２０２６",
        ] {
            assert_eq!(parse_date(bad), None, "{bad}");
        }
    }

    #[test]
    fn an_instant_is_cut_not_rounded() {
        let instant = time::macros::datetime!(2026-01-01 00:00:00.123456789 UTC);
        assert_eq!(to_microseconds(instant).nanosecond(), 123_456_000);
        assert_eq!(instant_text(instant), "2026-01-01T00:00:00.123Z");
    }

    proptest! {
        #[test]
        fn whatever_is_read_as_a_date_is_written_alike(text in "[0-9]{4}-[0-9]{2}-[0-9]{2}|\\PC{0,12}|[-+0-9TZ:.]{8,12}") {
            if let Some(date) = parse_date(&text) {
                prop_assert_eq!(date_text(date), text);
            }
        }
    }
}
