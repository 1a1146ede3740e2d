//! Payloads: JSON that a template writes in the transaction and reads in the mail worker.

use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;

/// The JSON of a payload. A struct of texts, numbers and lists always has a JSON form.
#[must_use]
pub fn payload(of: &impl Serialize) -> Value {
    serde_json::to_value(of).unwrap_or_default()
}

/// An instant as a payload holds it: microseconds since 1970, as exact as the store keeps instants.
#[must_use]
pub fn payload_micros(instant: OffsetDateTime) -> i64 {
    i64::try_from(instant.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX)
}

/// The instant of [`payload_micros`]; `None` for what no calendar has.
#[must_use]
pub fn instant_of(micros: i64) -> Option<OffsetDateTime> {
    let nanos = i128::from(micros).checked_mul(1_000)?;
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()
}
