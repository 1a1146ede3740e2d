//! The reminder policy of an account, which its owner sets.

use std::fmt;

use escalations::Channel;
use kernel::clock::{NOT_A_DATE, date_text, parse_date};
use kernel::{Named as _, TimeZone, UnknownName};
use strum::{EnumString, IntoStaticStr, VariantNames};
use time::{Date, OffsetDateTime};

/// How a reminder is worded.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Tone {
    /// A friendly note.
    Friendly,
    /// A plain request.
    Firm,
    /// The last word before the owner acts.
    Final,
}

/// Identifies a step: the number of days after the due date (before it if negative), and the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepKey {
    /// Days after the due date.
    pub days: i16,
    /// The channel of the reminder.
    pub channel: Channel,
}

/// A step of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Its day and channel.
    pub key: StepKey,
    /// How it is worded.
    pub tone: Tone,
    /// When it was added to a policy whose reminders ran, UTC; `None` if they were started with it. An owner
    /// does not enter it: [`PolicyChange::applied_to`](crate::PolicyChange::applied_to) sets it.
    pub added_at: Option<OffsetDateTime>,
}

/// The reminder policy of an account, which its owner sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReminderPolicy {
    /// When reminders were started, UTC; `None` while they are stopped.
    pub started_at: Option<OffsetDateTime>,
    /// The day of the start in the time zone that the account had then. How late invoices were at the start
    /// does not change with the account's zone.
    pub started_on: Option<Date>,
    /// The steps, in the order of their days.
    pub steps: Vec<Step>,
    /// Whether reminders are also sent for invoices that were over 30 days late when reminders were started.
    pub backlog: bool,
    /// Public holidays, on which no reminder is sent.
    pub holidays: Vec<Date>,
    /// The host whose language model may read messages that the rules are unsure of; `None` without the
    /// owner's consent.
    pub language_model_host: Option<String>,
}

/// Why steps are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StepFault {
    /// A step does not have the form `DAYS:CHANNEL`.
    #[error("must be written DAYS:CHANNEL, such as -3:email, several separated by commas")]
    Form,
    /// The days are out of range.
    #[error("must have days from -{} to {}", -ReminderPolicy::EARLIEST, ReminderPolicy::LATEST)]
    Days,
    /// The channel is unknown.
    #[error("the channel {0}")]
    Channel(UnknownName),
    /// Calls are not supported yet.
    #[error("must have the channel email or sms: calls are not offered yet")]
    NoCalls,
    /// The tone is unknown.
    #[error("the tone {0}")]
    Tone(UnknownName),
    /// Two steps have the same day and channel.
    #[error("must not have the same day and channel twice")]
    Twice,
    /// There are too many steps or none.
    #[error("must be 1 to {} steps", ReminderPolicy::MAX_STEPS)]
    Count,
}

/// Why public holidays are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HolidayFault {
    /// One is not a date.
    #[error("has `{0}`, which {NOT_A_DATE}")]
    Form(String),
    /// There are too many.
    #[error("must have at most {} dates", ReminderPolicy::MAX_HOLIDAYS)]
    Count,
}

impl ReminderPolicy {
    /// The most steps of a policy.
    pub const MAX_STEPS: usize = 20;
    /// The most public holidays.
    pub const MAX_HOLIDAYS: usize = 200;
    /// The earliest day that a step may have.
    pub const EARLIEST: i16 = -60;
    /// The latest day that a step may have.
    pub const LATEST: i16 = 365;

    /// The policy that accounts begin with: e-mail at -3, +1, +7 and +14 days, stopped.
    #[must_use]
    pub fn initial() -> Self {
        let step = |days| Step::new(days, Channel::Email);
        Self {
            started_at: None,
            started_on: None,
            steps: [-3, 1, 7, 14].map(step).to_vec(),
            backlog: false,
            holidays: Vec::new(),
            language_model_host: None,
        }
    }

    /// Starts reminders, unless they have started.
    pub fn start(&mut self, now: OffsetDateTime, zone: &TimeZone) {
        if self.started_at.is_none() {
            (self.started_at, self.started_on) = (Some(now), Some(zone.date_at(now)));
        }
    }

