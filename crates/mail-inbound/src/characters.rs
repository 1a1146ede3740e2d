//! Characters that are left out of what is read.

/// Without characters that no store and no header takes, and without those that change the direction of what
/// stands beside a text. Line breaks and tabs stay.
pub(crate) fn without_controls(text: &str) -> String {
    let is_kept = |c: &char| match c {
        '\n' | '\t' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => false,
        other => !other.is_control(),
    };
    text.chars().filter(is_kept).collect()
}
