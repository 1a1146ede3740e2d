//! The fingerprint of a body, blind to what does not change its meaning.

use std::fmt;

use ring::digest::{Context, SHA256};
use serde_json::Value;

/// The SHA-256 of a body's JSON value: the order of fields, white space and the writing of numbers (`1`, `1.0`, `1e0`) do
/// not count. A body that is not JSON is known by its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of a body.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        let mut context = Context::new(&SHA256);
        match serde_json::from_slice::<Value>(body) {
            Ok(value) => feed(&mut context, &value),
            Err(_not_json) => {
                context.update(b"raw");
                context.update(body);
            }
        }
        let mut bytes = [0; 32];
        let digest = context.finish();
        bytes
            .iter_mut()
            .zip(digest.as_ref())
            .for_each(|(to, from)| *to = *from);
        Self(bytes)
    }

    /// The fingerprint from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes, for the store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .take(4)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Feeds a value in a form in which two different values never look alike: each part carries its kind and its length.
/// The parser has bounded the depth already.
fn feed(context: &mut Context, value: &Value) {
    match value {
        Value::Null => context.update(b"n"),
        Value::Bool(true) => context.update(b"t"),
        Value::Bool(false) => context.update(b"f"),
        Value::Number(number) => feed_text(context, b"#", &plain(&number.to_string())),
        Value::String(text) => feed_text(context, b"s", text),
        Value::Array(items) => {
            feed_text(context, b"[", &items.len().to_string());
            items.iter().for_each(|item| feed(context, item));
        }
        Value::Object(fields) => {
            feed_text(context, b"{", &fields.len().to_string());
            let mut sorted: Vec<_> = fields.iter().collect();
            sorted.sort_by(|one, other| one.0.cmp(other.0));
            for (name, field) in sorted {
                feed_text(context, b"k", name);
                feed(context, field);
            }
        }
    }
}

fn feed_text(context: &mut Context, kind: &[u8], text: &str) {
    context.update(kind);
    context.update(text.len().to_string().as_bytes());
    context.update(b":");
    context.update(text.as_bytes());
}

/// Writes a JSON number as its significant digits and a power of ten, the same for every writing of one value.
fn plain(number: &str) -> String {
    let (sign, rest) = number
        .strip_prefix('-')
        .map_or(("", number), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let Ok(exponent) = exponent.parse::<i128>() else {
        return number.to_owned();
    };
    let dropped = digits
        .len()
        .saturating_sub(digits.trim_end_matches('0').len());
    let power = |length: usize| i128::try_from(length).unwrap_or(i128::MAX);
    let power = exponent
        .saturating_add(power(dropped))
        .saturating_sub(power(fraction.len()));
    format!("{sign}{significant}e{power}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(one: &str, other: &str) -> bool {
        Fingerprint::of(one.as_bytes()) == Fingerprint::of(other.as_bytes())
    }

    #[test]
    fn order_white_space_and_number_writing_do_not_count() {
        assert!(same(
            r#"{"a":{"x":1,"y":[1,2]},"b":"t"}"#,
            r#" {"b":"t", "a":{"y":[1.0,2e0],"x":10e-1}}"#
        ));
        assert!(same("-0.0", "0"));
        assert!(same("1200", "1.2e3"));
    }

    #[test]
    fn every_difference_in_meaning_counts() {
        for (one, other) in [
            ("[1,2]", "[2,1]"),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":null}"#, "{}"),
            ("[[1],2]", "[[1,2]]"),
            ("0.1", "0.10000000000000001"),
            ("1", "-1"),
            ("not json", "not  json"),
            ("10", "1"),
            (r#"["ab"]"#, r#"["a","b"]"#),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Fingerprint::of(&bytes);
        }

        #[test]
        fn no_number_makes_it_panic(number in "-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][-+]?[0-9]{1,60})?") {
            let _ = Fingerprint::of(number.as_bytes());
        }
    }
}