    /// Checks steps and sorts them.
    pub fn ordered(mut steps: Vec<Step>) -> Result<Vec<Step>, StepFault> {
        if steps.is_empty() || steps.len() > Self::MAX_STEPS {
            return Err(StepFault::Count);
        }
        steps.sort_by_key(|step| step.key.order());
        let is_twice = steps.iter().zip(steps.iter().skip(1)).any(|(one, next)| one.key == next.key);
        if is_twice { Err(StepFault::Twice) } else { Ok(steps) }
    }

    /// Parses steps as the command takes them: `-3:email,1:email,7:sms`. A tone follows if it is not the
    /// usual one of the day (`7:sms:final`).
    pub fn parse_steps(text: &str) -> Result<Vec<Step>, StepFault> {
        let steps: Result<Vec<Step>, StepFault> = text.split(',').map(Step::parse).collect();
        Self::ordered(steps?)
    }

    /// Parses public holidays, separated by line breaks, commas or semicolons, and sorts them.
    pub fn parse_holidays(text: &str) -> Result<Vec<Date>, HolidayFault> {
        let mut days = Vec::new();
        for part in text.split(['\n', ',', ';']).map(str::trim).filter(|part| !part.is_empty()) {
            let fault = || HolidayFault::Form(part.chars().take(40).collect());
            days.push(parse_date(part).ok_or_else(fault)?);
        }
        if days.len() > Self::MAX_HOLIDAYS {
            return Err(HolidayFault::Count);
        }
        days.sort_unstable();
        days.dedup();
        Ok(days)
    }

    /// The public holidays as [`ReminderPolicy::parse_holidays`] takes them; `none` without any.
    #[must_use]
    pub fn holidays_text(&self) -> String {
        let days: Vec<String> = self.holidays.iter().map(|day| date_text(*day)).collect();
        if days.is_empty() { "none".to_owned() } else { days.join(",") }
    }

    /// Its step of a day and channel.
    #[must_use]
    pub fn step(&self, key: StepKey) -> Option<&Step> {
        self.steps.iter().find(|step| step.key == key)
    }

    /// The tone of a step; of one that the policy lacks, the usual tone.
    #[must_use]
    pub fn tone(&self, key: StepKey) -> Tone {
        self.step(key).map_or_else(|| Tone::usual(key.days), |step| step.tone)
    }
}

impl Step {
    /// A step in the usual tone of its day.
    #[must_use]
    pub const fn new(days: i16, channel: Channel) -> Self {
        Self { key: StepKey { days, channel }, tone: Tone::usual(days), added_at: None }
    }

    /// Checks the parts of a step.
    pub fn check(days: &str, channel: &str, tone: Option<&str>) -> Result<Self, StepFault> {
        let days: i16 = days.trim().parse().map_err(|_fault| StepFault::Form)?;
        if !(ReminderPolicy::EARLIEST..=ReminderPolicy::LATEST).contains(&days) {
            return Err(StepFault::Days);
        }
        let channel = Channel::parse(channel.trim()).map_err(StepFault::Channel)?;
        if channel == Channel::Voice {
            return Err(StepFault::NoCalls);
        }
        let tone =
            tone.map_or(Ok(Tone::usual(days)), |tone| Tone::parse(tone.trim()).map_err(StepFault::Tone));
        Ok(Self { key: StepKey { days, channel }, tone: tone?, added_at: None })
    }

    /// Whether it was added after an instant at which it is due. Then it is left out: otherwise an edit of
    /// the policy would send it at once for every late invoice.
    #[must_use]
    pub fn was_added_after(&self, due_at: OffsetDateTime) -> bool {
        self.added_at.is_some_and(|added_at| due_at < added_at)
    }

    fn parse(text: &str) -> Result<Self, StepFault> {
        let mut parts = text.trim().split(':');
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(days), Some(channel), tone, None) => Self::check(days, channel, tone),
            _ => Err(StepFault::Form),
        }
    }
}

impl StepKey {
    /// The order of steps: by day, e-mail first.
    #[must_use]
    pub const fn order(self) -> (i16, u8) {
        let channel = match self.channel {
            Channel::Email => 0,
            Channel::Sms => 1,
            Channel::Voice => 2,
        };
        (self.days, channel)
    }
}

