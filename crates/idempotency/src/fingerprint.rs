//! The fingerprint of a body, independent of its JSON formatting.

use std::fmt;

use ring::digest::{Context, SHA256};
use serde_json::value::RawValue;

use crate::json;

/// The SHA-256 of a body's JSON value. It is independent of the order of fields, white space and the notation
/// of numbers (`1`, `1.0`, `1e0`), but repeated fields count. For a body that is not JSON, or is nested
/// deeper than the API accepts, it is that of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a body; any bytes are accepted.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        let mut context = Context::new(&SHA256);
        match taken(body) {
            Some(value) => feed(&mut context, value),
            None => {
                context.update(b"raw");
                context.update(body);
            }
        }
        Self::finished(context)
    }

    /// The fingerprint of a body that is too large to be read whole, by its beginning. No body that is read
    /// whole has it.
    #[must_use]
    pub fn of_beginning(bytes: &[u8]) -> Self {
        let mut context = Context::new(&SHA256);
        context.update(b"beginning");
        context.update(bytes);
        Self::finished(context)
    }

    fn finished(context: Context) -> Self {
        // A SHA-256 has 32 bytes.
        Self(context.finish().as_ref().first_chunk().copied().unwrap_or_default())
    }

    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes, for the store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().take(4).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The body as JSON; `None` if it is not JSON or is nested too deeply.
fn taken(body: &[u8]) -> Option<&RawValue> {
    let text = str::from_utf8(body).ok()?;
    if json::is_too_deep(text) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// Hashes a value in an unambiguous form: each part is preceded by its kind and its length. The caller has
/// limited the depth.
fn feed(context: &mut Context, value: &RawValue) {
    // JSON can contain half of a surrogate pair, which is not a character. Such a string, and an object with
    // such a name, is hashed as it is written.
    if let Err(_half_a_character) = feed_meaning(context, value) {
        feed_text(context, b"u", value.get());
    }
}

/// Hashes the value. On a parse error, nothing of it has been hashed.
fn feed_meaning(context: &mut Context, value: &RawValue) -> Result<(), serde_json::Error> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'n') => context.update(b"n"),
        Some(b't') => context.update(b"t"),
        Some(b'f') => context.update(b"f"),
        Some(b'"') => feed_text(context, b"s", &serde_json::from_str::<String>(text)?),
        Some(b'[') => feed_array(context, &json::elements(value)?),
        Some(b'{') => feed_object(context, json::entries(value)?),
        _ => feed_text(context, b"#", &plain(text)),
    }
    Ok(())
}

fn feed_array(context: &mut Context, elements: &[&RawValue]) {
    feed_text(context, b"[", &elements.len().to_string());
    elements.iter().for_each(|element| feed(context, element));
}

/// Entries with the same name keep their order: which of them counts is decided elsewhere.
fn feed_object(context: &mut Context, mut entries: Vec<(String, &RawValue)>) {
    feed_text(context, b"{", &entries.len().to_string());
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    for (name, field) in entries {
        feed_text(context, b"k", &name);
        feed(context, field);
    }
}

fn feed_text(context: &mut Context, kind: &[u8], text: &str) {
    context.update(kind);
    context.update(text.len().to_string().as_bytes());
    context.update(b":");
    context.update(text.as_bytes());
}

/// Writes a JSON number as its significant digits and a power of ten, identical for all notations of one
/// value. A power outside `i128` is kept as written.
fn plain(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let dropped = digits.len().saturating_sub(digits.trim_end_matches('0').len());
    match power(exponent, dropped, fraction.len()) {
        Some(power) => format!("{sign}{significant}e{power}"),
        None => format!("{sign}{mantissa}e{exponent}"),
    }
}

fn power(exponent: &str, dropped: usize, decimals: usize) -> Option<i128> {
    let exponent: i128 = exponent.parse().ok()?;
    exponent.checked_add(i128::try_from(dropped).ok()?)?.checked_sub(i128::try_from(decimals).ok()?)
}

#[cfg(test)]
mod tests;
