//! The Redis keys of counts for a subject that the caller sends.

use std::fmt::Write as _;

use ring::digest;

/// The Redis key of one kind of count for one subject. A subject may be a secret, such as the token of a
/// payment page, or a network address, so Redis gets only its SHA-256. The braces put all keys of the subject
/// into one slot of a cluster.
pub(crate) fn subject_name(kind: &str, subject: &str) -> String {
    let mut name = format!("countinghouse:{{{kind}:");
    for byte in digest::digest(&digest::SHA256, subject.as_bytes()).as_ref() {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name.push('}');
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_not_readable_and_kinds_are_counted_apart() {
        let name = subject_name("payer-forms", "secret-token");
        assert!(name.starts_with("countinghouse:{payer-forms:") && name.ends_with('}'), "{name}");
        assert!(!name.contains("secret"));
        assert_eq!(name, subject_name("payer-forms", "secret-token"));
        assert_ne!(name, subject_name("payer-forms", "other-token"));
        assert_ne!(name, subject_name("unknown-tokens", "secret-token"));
    }
}
