//! Compares the messages that the mail server and Twilio accepted with the journal and the database.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::super::report::Check;
use super::mail_server::TakenMail;
use super::replay::{Attempt, Replay};
use crate::fixtures::twilio::Taken;

/// The highest numbers of reminders of a contact within these periods, and the time without reminders after a
/// mail.
const CAPS: [(usize, Duration); 2] = [(3, Duration::days(7)), (10, Duration::days(30))];
const HOLD_PERIOD: Duration = Duration::hours(48);
/// Within this time, a message that a process sent just before it was killed is received.
const READ_WITHIN: std::time::Duration = std::time::Duration::from_millis(250);

/// A reminder as it is stored at the end.
#[derive(Debug, Clone)]
pub(super) struct StoredReminder {
    pub(super) id: Uuid,
    pub(super) state: String,
    /// Whether an attempt began that may have been accepted.
    pub(super) may_be_taken: bool,
    pub(super) detail: String,
}

impl StoredReminder {
    fn shown(&self) -> String {
        format!("message {} is {}: {}", self.id, self.state, self.detail)
    }

    /// Whether the reminder may have been sent, and is not sent again.
    pub(super) fn is_unknown(&self) -> bool {
        self.state == "failed" && self.may_be_taken
    }
}

/// A step that a message was intended to send.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StoredStep {
    pub(super) message: Uuid,
    pub(super) invoice: Uuid,
    /// The days and the channel of the step.
    pub(super) key: String,
}

/// An accepted reminder.
#[derive(Debug, Clone)]
struct Taking<'a> {
    attempt: &'a Attempt,
    when: Option<Instant>,
}

/// All accepted messages, each with its attempt.
pub(super) struct Outside<'a> {
    takings: Vec<Taking<'a>>,
    unknown: Vec<String>,
    stored: &'a [StoredReminder],
}

impl<'a> Outside<'a> {
    pub(super) fn new(
        replay: &'a Replay,
        mails: &[TakenMail],
        texts: &[Taken],
        stored: &'a [StoredReminder],
    ) -> Self {
        let mut attempts: BTreeMap<Uuid, Vec<&Attempt>> = BTreeMap::new();
        for attempt in &replay.attempts {
            attempts.entry(attempt.message).or_default().push(attempt);
        }
        let reminders: BTreeSet<Uuid> = stored.iter().map(|one| one.id).collect();
        let (mut takings, mut unknown) = (Vec::new(), Vec::new());
        let mails = mails.iter().filter(|mail| reminders.contains(&mail.message));
        let mails = mails.map(|mail| (mail.message, Some(mail.at), Some(mail.when)));
        let texts = texts.iter().map(|text| (message_of(text), None, None));
        for (message, at, when) in mails.chain(texts) {
            let before = |attempt: &&&Attempt| at.is_none_or(|at: OffsetDateTime| attempt.at <= at);
            let attempts = attempts.get(&message).map(Vec::as_slice).unwrap_or_default();
            match attempts.iter().rev().find(before) {
                Some(attempt) => takings.push(Taking { attempt, when }),
                None => unknown.push(format!("message {message}, taken at {at:?}")),
            }
        }
        takings.sort_by_key(|taking| taking.attempt.at);
        Self { takings, unknown, stored }
    }

    /// How many different messages were accepted, and how many of them more than once.
    pub(super) fn counts(&self) -> (usize, usize) {
        let messages: BTreeSet<Uuid> = self.takings.iter().map(|taking| taking.attempt.message).collect();
        (messages.len(), self.takings.len().saturating_sub(messages.len()))
    }

    /// Every check.
    pub(super) fn checks(&self, replay: &Replay, steps: &[StoredStep], kills: &[Instant]) -> Vec<Check> {
        let of = self.takings.len();
        vec![
            Check::new("whatever was taken had begun before", of, self.unknown.clone()),
            Check::new(
                "a mail was taken again only after a kill, a text message never",
                of,
                self.repeated_deliveries(kills),
            ),
            Check::new("no step was sent by two messages", steps.len(), self.steps_twice(steps)),
            Check::new("at most 3 reminders in 7 days and 10 in 30 for a contact", of, self.above_caps()),
            Check::new("48 hours between a mail and the next reminder", of, self.too_soon(replay)),
            Check::new("what is recorded as sent was taken", self.stored.len(), self.not_taken()),
            Check::new("what was taken is not recorded as left out", of, self.not_recorded()),
        ]
    }

