//! What is played, and what a receiver should do about it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use webhooks::{SigningSecret, sign};

use super::letter::{Events, Letter, Manner};

/// Larger than any delivery: receivers put a bound on what they read.
const OVERSIZE: usize = 2 * 1_024 * 1_024;

/// How many requests come at once where twins do.
const TWINS: usize = 8;

/// Something that is played at a receiver.
pub(super) struct Play {
    /// What, in words.
    pub(super) played: &'static str,
    pub(super) expected: Expected,
    pub(super) letters: Vec<Letter>,
    pub(super) manner: Manner,
    /// All letters at the same time, in place of one after the other.
    pub(super) at_once: bool,
}

/// What a receiver should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// Take it.
    Taken,
    /// Not take it.
    Refused,
    /// Not take it, and go on with the next.
    RefusedAndSane,
    /// Go on with the next, whatever it does with this.
    Sane,
}

impl Expected {
    /// For people.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "2xx",
            Self::Refused => "anything but 2xx",
            Self::RefusedAndSane => "anything but 2xx, then 2xx for a genuine one",
            Self::Sane => "anything, then 2xx for a genuine one",
        }
    }

    pub(super) const fn asks_afterwards(self) -> bool {
        matches!(self, Self::RefusedAndSane | Self::Sane)
    }
}

impl Play {
    fn new(played: &'static str, expected: Expected, letters: Vec<Letter>) -> Self {
        Self {
            played,
            expected,
            letters,
            manner: Manner::Whole,
            at_once: false,
        }
    }

    fn in_manner(self, manner: Manner) -> Self {
        Self { manner, ..self }
    }
}

/// Everything that is played, in order.
pub(super) fn plays(
    events: &Events,
    secret: &SigningSecret,
    other_secret: &SigningSecret,
) -> anyhow::Result<Vec<Play>> {
    let mut plays = genuine(events, secret);
    plays.extend(forged(events, secret, other_secret)?);
    plays.extend(unusual(events, secret)?);
    plays.extend(broken(events, secret));
    Ok(plays)
}

fn genuine(events: &Events, secret: &SigningSecret) -> Vec<Play> {
    use Expected::Taken;
    let signed = |body: String| Letter::signed(secret, body);
    let first = signed(events.next());
    let twins = vec![signed(events.next()); TWINS];
    let (newer, older) = (signed(events.next()), signed(events.older()));
    vec![
        Play::new("a genuine delivery", Taken, vec![first.clone()]),
        Play::new("the same once more", Taken, vec![first]),
        Play::new("two events, the later first", Taken, vec![newer, older]),
        Play {
            at_once: true,
            ..Play::new("one event eight times at once", Taken, twins)
        },
    ]
}

fn forged(
    events: &Events,
    secret: &SigningSecret,
    other_secret: &SigningSecret,
) -> anyhow::Result<Vec<Play>> {
    let (body, other_body) = (events.next(), events.next());
    let right = sign(secret, body.as_bytes());
    let hex: Vec<String> = STANDARD
        .decode(&right)?
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let changed = body.replacen("\"INVOICE\"", "\"INVOICF\"", 1);
    let refused = |played, body: &str, signature: Option<String>| {
        let letter = Letter::signed(secret, body).with_signature(signature);
        Play::new(played, Expected::Refused, vec![letter])
    };
    let another = Some(sign(other_secret, body.as_bytes()));
    let of_another = Some(sign(secret, other_body.as_bytes()));
    let garbage = STANDARD.encode([0x5a; 32]);
    Ok(vec![
        refused("signed with another secret", &body, another),
        refused("no signature", &body, None),
        refused("an empty signature", &body, Some(String::new())),
        refused("the signature of another body", &body, of_another),
        refused("a signature of nothing", &body, Some(garbage)),
        refused(
            "a signature that is no base64",
            &body,
            Some("!!!".to_owned()),
        ),
        refused("the right signature in hex", &body, Some(hex.concat())),
        refused("one byte changed after signing", &changed, Some(right)),
    ])
}

fn unusual(events: &Events, secret: &SigningSecret) -> anyhow::Result<Vec<Play>> {
    let taken = |played, body: String| {
        Play::new(played, Expected::Taken, vec![Letter::signed(secret, body)])
    };
    let spaced = serde_json::to_string_pretty(&parsed(&events.next())?)?;
    let mut unknown = parsed(&events.next())?;
    if let Some(event) = unknown.pointer_mut("/events/0") {
        set(event, "event_type", json!("Refunded"));
        set(event, "added_in_version_2", json!("later"));
    }
    let both: Vec<Value> = [events.next(), events.next()]
        .iter()
        .map(|body| {
            Ok(parsed(body)?
                .pointer("/events/0")
                .cloned()
                .unwrap_or_default())
        })
        .collect::<anyhow::Result<_>>()?;
    let slow = taken("a body that comes slowly", events.next());
    Ok(vec![
        taken("other spacing in a signed body", spaced),
        taken("an unknown field and an unknown type", unknown.to_string()),
        taken(
            "two events in one body",
            json!({"events": both}).to_string(),
        ),
        slow.in_manner(Manner::Slowly),
    ])
}

fn broken(events: &Events, secret: &SigningSecret) -> Vec<Play> {
    use Expected::{RefusedAndSane, Sane};
    let letter = || Letter::signed(secret, events.next());
    let length = letter().length;
    let mut oversize = events.next();
    // JSON may end in any number of blanks.
    oversize.push_str(&" ".repeat(OVERSIZE.saturating_sub(length)));
    let too_short = letter().stating(length.saturating_sub(10));
    let too_long = letter().stating(length.saturating_add(10));
    vec![
        Play::new("half a body, then the end", RefusedAndSane, vec![letter()])
            .in_manner(Manner::Half),
        Play::new(
            "a stated length that is too short",
            RefusedAndSane,
            vec![too_short],
        ),
        Play::new(
            "a stated length that is too long",
            RefusedAndSane,
            vec![too_long],
        ),
        Play::new(
            "2 MiB, signed",
            Sane,
            vec![Letter::signed(secret, oversize)],
        ),
    ]
}

fn parsed(body: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(body)?)
}

fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Clock as _, SystemClock};
    use webhooks::verify;

    use super::*;

    /// What is to be taken is signed rightly, and what is forged is not: a scorecard that is wrong about that would be worse than none.
    #[test]
    fn signatures_are_as_the_plays_say() {
        let secret = SigningSecret::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE").unwrap();
        let other = SigningSecret::parse(&"A".repeat(43)).unwrap();
        let events = Events::new("https://books.example.com", SystemClock.now());
        for play in plays(&events, &secret, &other).unwrap() {
            for letter in &play.letters {
                let header = letter.signature.as_deref().unwrap_or_default();
                let genuine = verify(&secret, &letter.body, header).is_ok();
                assert_eq!(
                    genuine,
                    play.expected != Expected::Refused,
                    "{}",
                    play.played
                );
                let body: Value = serde_json::from_slice(&letter.body).unwrap();
                assert!(body.pointer("/events/0/event_id").is_some());
            }
        }
    }
}
