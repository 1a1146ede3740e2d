//! The local time of a contact: when a step is due, and when reminders may be sent.

use kernel::TimeZone;
use time::macros::time;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime, Time, Weekday};

use crate::country::Country;

/// The local time at which a step is due on its day.
const STEP_TIME: Time = time!(9:00);
/// The earliest time of reminders on weekdays.
const WEEKDAYS_FROM: Time = time!(7:30);
/// The earliest time on weekdays in the United States, and where the country is not known.
const WEEKDAYS_FROM_STRICT: Time = time!(8:00);
/// The earliest time on Saturdays and Sundays.
const WEEKENDS_FROM: Time = time!(9:00);
/// The time at which reminders end on every day.
const UNTIL: Time = time!(21:00);

/// By how much clocks on earth differ at most: from UTC-12 to UTC+14.
const WIDEST: Duration = Duration::hours(26);

/// The time zones in which a contact may live. Where a country has several, only hours that are allowed in
/// all of them are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactClock {
    zones: Vec<TimeZone>,
    is_strict: bool,
    holidays: Vec<Date>,
}

impl ContactClock {
    /// The clock of a contact in a country, given by its code or any name. If the country is not known, the
    /// account's time zone is used.
    #[must_use]
    pub fn new(country: Option<&str>, account_zone: &TimeZone, holidays: &[Date]) -> Self {
        let country = country.and_then(Country::find);
        let zones: Vec<TimeZone> = country.into_iter().flat_map(Country::zones).collect();
        let zones = if zones.is_empty() { vec![account_zone.clone()] } else { zones };
        let is_strict = country.is_none_or(|country| country.code() == "US");
        Self { zones, is_strict, holidays: holidays.to_vec() }
    }

    /// When a step is due on a day: at 9:00 in the time zone that reaches it last.
    #[must_use]
    pub fn step_due(&self, date: Date) -> OffsetDateTime {
        let due = self.zones.iter().map(|zone| first_at(zone, date, STEP_TIME));
        due.max().unwrap_or_else(|| PrimitiveDateTime::new(date, STEP_TIME).assume_utc())
    }

    /// Whether a contact may be reminded at an instant, in all of its time zones.
    #[must_use]
    pub fn allows(&self, instant: OffsetDateTime) -> bool {
        self.zones.iter().all(|zone| {
            let local = zone.local(instant);
            self.opens(local.date()).is_some_and(|from| (from..UNTIL).contains(&local.time()))
        })
    }

    /// The first instant from this one on at which the contact may be reminded. `None` when the time zones
    /// share no allowed hour within 62 days.
    #[must_use]
    pub fn next_allowed(&self, from: OffsetDateTime) -> Option<OffsetDateTime> {
        let last = from.saturating_add(Duration::days(62));
        let mut instant = from;
        while instant <= last {
            if self.allows(instant) {
                return Some(instant);
            }
            let openings = self.zones.iter().filter_map(|zone| self.next_opening(zone, instant));
            instant = openings.min()?;
        }
        None
    }

    /// When reminders may begin next in a zone, after an instant.
    fn next_opening(&self, zone: &TimeZone, after: OffsetDateTime) -> Option<OffsetDateTime> {
        let mut date = zone.local(after).date();
        for _ in 0..62 {
            let opening = self.opens(date).map(|from| first_at(zone, date, from));
            if let Some(opening) = opening.filter(|opening| *opening > after) {
                return Some(opening);
            }
            date = date.next_day()?;
        }
        None
    }

    /// The earliest time of reminders on a day; `None` on a holiday.
    fn opens(&self, date: Date) -> Option<Time> {
        let from = match date.weekday() {
            Weekday::Saturday | Weekday::Sunday => WEEKENDS_FROM,
            _ if self.is_strict => WEEKDAYS_FROM_STRICT,
            _ => WEEKDAYS_FROM,
        };
        (!self.holidays.contains(&date)).then_some(from)
    }
}

/// Whether two instants may be when a step is due on one and the same day, by clocks of different time zones.
/// The day itself cannot be known: a step may be due at one instant on one day in Hawaii and on the next on
/// Kiritimati.
#[must_use]
pub fn may_be_one_day(one: OffsetDateTime, other: OffsetDateTime) -> bool {
    (one - other).abs() <= WIDEST
}

