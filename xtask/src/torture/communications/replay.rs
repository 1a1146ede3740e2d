//! Replays the journal, and checks each reminder that begins against the changes that were committed before
//! it.

use std::collections::{BTreeMap, BTreeSet};

use kernel::TimeZone;
use serde_json::Value;
use time::macros::time;
use time::{Duration, OffsetDateTime, Weekday};
use uuid::Uuid;

use super::journal::Entry;

/// For how long reminders are held after an escalation.
const HOLD_PERIOD: Duration = Duration::hours(48);
/// The account's switches are read without a lock: an attempt that read them before they changed proceeds. It
/// begins within this number of microseconds of the machine's clock.
const SWITCHED_WITHIN: i64 = 1_000_000;

/// The conditions that must hold when a reminder begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rule {
    Escalation,
    Reply,
    Invoice,
    Address,
    Switch,
    Hours,
    Raised,
}

impl Rule {
    pub(super) const ALL: [Self; 7] = [
        Self::Escalation,
        Self::Reply,
        Self::Invoice,
        Self::Address,
        Self::Switch,
        Self::Hours,
        Self::Raised,
    ];

    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::Escalation => {
                "no reminder began after an escalation of its contact was raised, nor within 48 hours of its end"
            }
            Self::Reply => "none while a message of its contact was unread or in quarantine",
            Self::Invoice => "none of an invoice that was paid, cancelled, paused or promised",
            Self::Address => "none to an address that was closed, and no text message without consent",
            Self::Switch => "none while reminders or communications of the account were off",
            Self::Hours => "none in quiet hours",
            Self::Raised => "what a message surely says has its escalation when the message is handled",
        }
    }
}

/// A reminder that began: one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Attempt {
    pub(super) message: Uuid,
    pub(super) account: Uuid,
    pub(super) contact: Uuid,
    pub(super) is_text: bool,
    pub(super) at: OffsetDateTime,
    pub(super) invoices: BTreeSet<Uuid>,
}

/// The state after the replayed part of the journal.
#[derive(Debug, Default)]
pub(super) struct Replay {
    pub(super) attempts: Vec<Attempt>,
    /// Messages that were handled.
    pub(super) heard: usize,
    pub(super) broken: Vec<(Rule, String)>,
    /// Mails with invoices to contacts.
    pub(super) mailed: Vec<(Uuid, OffsetDateTime)>,
    open: BTreeMap<Uuid, BTreeMap<Uuid, String>>,
    closed_at: BTreeMap<Uuid, OffsetDateTime>,
    unread: BTreeMap<Uuid, BTreeSet<Uuid>>,
    settled: BTreeMap<Uuid, String>,
    paused: BTreeMap<Uuid, String>,
    promised: BTreeMap<Uuid, String>,
    closed: BTreeSet<(Uuid, String)>,
    consents: BTreeSet<Uuid>,
    off: BTreeMap<(Uuid, &'static str), i64>,
}

impl Replay {
    pub(super) fn of(journal: &[Entry], zones: &[(Uuid, TimeZone)]) -> Self {
        let mut replay = Self::default();
        for entry in journal {
            replay.take(entry, zones);
        }
        replay
    }

    fn take(&mut self, entry: &Entry, zones: &[(Uuid, TimeZone)]) {
        let Entry { account, contact, invoice, subject, detail, .. } = entry;
        let (contact, invoice) = (contact.unwrap_or_default(), invoice.unwrap_or_default());
        let subject = subject.unwrap_or_default();
        match entry.what.as_str() {
            "begins" => self.begin(entry, zones),
            "raised" => drop(self.open.entry(contact).or_default().insert(subject, detail.clone())),
            "resolved" => {
                self.open.entry(contact).or_default().remove(&subject);
                self.closed_at.extend(entry.at.map(|at| (contact, at)));
            }
            "heard" => self.check_handled_message(contact, subject, detail),
            "unread" | "quarantined" => drop(self.unread.entry(contact).or_default().insert(subject)),
            "read" | "released" => drop(self.unread.entry(contact).or_default().remove(&subject)),
            "settled" => drop(self.settled.insert(invoice, detail.clone())),
            "mailed" => self.mailed.extend(entry.at.map(|at| (contact, at))),
            "paused" => drop(self.paused.insert(invoice, detail.clone())),
            "goes_on" => drop(self.paused.remove(&invoice)),
            "promised" => drop(self.promised.insert(invoice, detail.clone())),
            "superseded" => drop(self.promised.remove(&invoice)),
            "closed" => drop(self.closed.insert((*account, detail.clone()))),
            "opened" => drop(self.closed.remove(&(*account, detail.clone()))),
            "consented" => drop(self.consents.insert(contact)),
            "withdrew" => drop(self.consents.remove(&contact)),
            "off" => drop(self.off.entry((*account, "communications")).or_insert(entry.committed)),
            "on" => drop(self.off.remove(&(*account, "communications"))),
            "stopped" => drop(self.off.entry((*account, "reminders")).or_insert(entry.committed)),
            "started" => drop(self.off.remove(&(*account, "reminders"))),
            other => self.broken.push((Rule::Switch, format!("an unknown entry of the journal: {other}"))),
        }
    }