    fn repeated_deliveries(&self, kills: &[Instant]) -> Vec<String> {
        let mut earlier: BTreeMap<Uuid, Option<Instant>> = BTreeMap::new();
        let mut broken = Vec::new();
        for Taking { attempt, when } in &self.takings {
            if let Some(before) = earlier.insert(attempt.message, *when) {
                let was_killed = match (before, *when) {
                    (Some(one), Some(next)) => {
                        kills.iter().any(|kill| one <= *kill + READ_WITHIN && *kill < next)
                    }
                    _ => false,
                };
                if !was_killed {
                    broken.push(format!("message {} was taken again at {}", attempt.message, attempt.at));
                }
            }
        }
        broken
    }

    /// Steps that came in two messages. A step belongs to a message as long as the message lists the step's
    /// invoice.
    fn steps_twice(&self, steps: &[StoredStep]) -> Vec<String> {
        let mut sent: BTreeMap<(Uuid, &str), BTreeSet<Uuid>> = BTreeMap::new();
        for Taking { attempt, .. } in &self.takings {
            let own = steps.iter().filter(|step| step.message == attempt.message);
            for step in own.filter(|step| attempt.invoices.contains(&step.invoice)) {
                sent.entry((step.invoice, &step.key)).or_default().insert(attempt.message);
            }
        }
        let twice = sent.into_iter().filter(|(_, messages)| messages.len() > 1);
        twice.map(|((invoice, key), by)| format!("invoice {invoice}, step {key}: {by:?}")).collect()
    }

    /// The messages that each contact got, without text messages that Twilio could not deliver.
    fn of_contacts(&self) -> BTreeMap<Uuid, Vec<&Attempt>> {
        let undelivered = self.stored.iter().filter(|one| one.state == "failed" && !one.is_unknown());
        let undelivered: BTreeSet<Uuid> = undelivered.map(|one| one.id).collect();
        let mut of: BTreeMap<Uuid, Vec<&Attempt>> = BTreeMap::new();
        for Taking { attempt, .. } in &self.takings {
            if !undelivered.contains(&attempt.message) {
                of.entry(attempt.contact).or_default().push(attempt);
            }
        }
        of
    }

    fn above_caps(&self) -> Vec<String> {
        let mut broken = Vec::new();
        for (contact, mut attempts) in self.of_contacts() {
            let mut known = BTreeSet::new();
            attempts.retain(|attempt| known.insert(attempt.message));
            for (place, attempt) in attempts.iter().enumerate() {
                for (most, period) in CAPS {
                    let before = attempts.iter().take(place);
                    if before.filter(|earlier| attempt.at < earlier.at + period).count() >= most {
                        broken.push(format!(
                            "contact {contact}, message {} at {}",
                            attempt.message, attempt.at
                        ));
                    }
                }
            }
        }
        broken
    }

    fn too_soon(&self, replay: &Replay) -> Vec<String> {
        let mut broken = Vec::new();
        for (contact, attempts) in self.of_contacts() {
            for pair in attempts.windows(2) {
                let [one, next] = pair else { continue };
                if one.message != next.message && next.at < one.at + HOLD_PERIOD {
                    let (first, later) = (one.message, next.message);
                    broken.push(format!(
                        "contact {contact}: message {first} at {} and message {later} at {}",
                        one.at, next.at
                    ));
                }
            }
            let mailed = replay.mailed.iter().filter(|(of, _)| *of == contact);
            for (_, at) in mailed {
                let soon = attempts.iter().filter(|one| *at <= one.at && one.at < *at + HOLD_PERIOD);
                let shown = |one: &&Attempt| {
                    format!("contact {contact}: an invoice at {at}, a reminder at {}", one.at)
                };
                broken.extend(soon.map(shown));
            }
        }
        broken
    }

    fn not_taken(&self) -> Vec<String> {
        let taken: BTreeSet<Uuid> = self.takings.iter().map(|taking| taking.attempt.message).collect();
        let sent = self.stored.iter().filter(|one| matches!(one.state.as_str(), "sent" | "delivered"));
        sent.filter(|one| !taken.contains(&one.id)).map(StoredReminder::shown).collect()
    }