/// The first instant of a day at which the local time of a zone is `at`. If a clock change skips that time,
/// the next minute that exists.
#[must_use]
pub fn first_at(zone: &TimeZone, date: Date, at: Time) -> OffsetDateTime {
    let (start, wanted) = (zone.start_of(date), PrimitiveDateTime::new(date, at));
    if zone.local(start) >= wanted {
        return start;
    }
    let without_change = start + (at - Time::MIDNIGHT);
    let exact = without_change - (zone.local(without_change) - wanted);
    if zone.local(exact) == wanted {
        return exact;
    }
    // A clock change skips that time: `before` is ahead of the gap, `after` past it, in minutes.
    let (mut before, mut after) = (0_i64, (without_change - start).whole_minutes());
    while after - before > 1 {
        let middle = before.midpoint(after);
        if zone.local(start + Duration::minutes(middle)) < wanted {
            before = middle;
        } else {
            after = middle;
        }
    }
    start + Duration::minutes(after)
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::parse(name).unwrap()
    }

    fn clock(country: &str) -> ContactClock {
        ContactClock::new(Some(country), &TimeZone::utc(), &[])
    }

    #[test]
    fn step_is_due_at_nine_by_the_contacts_clock_on_both_sides_of_a_change() {
        let sydney = zone("Australia/Sydney");
        let of = |date| first_at(&sydney, date, STEP_TIME);
        assert_eq!(of(date!(2026 - 10 - 03)), datetime!(2026-10-02 23:00 UTC));
        assert_eq!(of(date!(2026 - 10 - 04)), datetime!(2026-10-03 22:00 UTC), "clocks went forward at 2:00");
        assert_eq!(of(date!(2026 - 04 - 05)), datetime!(2026-04-04 23:00 UTC), "clocks went back at 3:00");
        assert_eq!(clock("Germany").step_due(date!(2026 - 12 - 03)), datetime!(2026-12-03 08:00 UTC));
    }

    #[test]
    fn time_inside_a_gap_is_the_next_minute_that_exists() {
        let berlin = zone("Europe/Berlin");
        let gap = date!(2026 - 03 - 29);
        for at in [time!(2:00), time!(2:01), time!(2:30), time!(2:59), time!(3:00)] {
            assert_eq!(first_at(&berlin, gap, at), datetime!(2026-03-29 01:00 UTC), "{at}");
        }
        assert_eq!(first_at(&berlin, gap, time!(1:59)), datetime!(2026-03-29 00:59 UTC));
        assert_eq!(first_at(&berlin, gap, time!(3:01)), datetime!(2026-03-29 01:01 UTC));
        let first_of_two = first_at(&berlin, date!(2026 - 10 - 25), time!(2:30));
        assert_eq!(first_of_two, datetime!(2026-10-25 00:30 UTC));
        let santiago = first_at(&zone("America/Santiago"), date!(2026 - 09 - 06), time!(0:30));
        assert_eq!(santiago, datetime!(2026-09-06 04:00 UTC), "a day without midnight");
    }

    #[test]
    fn contact_hours_suit_all_time_zones_of_the_country() {
        let us = clock("United States");
        let due = us.step_due(date!(2026 - 12 - 03));
        assert_eq!(due, datetime!(2026-12-03 19:00 UTC), "nine in Honolulu");
        assert!(us.allows(due));
        assert!(!us.allows(datetime!(2026-12-03 14:00 UTC)), "nine in New York is four in Honolulu");
        assert!(!us.allows(datetime!(2026-12-04 02:00 UTC)), "nine in the evening in New York");
    }

    #[test]
    fn quiet_hours_of_weekdays_weekends_and_where_nothing_is_known() {
        // 3 December 2026 is a Thursday, the 5th a Saturday.
        let (german, unknown) = (clock("de"), clock("Atlantis"));
        assert!(!german.allows(datetime!(2026-12-03 06:29:59 UTC)));
        assert!(german.allows(datetime!(2026-12-03 06:30 UTC)));
        assert!(
            german.allows(datetime!(2026-12-03 19:59:59 UTC))
                && !german.allows(datetime!(2026-12-03 20:00 UTC))
        );
        assert!(
            !german.allows(datetime!(2026-12-05 07:59 UTC)) && german.allows(datetime!(2026-12-05 08:00 UTC))
        );
        assert!(
            !unknown.allows(datetime!(2026-12-03 07:59 UTC))
                && unknown.allows(datetime!(2026-12-03 08:00 UTC))
        );
    }

    #[test]
    fn holiday_is_quiet_and_the_next_day_opens_as_any_other() {
        let christmas = [date!(2026 - 12 - 25), date!(2026 - 12 - 26)];
        let german = ContactClock::new(Some("Germany"), &TimeZone::utc(), &christmas);
        let due = german.step_due(date!(2026 - 12 - 25));
        assert!(!german.allows(due));
        // The 27th is a Sunday.
        assert_eq!(german.next_allowed(due), Some(datetime!(2026-12-27 08:00 UTC)));
        let open = datetime!(2026-12-28 12:00 UTC);
        assert_eq!(german.next_allowed(open), Some(open));
        let always: Vec<Date> =
            (0..99).filter_map(|days| date!(2026 - 12 - 01).checked_add(Duration::days(days))).collect();
        let never = ContactClock::new(Some("Germany"), &TimeZone::utc(), &always);
        assert_eq!(never.next_allowed(due), None);
    }

    #[test]
    fn every_country_has_hours_that_suit_all_of_its_clocks() {
        for country in ["RU", "US", "FR", "KI", "UM", "PF", "CA", "AU", "BR", "CL", "ES", "NZ", "ID", "MX"] {
            let clock = clock(country);
            let next = clock.next_allowed(datetime!(2026-12-03 00:00 UTC)).unwrap();
            assert!(clock.allows(next), "{country}");
        }
    }
}