/// The whole policy in one line, for audit entries.
impl fmt::Display for ReminderPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps.iter().map(Step::to_string).collect();
        let started = if self.started_at.is_some() { "on" } else { "off" };
        let late = if self.backlog { "with" } else { "without" };
        let holidays = self.holidays_text().replace(',', " ");
        let steps = steps.join(",");
        write!(f, "{started}, steps {steps}, {late} invoices over 30 days late, holidays {holidays}")?;
        match &self.language_model_host {
            Some(host) => write!(f, ", unclear messages are read by the language model at {host}"),
            None => Ok(()),
        }
    }
}

/// The step as the command takes it.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StepKey { days, channel } = self.key;
        write!(f, "{days}:{}", channel.as_str())?;
        if self.tone == Tone::usual(days) { Ok(()) } else { write!(f, ":{}", self.tone.as_str()) }
    }
}

impl Tone {
    /// Every tone.
    pub const ALL: [Self; 3] = [Self::Friendly, Self::Firm, Self::Final];

    /// The usual tone of a day.
    #[must_use]
    pub const fn usual(days: i16) -> Self {
        match days {
            ..=3 => Self::Friendly,
            4..=13 => Self::Firm,
            _ => Self::Final,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_in_any_order_and_written_in_theirs() {
        let steps = ReminderPolicy::parse_steps("7:sms, -3:email,7:email:final,+1:email").unwrap();
        let written: Vec<String> = steps.iter().map(Step::to_string).collect();
        assert_eq!(written, ["-3:email", "1:email", "7:email:final", "7:sms"]);
        let initial: Vec<String> = ReminderPolicy::initial().steps.iter().map(Step::to_string).collect();
        assert_eq!(initial, ["-3:email", "1:email", "7:email", "14:email"]);
    }

    #[test]
    fn holidays_are_read_in_any_order_and_the_policy_is_one_line() {
        let holidays = ReminderPolicy::parse_holidays("2026-12-26\r\n2026-12-25, 2026-12-25;").unwrap();
        let policy = ReminderPolicy { holidays, ..ReminderPolicy::initial() };
        assert_eq!(policy.holidays_text(), "2026-12-25,2026-12-26");
        assert_eq!(ReminderPolicy::parse_holidays(&policy.holidays_text()).unwrap(), policy.holidays);
        assert_eq!(
            policy.to_string(),
            "off, steps -3:email,1:email,7:email,14:email, without invoices over 30 days late, \
             holidays 2026-12-25 2026-12-26"
        );
        let agreed = ReminderPolicy { language_model_host: Some("models.example.com".to_owned()), ..policy };
        let end = "2026-12-26, unclear messages are read by the language model at models.example.com";
        assert!(agreed.to_string().ends_with(end), "{agreed}");
        assert_eq!(ReminderPolicy::initial().holidays_text(), "none");
        let fault = ReminderPolicy::parse_holidays("christmas").unwrap_err();
        assert!(fault.to_string().starts_with("has `christmas`, which "), "{fault}");
        let day = |n: i64| date_text(time::macros::date!(2027 - 01 - 01) + time::Duration::days(n));
        let many: Vec<String> = (0..201).map(day).collect();
        assert_eq!(ReminderPolicy::parse_holidays(&many.join(",")), Err(HolidayFault::Count));
        assert!(ReminderPolicy::parse_holidays(&many[1..].join(",")).is_ok());
    }

    #[test]
    fn faulty_steps_are_refused_with_what_is_wrong() {
        let fault = |text: &str| ReminderPolicy::parse_steps(text).unwrap_err();
        assert_eq!(fault(""), StepFault::Form);
        assert_eq!(fault("1"), StepFault::Form);
        assert_eq!(fault("1:email:firm:x"), StepFault::Form);
        assert_eq!(fault("x:email"), StepFault::Form);
        assert_eq!(fault("-61:email"), StepFault::Days);
        assert_eq!(fault("366:email"), StepFault::Days);
        assert!(matches!(fault("1:fax"), StepFault::Channel(_)));
        assert!(matches!(fault("1:email:rude"), StepFault::Tone(_)));
        assert_eq!(fault("21:voice"), StepFault::NoCalls);
        assert_eq!(fault("1:email,1:email:final"), StepFault::Twice);
        let many: Vec<String> = (1..=21).map(|n| format!("{n}:email")).collect();
        assert_eq!(fault(&many.join(",")), StepFault::Count);
        assert_eq!(fault("-61:email").to_string(), "must have days from -60 to 365");
    }
}