    fn not_recorded(&self) -> Vec<String> {
        let taken: BTreeSet<Uuid> = self.takings.iter().map(|taking| taking.attempt.message).collect();
        let left_out = self.stored.iter().filter(|one| matches!(one.state.as_str(), "queued" | "dropped"));
        left_out.filter(|one| taken.contains(&one.id)).map(StoredReminder::shown).collect()
    }
}

/// The message to which a text message's receipts refer.
fn message_of(text: &Taken) -> Uuid {
    let (_, value) = text.status_callback.split_once("message=").unwrap_or_default();
    value.rsplit(['.', '/', '_']).next().and_then(|id| id.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const CONTACT: Uuid = Uuid::from_u128(1);
    const INVOICE: Uuid = Uuid::from_u128(2);

    /// The checks that fail for reminders of one invoice, which were sent by text message at these hours,
    /// each in a separate message.
    fn broken(hours: &[i64], state: &str) -> Vec<String> {
        let attempt = |(n, hours): (usize, &i64)| Attempt {
            message: Uuid::from_u128(100 + u128::try_from(n).unwrap()),
            account: Uuid::nil(),
            contact: CONTACT,
            is_text: true,
            at: datetime!(2026-12-01 09:00 UTC) + Duration::hours(*hours),
            invoices: [INVOICE].into(),
        };
        let mut replay = Replay::default();
        replay.attempts.extend(hours.iter().enumerate().map(attempt));
        let ids = || replay.attempts.iter().map(|attempt| attempt.message);
        let taken = |message: Uuid| Taken {
            sid: String::new(),
            to: String::new(),
            from: String::new(),
            body: String::new(),
            status_callback: format!("http://x/?message={}.{message}", Uuid::nil()),
        };
        let texts: Vec<Taken> = ids().map(taken).collect();
        let stored =
            |id| StoredReminder { id, state: state.to_owned(), may_be_taken: true, detail: String::new() };
        let stored: Vec<StoredReminder> = ids().map(stored).collect();
        let step = |message: Uuid| StoredStep { message, invoice: INVOICE, key: message.to_string() };
        let steps: Vec<StoredStep> = ids().map(step).collect();
        let checks = Outside::new(&replay, &[], &texts, &stored).checks(&replay, &steps, &[]);
        checks.into_iter().filter(|check| !check.broken.is_empty()).map(|check| check.what).collect()
    }

    #[test]
    fn reminders_far_enough_apart_hold() {
        assert_eq!(broken(&[0, 60, 120, 180], "sent"), [""; 0]);
    }

    #[test]
    fn too_many_too_soon_or_left_out_is_broken() {
        let (caps, rest) = (
            "at most 3 reminders in 7 days and 10 in 30 for a contact",
            "48 hours between a mail and the next reminder",
        );
        assert_eq!(broken(&[0, 50, 100, 150], "sent"), [caps]);
        assert_eq!(broken(&[0, 47], "sent"), [rest]);
        assert_eq!(broken(&[0], "dropped"), ["what was taken is not recorded as left out"]);
    }

    #[test]
    fn one_message_twice_and_one_step_by_two_messages_is_broken() {
        let attempt = Attempt {
            message: Uuid::from_u128(100),
            account: Uuid::nil(),
            contact: CONTACT,
            is_text: false,
            at: datetime!(2026-12-01 09:00 UTC),
            invoices: [INVOICE].into(),
        };
        let other = Attempt { message: Uuid::from_u128(101), ..attempt.clone() };
        let (one, two) = (Instant::now(), Instant::now() + std::time::Duration::from_secs(2));
        let taking = |attempt, when| Taking { attempt, when: Some(when) };
        let takings = vec![taking(&attempt, one), taking(&attempt, two), taking(&other, two)];
        let outside = Outside { takings, unknown: Vec::new(), stored: &[] };
        assert_eq!(outside.repeated_deliveries(&[]).len(), 1);
        assert_eq!(
            outside.repeated_deliveries(&[one + std::time::Duration::from_secs(1)]).len(),
            0,
            "it was killed between"
        );
        let step = |message| StoredStep { message, invoice: INVOICE, key: "1 email".to_owned() };
        assert_eq!(outside.steps_twice(&[step(attempt.message), step(other.message)]).len(), 1);
    }
}
