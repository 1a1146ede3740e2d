//! The day that a customer names: "on Friday", "the 15th", "15/12", "end of the month", "in two weeks".

use std::ops::Range;

use time::{Date, Duration, Month, Weekday};

use crate::text::{Boundary, Word};

/// A day that the words name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DayMention {
    pub(super) words: Range<usize>,
    pub(super) day: Date,
    /// Before the day of the message. It may be the date of an invoice, and is not the day of a promise.
    pub(super) is_past: bool,
}

impl DayMention {
    /// What is compared instead of a word of this mention that names a month or a whole date:
    /// "27 November" is past or to come, depending on when it is written.
    pub(super) fn name_of(&self, word: &str) -> Option<&'static str> {
        let is_date =
            word.starts_with(|first: char| first.is_ascii_digit()) && word.contains(['/', '.', '-']);
        let name = if self.is_past { "@past" } else { "@coming" };
        (is_date || name_of_month(word).is_some()).then_some(name)
    }
}

/// The days that the words name, relative to the day on which they were written.
pub(super) fn days(words: &[Word], today: Date) -> Vec<DayMention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // A number at the beginning of a sentence is no year of the day before it.
        let is_further = |word: &Word| word.before == Boundary::Sentence && year_number(&word.text).is_some();
        let rest = words.get(at..).unwrap_or_default().iter().take(6);
        let texts: Vec<&str> =
            rest.take_while(|word| !is_further(word)).map(|word| word.text.as_str()).collect();
        match day(&texts, today) {
            Some((count, day)) => {
                let end = at.saturating_add(count);
                found.push(DayMention { words: at..end, day, is_past: day < today });
                at = end;
            }
            None => at = at.saturating_add(1),
        }
    }
    found
}

/// The day that the words begin with, and how many words name it.
fn day(words: &[&str], today: Date) -> Option<(usize, Date)> {
    match words {
        ["today" | "tonight" | "tonite" | "arvo", ..] => Some((1, today)),
        ["this", "afternoon" | "evening" | "arvo" | "morning", ..] => Some((2, today)),
        ["tomorrow", ..] => Some((1, after(today, 1)?)),
        ["day", "after", "tomorrow", ..] => Some((3, after(today, 2)?)),
        ["end", "of", "the" | "this", "week", ..] => Some((4, end_of_week(today)?)),
        ["end", "of", "week", ..] => Some((3, end_of_week(today)?)),
        ["end", "of", "next", "week", ..] => Some((4, after(end_of_week(today)?, 7)?)),
        ["end", "of", "the" | "this", "month", ..] => Some((4, end_of_month(today))),
        ["end", "of", "month", ..] => Some((3, end_of_month(today))),
        ["month", "end", ..] => Some((2, end_of_month(today))),
        ["end", "of", "next", "month", ..] => Some((4, end_of_month(after(end_of_month(today), 1)?))),
        ["end", "of", month, ..] if name_of_month(month).is_some() => {
            let first = upcoming(1, name_of_month(month)?, today)?;
            Some((3, end_of_month(first)))
        }
        ["first", "of", "next", "month", ..] => Some((4, after(end_of_month(today), 1)?)),
        ["next", name, ..] => next(name, today),
        // "Last Friday" is past, "the last Friday of the month" is to come.
        ["last", name, rest @ ..] if !matches!(rest, ["of" | "in", ..]) => {
            Some((2, latest(weekday(name)?, today)?))
        }
        ["this", "coming", name, ..] => Some((3, coming(weekday(name)?, today)?)),
        ["this" | "coming", name, ..] => Some((2, coming(weekday(name)?, today)?)),
        ["weekend", ..] => Some((1, coming(Weekday::Sunday, today)?)),
        ["in" | "within", "a", "couple", "of", unit, ..] => Some((5, later(2, unit, today)?)),
        ["in" | "within", "a" | "one" | "1", unit, ..] => Some((3, later(1, unit, today)?)),
        ["in" | "within", "the", "next", count, unit, ..] => Some((5, later(number(count)?, unit, today)?)),
        ["in" | "within", count, unit, ..] => Some((3, later(number(count)?, unit, today)?)),
        ["week" | "fortnight", "from", name, ..] => {
            let from = if *name == "today" { today } else { coming(weekday(name)?, today)? };
            Some((3, after(from, if words.first() == Some(&"week") { 7 } else { 14 })?))
        }
        [name, "week", ..] if weekday(name).is_some() => Some((2, after(coming(weekday(name)?, today)?, 7)?)),
        [name, "the", day, ..] if weekday(name).is_some() && ordinal(day).is_some() => {
            Some((3, day_of_month(ordinal(day)?, today)?))
        }
        [name, ..] if weekday(name).is_some() => calendar(words.get(1..)?, today)
            .map(|(count, day)| (count.saturating_add(1), day))
            .or_else(|| Some((1, coming(weekday(name)?, today)?))),
        _ => calendar(words, today),
    }
}