    fn begin(&mut self, entry: &Entry, zones: &[(Uuid, TimeZone)]) {
        let mut words = entry.detail.split(' ');
        let (channel, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let attempt = Attempt {
            message: entry.subject.unwrap_or_default(),
            account: entry.account,
            contact: entry.contact.unwrap_or_default(),
            is_text: channel == "sms",
            at: entry.at.unwrap_or(OffsetDateTime::UNIX_EPOCH),
            invoices: words.filter_map(|id| id.parse().ok()).collect(),
        };
        let zone = zones.iter().find(|(account, _)| *account == entry.account).map(|(_, zone)| zone.clone());
        let zone = zone.unwrap_or_else(TimeZone::utc);
        let mut reasons = self.reasons_of_contact(&attempt);
        reasons.extend(self.reasons_of_invoices(&attempt, &zone));
        if self.closed.contains(&(attempt.account, format!("{channel} {address}"))) {
            reasons.push((Rule::Address, format!("{channel} {address} was closed")));
        }
        if attempt.is_text && !self.consents.contains(&attempt.contact) {
            reasons.push((Rule::Address, "there was no consent".to_owned()));
        }
        for what in ["communications", "reminders"] {
            let since = self.off.get(&(attempt.account, what));
            let slack = if entry.committed == 0 { 0 } else { SWITCHED_WITHIN };
            if since.is_some_and(|since| entry.committed >= since + slack) {
                reasons.push((Rule::Switch, format!("{what} were off")));
            }
        }
        if is_quiet(&zone, attempt.at) {
            reasons.push((Rule::Hours, format!("it was {} in {}", zone.local(attempt.at), zone.name())));
        }
        let (message, contact, at) = (attempt.message, attempt.contact, attempt.at);
        let shown = |(rule, why)| (rule, format!("message {message} to contact {contact} at {at}: {why}"));
        self.broken.extend(reasons.into_iter().map(shown));
        self.attempts.push(attempt);
    }

    fn reasons_of_contact(&self, attempt: &Attempt) -> Vec<(Rule, String)> {
        let mut reasons = Vec::new();
        if let Some(open) = self.open.get(&attempt.contact).filter(|open| !open.is_empty()) {
            reasons.push((Rule::Escalation, format!("open were {:?}", open.keys())));
        }
        let rests = self.closed_at.get(&attempt.contact).filter(|closed| attempt.at < **closed + HOLD_PERIOD);
        if let Some(closed) = rests {
            reasons.push((Rule::Escalation, format!("one was closed at {closed}")));
        }
        if let Some(unread) = self.unread.get(&attempt.contact).filter(|unread| !unread.is_empty()) {
            reasons.push((Rule::Reply, format!("unread were {unread:?}")));
        }
        reasons
    }

    fn reasons_of_invoices(&self, attempt: &Attempt, zone: &TimeZone) -> Vec<(Rule, String)> {
        let today = kernel::clock::date_text(zone.date_at(attempt.at));
        let mut reasons = Vec::new();
        for invoice in &attempt.invoices {
            if let Some(status) = self.settled.get(invoice) {
                reasons.push((Rule::Invoice, format!("invoice {invoice} was {status}")));
            }
            // Dates of ten characters sort in the order of days.
            if let Some(until) = self.paused.get(invoice).filter(|until| today < **until) {
                reasons.push((Rule::Invoice, format!("invoice {invoice} was paused until {until}")));
            }
            if let Some(until) = self.promised.get(invoice).filter(|until| today <= **until) {
                reasons.push((Rule::Invoice, format!("invoice {invoice} was promised by {until}")));
            }
        }
        reasons
    }

    fn check_handled_message(&mut self, contact: Uuid, message: Uuid, understood: &str) {
        self.heard += 1;
        let understood: Value = serde_json::from_str(understood).unwrap_or_default();
        let kind = understood.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_sure = understood.get("sure").and_then(Value::as_bool) == Some(true);
        let raises = ["hardship", "dispute", "human_request", "refused"].contains(&kind);
        let is_open = self.open.get(&contact).is_some_and(|open| open.values().any(|is| is.as_str() == kind));
        if is_sure && raises && !is_open {
            let why = format!("message {message} of contact {contact} is {kind}, and none is open");
            self.broken.push((Rule::Raised, why));
        }
    }
}

/// Whether this time is in the quiet hours of a contact without a country, in its account's time zone.
fn is_quiet(zone: &TimeZone, at: OffsetDateTime) -> bool {
    let local = zone.local(at);
    let from = match local.weekday() {
        Weekday::Saturday | Weekday::Sunday => time!(9:00),
        _ => time!(8:00),
    };
    !(from..time!(21:00)).contains(&local.time())
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const ACCOUNT: Uuid = Uuid::from_u128(1);
    const CONTACT: Uuid = Uuid::from_u128(2);
    const INVOICE: Uuid = Uuid::from_u128(3);
    const NOON: OffsetDateTime = datetime!(2026-12-01 12:00 UTC);

    fn entry(what: &str, detail: &str) -> Entry {
        Entry {
            what: what.to_owned(),
            account: ACCOUNT,
            contact: Some(CONTACT),
            invoice: Some(INVOICE),
            subject: Some(Uuid::from_u128(4)),
            at: Some(NOON),
            committed: 0,
            detail: detail.to_owned(),
        }
    }

    fn begins() -> Entry {
        entry("begins", &format!("email ada@example.com {}", INVOICE.simple()))
    }

    fn broken(journal: &[Entry]) -> Vec<Rule> {
        let replay = Replay::of(journal, &[(ACCOUNT, TimeZone::utc())]);
        replay.broken.into_iter().map(|(rule, _)| rule).collect()
    }

    #[test]
    fn each_reason_that_was_committed_before_is_found() {
        for (what, detail, rule) in [
            ("raised", "dispute", Rule::Escalation),
            ("resolved", "", Rule::Escalation),
            ("unread", "", Rule::Reply),
            ("quarantined", "", Rule::Reply),
            ("settled", "PAID", Rule::Invoice),
            ("paused", "2026-12-02", Rule::Invoice),
            ("promised", "2026-12-01", Rule::Invoice),
            ("closed", "email ada@example.com", Rule::Address),
            ("off", "", Rule::Switch),
            ("stopped", "", Rule::Switch),
        ] {
            assert_eq!(broken(&[entry(what, detail), begins()]), [rule], "{what}");
            assert_eq!(broken(&[begins(), entry(what, detail)]), [], "{what} comes after it");
        }
    }

    #[test]
    fn hold_that_ended_earlier_is_no_breach() {
        for (what, detail, end) in [
            ("unread", "", "read"),
            ("quarantined", "", "released"),
            ("paused", "2026-12-02", "goes_on"),
            ("promised", "2026-12-02", "superseded"),
            ("closed", "email ada@example.com", "opened"),
            ("off", "", "on"),
            ("stopped", "", "started"),
        ] {
            let journal = [entry(what, detail), entry(end, detail), begins()];
            assert_eq!(broken(&journal), [], "{what}, {end}");
        }
        assert_eq!(broken(&[entry("paused", "2026-12-01"), begins()]), [], "they go on today");
    }

    #[test]
    fn breach_of_hours_consent_and_escalation_is_found() {
        let night = Entry { at: Some(datetime!(2026-12-05 08:59 UTC)), ..begins() };
        assert_eq!(broken(&[night]), [Rule::Hours], "a Saturday");
        let text = Entry { detail: "sms +491701234567".to_owned(), ..begins() };
        assert_eq!(broken(std::slice::from_ref(&text)), [Rule::Address]);
        assert_eq!(broken(&[entry("consented", ""), text]), []);
        let heard = entry("heard", r#"{"type": "dispute", "sure": true}"#);
        assert_eq!(broken(std::slice::from_ref(&heard)), [Rule::Raised]);
        assert_eq!(broken(&[entry("raised", "dispute"), heard]), []);
    }
}
