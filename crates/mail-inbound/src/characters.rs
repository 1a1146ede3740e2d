//! Characters that are removed from a mail.

/// Removes control characters, which the store or headers cannot hold, and characters that change the
/// direction of adjacent text. Line breaks and tabs stay.
pub(crate) fn without_controls(text: &str) -> String {
    let is_kept = |c: &char| match c {
        '\n' | '\t' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        other => !other.is_control(),
    };
    text.chars().filter(is_kept).collect()
}