/// A calendar date: 15 December, Dec 15th, 15/12, 2026-12-15, the 15th.
fn calendar(words: &[&str], today: Date) -> Option<(usize, Date)> {
    match words {
        [day, month, year, ..] | [month, day, year, ..]
            if name_of_month(month).is_some() && year_number(year).is_some() =>
        {
            let (day, month) = (number_or_ordinal(day)?, name_of_month(month)?);
            Some((3, Date::from_calendar_date(year_number(year)?, month, day).ok()?))
        }
        [day, "of", month, ..] if name_of_month(month).is_some() => {
            Some((3, upcoming(number_or_ordinal(day)?, name_of_month(month)?, today)?))
        }
        [day, month, ..] if number_or_ordinal(day).is_some() && name_of_month(month).is_some() => {
            Some((2, upcoming(number_or_ordinal(day)?, name_of_month(month)?, today)?))
        }
        [month, day, ..] if name_of_month(month).is_some() && number_or_ordinal(day).is_some() => {
            Some((2, upcoming(number_or_ordinal(day)?, name_of_month(month)?, today)?))
        }
        [day, ..] if ordinal(day).is_some() => Some((1, day_of_month(ordinal(day)?, today)?)),
        [numbers, ..] => Some((1, numeric(numbers, today)?)),
        [] => None,
    }
}

fn next(name: &str, today: Date) -> Option<(usize, Date)> {
    let day = match name {
        "week" => after(end_of_week(today)?, 7)?,
        "month" => end_of_month(after(end_of_month(today), 1)?),
        "payday" | "pay" => return None,
        // On a Tuesday, "next Friday" may mean this week's or next week's: the later one is certainly not too
        // early.
        _ => {
            let coming = coming(weekday(name)?, today)?;
            if coming <= end_of_week(today)? { after(coming, 7)? } else { coming }
        }
    };
    Some((2, day))
}

fn later(count: i64, unit: &str, today: Date) -> Option<Date> {
    let days = match unit {
        "day" | "days" => 1,
        "week" | "weeks" | "wk" | "wks" => 7,
        "fortnight" | "fortnights" => 14,
        "month" | "months" => 30,
        _ => return None,
    };
    after(today, count.checked_mul(days)?)
}

fn after(day: Date, days: i64) -> Option<Date> {
    day.checked_add(Duration::days(days))
}

/// The first such weekday after today.
fn coming(weekday: Weekday, today: Date) -> Option<Date> {
    (1..=7).filter_map(|days| after(today, days)).find(|day| day.weekday() == weekday)
}

/// The last such weekday before today.
fn latest(weekday: Weekday, today: Date) -> Option<Date> {
    (1..=7).filter_map(|days| after(today, -days)).find(|day| day.weekday() == weekday)
}

fn end_of_week(today: Date) -> Option<Date> {
    if today.weekday() == Weekday::Sunday { Some(today) } else { coming(Weekday::Sunday, today) }
}

fn end_of_month(day: Date) -> Date {
    day.replace_day(day.month().length(day.year())).unwrap_or(day)
}

fn day_of_month(number: u8, today: Date) -> Option<Date> {
    let this = today.replace_day(number).ok().filter(|day| *day >= today);
    this.or_else(|| after(end_of_month(today), 1)?.replace_day(number).ok())
}

fn upcoming(number: u8, month: Month, today: Date) -> Option<Date> {
    let year = today.year();
    let of_year = |year| Date::from_calendar_date(year, month, number).ok();
    // A date less than half a year ago is past; an earlier one means next year.
    let this = of_year(year).filter(|day| *day >= today || (today - *day) < Duration::days(183));
    this.or_else(|| of_year(year.checked_add(1)?))
}

/// 15/12, 15.12.2026, 15-12-26, 2026-12-15. The day comes before the month, unless that is no date.
fn numeric(text: &str, today: Date) -> Option<Date> {
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    let parse = |part: &&str| part.parse::<i32>().ok();
    let numbers: Vec<i32> = parts.iter().filter_map(parse).collect();
    if numbers.len() != parts.len() {
        return None;
    }
    let of = |year: i32, month: i32, day: i32| {
        let month = Month::try_from(u8::try_from(month).ok()?).ok()?;
        Date::from_calendar_date(year, month, u8::try_from(day).ok()?).ok()
    };
    match *numbers.as_slice() {
        [year, month, day] if year >= 1900 => of(year, month, day),
        [day, month, year] => {
            let year = if year < 100 { year.checked_add(2000)? } else { year };
            of(year, month, day).or_else(|| of(year, day, month))
        }
        [day, month] if text.contains('/') => {
            let (day, month) = if month > 12 { (month, day) } else { (day, month) };
            upcoming(u8::try_from(day).ok()?, Month::try_from(u8::try_from(month).ok()?).ok()?, today)
        }
        _ => None,
    }
}

