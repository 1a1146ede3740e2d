//! The cases: the requests to send, and the expected behaviour of a receiver.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use webhooks::{SigningSecret, sign};

use super::request::{SampleEvents, SendMode, TestRequest};

/// Larger than any delivery: a receiver should limit what it reads.
const OVERSIZE: usize = 2 * 1_024 * 1_024;

/// How many copies of a repeated request are sent at once.
const REPEATED: usize = 8;

/// Requests to a receiver, and how they are sent.
pub(super) struct Case {
    pub(super) title: &'static str,
    pub(super) expected: Expected,
    pub(super) requests: Vec<TestRequest>,
    pub(super) mode: SendMode,
    /// Whether all requests are sent at the same time instead of one after the other.
    pub(super) at_once: bool,
}

/// The expected behaviour of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expected {
    /// It accepts the request.
    Accepted,
    /// It refuses the request.
    Refused,
    /// It refuses the request, and accepts the next one.
    RefusedThenSuccess,
    /// It may accept or refuse the request, and accepts the next one.
    AnyThenSuccess,
}

impl Expected {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "2xx",
            Self::Refused => "anything but 2xx",
            Self::RefusedThenSuccess => "anything but 2xx, then 2xx for a genuine one",
            Self::AnyThenSuccess => "anything, then 2xx for a genuine one",
        }
    }

    pub(super) const fn asks_afterwards(self) -> bool {
        matches!(self, Self::RefusedThenSuccess | Self::AnyThenSuccess)
    }
}

impl Case {
    fn new(title: &'static str, expected: Expected, requests: Vec<TestRequest>) -> Self {
        Self { title, expected, requests, mode: SendMode::Whole, at_once: false }
    }

    fn sent(self, mode: SendMode) -> Self {
        Self { mode, ..self }
    }
}

/// Every case, in order.
pub(super) fn cases(
    events: &SampleEvents,
    secret: &SigningSecret,
    other_secret: &SigningSecret,
) -> anyhow::Result<Vec<Case>> {
    let mut cases = genuine(events, secret);
    cases.extend(forged(events, secret, other_secret)?);
    cases.extend(unusual(events, secret)?);
    cases.extend(broken(events, secret));
    Ok(cases)
}

fn genuine(events: &SampleEvents, secret: &SigningSecret) -> Vec<Case> {
    use Expected::Accepted;
    let signed = |body: String| TestRequest::signed(secret, body);
    let first = signed(events.next());
    let repeated = vec![signed(events.next()); REPEATED];
    let (newer, older) = (signed(events.next()), signed(events.older()));
    vec![
        Case::new("a genuine delivery", Accepted, vec![first.clone()]),
        Case::new("the same once more", Accepted, vec![first]),
        Case::new("two events, the later first", Accepted, vec![newer, older]),
        Case { at_once: true, ..Case::new("one event eight times at once", Accepted, repeated) },
    ]
}

fn forged(
    events: &SampleEvents,
    secret: &SigningSecret,
    other_secret: &SigningSecret,
) -> anyhow::Result<Vec<Case>> {
    let (body, other_body) = (events.next(), events.next());
    let right = sign(secret, body.as_bytes());
    let hex: Vec<String> = STANDARD.decode(&right)?.iter().map(|byte| format!("{byte:02x}")).collect();
    let changed = body.replacen("\"INVOICE\"", "\"INVOICF\"", 1);
    let refused = |title, body: &str, signature: Option<String>| {
        let request = TestRequest::signed(secret, body).with_signature(signature);
        Case::new(title, Expected::Refused, vec![request])
    };
    let another = Some(sign(other_secret, body.as_bytes()));
    let of_another = Some(sign(secret, other_body.as_bytes()));
    let garbage = STANDARD.encode([0x5a; 32]);
    Ok(vec![
        refused("signed with another secret", &body, another),
        // A verifier that expects a header may end the whole receiver.
        Case { expected: Expected::RefusedThenSuccess, ..refused("no signature", &body, None) },
        refused("an empty signature", &body, Some(String::new())),
        refused("the signature of another body", &body, of_another),
        refused("a signature of nothing", &body, Some(garbage)),
        refused("a signature that is no base64", &body, Some("!!!".to_owned())),
        refused("the right signature in hex", &body, Some(hex.concat())),
        refused("one byte changed after signing", &changed, Some(right)),
    ])
}

fn unusual(events: &SampleEvents, secret: &SigningSecret) -> anyhow::Result<Vec<Case>> {
    let taken =
        |title, body: String| Case::new(title, Expected::Accepted, vec![TestRequest::signed(secret, body)]);
    let spaced = serde_json::to_string_pretty(&parsed(&events.next())?)?;
    let mut unknown = parsed(&events.next())?;
    if let Some(event) = unknown.pointer_mut("/events/0") {
        set(event, "event_type", json!("Refunded"));
        set(event, "added_in_version_2", json!("later"));
    }
    let both: Vec<Value> = [events.next(), events.next()]
        .iter()
        .map(|body| Ok(parsed(body)?.pointer("/events/0").cloned().unwrap_or_default()))
        .collect::<anyhow::Result<_>>()?;
    let slow = taken("a body that comes slowly", events.next());
    Ok(vec![
        taken("other spacing in a signed body", spaced),
        taken("an unknown field and an unknown type", unknown.to_string()),
        taken("two events in one body", json!({"events": both}).to_string()),
        slow.sent(SendMode::Slowly),
    ])
}

fn broken(events: &SampleEvents, secret: &SigningSecret) -> Vec<Case> {
    use Expected::{AnyThenSuccess, RefusedThenSuccess};
    let request = || TestRequest::signed(secret, events.next());
    let length = request().length;
    let mut oversize = events.next();
    // JSON may end in any number of spaces.
    oversize.push_str(&" ".repeat(OVERSIZE.saturating_sub(length)));
    let too_short = request().stating(length.saturating_sub(10));
    let too_long = request().stating(length.saturating_add(10));
    vec![
        Case::new("half a body, then the end", RefusedThenSuccess, vec![request()]).sent(SendMode::Half),
        Case::new("a stated length that is too short", RefusedThenSuccess, vec![too_short]),
        Case::new("a stated length that is too long", RefusedThenSuccess, vec![too_long]),
        Case::new("2 MiB, signed", AnyThenSuccess, vec![TestRequest::signed(secret, oversize)]),
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
    use kernel::{Clock as _, PublicUrls, SystemClock};
    use webhooks::verify;

    use super::*;

    #[test]
    fn requests_are_signed_as_expected() {
        let secret = SigningSecret::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE").unwrap();
        let other = SigningSecret::parse(&"A".repeat(43)).unwrap();
        let events = SampleEvents::new(PublicUrls::new("https://books.example.com"), SystemClock.now());
        let forged = forged(&events, &secret, &other).unwrap();
        let titles: Vec<_> = forged.iter().map(|case| case.title).collect();
        for case in cases(&events, &secret, &other).unwrap() {
            for request in &case.requests {
                let header = request.signature.as_deref().unwrap_or_default();
                let genuine = verify(&secret, &request.body, header).is_ok();
                assert_eq!(genuine, !titles.contains(&case.title), "{}", case.title);
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                assert!(body.pointer("/events/0/event_id").is_some());
            }
        }
        let unsigned = forged.iter().find(|case| case.requests[0].signature.is_none()).unwrap();
        assert!(unsigned.expected.asks_afterwards(), "the receiver may have ended");
    }
}
