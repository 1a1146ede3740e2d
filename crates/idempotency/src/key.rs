//! Idempotency keys, and the ticket of a request with a key.

use crate::fingerprint::Fingerprint;

/// The value of an `Idempotency-Key` header: 1 to 255 printable ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

/// The header's value is not a valid key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be 1 to 255 printable ASCII characters")]
pub struct BadKey;

impl IdempotencyKey {
    /// Parses a header's value. Surrounding quotes are dropped, and within them the backslashes before quotes
    /// and backslashes: a structured-field string (RFC 8941, section 3.3.3) is the same key as the bare text.
    pub fn parse(text: &str) -> Result<Self, BadKey> {
        let text = text.trim();
        let quoted = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let key = quoted.map_or_else(|| text.to_owned(), unescaped);
        let printable = key.bytes().all(|byte| (0x20..=0x7e).contains(&byte));
        if key.is_empty() || key.len() > 255 || !printable {
            return Err(BadKey);
        }
        Ok(Self(key))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn unescaped(quoted: &str) -> String {
    let mut characters = quoted.chars().peekable();
    let mut key = String::with_capacity(quoted.len());
    while let Some(character) = characters.next() {
        let escaped = characters.next_if(|next| character == '\\' && matches!(next, '"' | '\\'));
        key.push(escaped.unwrap_or(character));
    }
    key
}

/// An operation that accepts idempotency keys. The scope of a key is the account and the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdempotentOperation(&'static str);

impl IdempotentOperation {
    /// `POST /invoices`.
    pub const CREATE_INVOICE: Self = Self::new("POST /invoices");
    /// `POST /contacts`.
    pub const CREATE_CONTACT: Self = Self::new("POST /contacts");
    /// A payment that the operator or a user of the dashboard records.
    pub const RECORD_PAYMENT: Self = Self::new("record payment");
    /// A refund that the operator or a user of the dashboard requests.
    pub const REFUND_PAYMENT: Self = Self::new("refund payment");

    /// An operation with a name of its own, which never changes: responses are stored under it.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name under which responses are stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }
}

/// The identity of a request with a key: the operation, the key, and the fingerprint of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    pub operation: IdempotentOperation,
    pub key: IdempotencyKey,
    pub fingerprint: Fingerprint,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quotes_around_a_key_are_removed() {
        assert_eq!(IdempotencyKey::parse(" \"a b\" ").unwrap().as_str(), "a b");
        assert_eq!(IdempotencyKey::parse("\"").unwrap().as_str(), "\"");
        assert_eq!(IdempotencyKey::parse(r#""a\"b\\c\d""#).unwrap().as_str(), r#"a"b\c\d"#);
        assert_eq!(IdempotencyKey::parse(r#"a\"b"#).unwrap().as_str(), r#"a\"b"#);
    }

    #[test]
    fn empty_long_and_unprintable_keys_are_refused() {
        for bad in ["", " ", "\"\"", "é", "a\tb", "a\u{7f}", &"k".repeat(256)] {
            assert_eq!(IdempotencyKey::parse(bad), Err(BadKey), "{bad}");
        }
        assert!(IdempotencyKey::parse(&"k".repeat(255)).is_ok());
    }

    /// Responses stored before an upgrade are found under these names.
    #[test]
    fn names_of_operations_never_change() {
        let operations = [
            IdempotentOperation::CREATE_INVOICE,
            IdempotentOperation::CREATE_CONTACT,
            IdempotentOperation::RECORD_PAYMENT,
            IdempotentOperation::REFUND_PAYMENT,
        ];
        let names = operations.map(IdempotentOperation::name);
        assert_eq!(names, ["POST /invoices", "POST /contacts", "record payment", "refund payment"]);
    }

    proptest! {
        #[test]
        fn whatever_is_taken_is_printable_and_read_alike_in_quotes(text in "\\PC{0,20}|\"?[ -~]{0,300}\"?|[\\x00-\\x7f]{0,20}") {
            if let Ok(key) = IdempotencyKey::parse(&text) {
                let shown = key.as_str();
                prop_assert!((1..=255).contains(&shown.len()) && shown.bytes().all(|byte| (0x20..=0x7e).contains(&byte)));
                let quoted = shown.replace('\\', "\\\\").replace('"', "\\\"");
                prop_assert_eq!(IdempotencyKey::parse(&format!("\"{quoted}\"")), Ok(key.clone()));
            }
        }
    }
}