fn weekday(name: &str) -> Option<Weekday> {
    Some(match name {
        "monday" | "mon" | "mondays" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" | "weds" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

fn name_of_month(name: &str) -> Option<Month> {
    Some(match name {
        "january" | "jan" => Month::January,
        "february" | "feb" => Month::February,
        "march" | "mar" => Month::March,
        "april" | "apr" => Month::April,
        "may" => Month::May,
        "june" | "jun" => Month::June,
        "july" | "jul" => Month::July,
        "august" | "aug" => Month::August,
        "september" | "sept" | "sep" => Month::September,
        "october" | "oct" => Month::October,
        "november" | "nov" => Month::November,
        "december" | "dec" => Month::December,
        _ => return None,
    })
}

fn ordinal(text: &str) -> Option<u8> {
    let number = ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end))?;
    number.parse().ok().filter(|day| (1..=31).contains(day))
}

fn number_or_ordinal(text: &str) -> Option<u8> {
    ordinal(text).or_else(|| text.parse().ok()).filter(|day| (1..=31).contains(day))
}

fn year_number(text: &str) -> Option<i32> {
    text.parse().ok().filter(|year| (2000..2100).contains(year))
}

fn number(text: &str) -> Option<i64> {
    Some(match text {
        "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "ten" => 10,
        other => other.parse().ok().filter(|count| (1..=90).contains(count))?,
    })
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::text::words;

    /// 2026-12-01 is a Tuesday.
    fn day_of(text: &str) -> Option<Date> {
        days(&words(text), date!(2026 - 12 - 01)).first().map(|mention| mention.day)
    }

    #[test]
    fn days_are_read_as_people_write_them() {
        for (text, day) in [
            ("on Friday", date!(2026 - 12 - 04)),
            ("next friday", date!(2026 - 12 - 11)),
            ("tomorrow", date!(2026 - 12 - 02)),
            ("by the 15th", date!(2026 - 12 - 15)),
            ("15 December", date!(2026 - 12 - 15)),
            ("Dec 15th", date!(2026 - 12 - 15)),
            ("15/12", date!(2026 - 12 - 15)),
            ("12/15", date!(2026 - 12 - 15)),
            ("15.12.2026", date!(2026 - 12 - 15)),
            ("2026-12-15", date!(2026 - 12 - 15)),
            ("15 December 2027", date!(2027 - 12 - 15)),
            ("January 13, 2026", date!(2026 - 01 - 13)),
            ("14 August", date!(2026 - 08 - 14)),
            ("2 March", date!(2027 - 03 - 02)),
            ("the end of the month", date!(2026 - 12 - 31)),
            ("end of January", date!(2027 - 01 - 31)),
            ("in two weeks", date!(2026 - 12 - 15)),
            ("Friday the 11th", date!(2026 - 12 - 11)),
            ("Fri 11 Dec", date!(2026 - 12 - 11)),
            ("end of next week", date!(2026 - 12 - 13)),
            ("last Friday", date!(2026 - 11 - 27)),
            ("last Tuesday", date!(2026 - 11 - 24)),
            ("the last Friday of the month", date!(2026 - 12 - 04)),
        ] {
            assert_eq!(day_of(text), Some(day), "{text}");
        }
    }

    #[test]
    fn name_of_a_month_is_read_as_past_or_coming() {
        let name = |text: &str, word: &str| {
            days(&words(text), date!(2026 - 12 - 01)).first().and_then(|mention| mention.name_of(word))
        };
        assert_eq!(name("27 November", "november"), Some("@past"));
        assert_eq!(name("4 December", "december"), Some("@coming"));
        assert_eq!(name("4/12", "4/12"), Some("@coming"));
        assert_eq!(name("4 December", "4"), None);
        assert_eq!(name("Friday", "friday"), None);
    }

    #[test]
    fn amounts_and_plain_numbers_are_no_days() {
        for text in ["$15.12", "I may pay", "1,200.00", "99/99", "45th street", "2 items"] {
            assert_eq!(day_of(text), None, "{text}");
        }
    }
}
