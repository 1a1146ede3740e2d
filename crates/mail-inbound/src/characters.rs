//! Characters that are removed from a mail, and those that break its lines.

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

/// Text whose lines all end in `\n`: some programs write another character there. Otherwise the words beside
/// it would be joined, and a quote below would not be seen.
pub(crate) fn with_plain_breaks(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
    let is_break = ['\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    lines.join("\n").replace(is_break, "\n")
}
