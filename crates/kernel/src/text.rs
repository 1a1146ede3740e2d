//! Validated text of callers: trimmed, never truncated, free of control characters.

use std::fmt;

/// Text of one line with at most `MAX` characters: a name, a phone number, a reference.
pub type SingleLine<const MAX: usize> = Text<MAX, false>;

/// Text of any number of lines with at most `MAX` characters; line breaks and tabs are allowed.
pub type MultiLine<const MAX: usize> = Text<MAX, true>;

/// Text that was validated on input: [`SingleLine`] or [`MultiLine`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<const MAX: usize, const LINES: bool>(String);

/// Why text is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    /// Nothing is left after trimming. Callers treat the field as absent, or report that it is required.
    #[error("must not be empty")]
    Empty,
    /// The text has more characters than the field allows.
    #[error("must have at most {0} characters")]
    TooLong(usize),
    /// NUL or another control character.
    #[error("must not contain control characters")]
    Control,
    /// A character that is invisible, or that changes how others are displayed.
    #[error("must contain printable characters only")]
    Unprintable,
}

impl<const MAX: usize, const LINES: bool> Text<MAX, LINES> {
    /// Parses text; surrounding blanks are dropped.
    ///
    /// # Errors
    /// A [`TextFault`].
    ///
    /// ```
    /// use kernel::{MultiLine, SingleLine, TextFault};
    /// assert_eq!(SingleLine::<200>::parse("  Ada ").unwrap().as_str(), "Ada");
    /// assert_eq!(SingleLine::<3>::parse("Grace"), Err(TextFault::TooLong(3)));
    /// assert_eq!(SingleLine::<9>::parse("a\nb"), Err(TextFault::Control));
    /// assert_eq!(MultiLine::<9>::parse("a\nb").unwrap().as_str(), "a\nb");
    /// ```
    pub fn parse(text: &str) -> Result<Self, TextFault> {
        let text = text.trim();
        if text.is_empty() {
            Err(TextFault::Empty)
        } else if text.chars().any(is_forbidden::<LINES>) {
            Err(TextFault::Control)
        } else if text.chars().count() > MAX {
            Err(TextFault::TooLong(MAX))
        } else {
            Ok(Self(text.to_owned()))
        }
    }

    /// Stored text, independent of the present rules for input.
    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// Refuses characters that are invisible or that change how others are displayed: with them, two texts
    /// could look the same. The space is allowed.
    ///
    /// # Errors
    /// [`TextFault::Unprintable`].
    pub fn check_printable(&self) -> Result<(), TextFault> {
        if self.0.chars().any(is_unprintable) {
            return Err(TextFault::Unprintable);
        }
        Ok(())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, by value.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl<const MAX: usize> SingleLine<MAX> {
    /// Makes a line of any text, as [`one_line`] does: a header of a mail, for example.
    ///
    /// # Errors
    /// [`TextFault::Empty`] when nothing is left.
    pub fn shortened(text: &str) -> Result<Self, TextFault> {
        Self::parse(&one_line(text, MAX))
    }
}

impl<const MAX: usize, const LINES: bool> fmt::Display for Text<MAX, LINES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Text from another server as one line of at most `most` characters without control characters, for logs and
/// for the database.
///
/// ```
/// assert_eq!(kernel::text::one_line("550 5.1.1\r\n550  no\tsuch user ", 500), "550 5.1.1 550 no such user");
/// ```
#[must_use]
pub fn one_line(text: &str, max: usize) -> String {
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let words: String = text.chars().map(printable).collect();
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(max).collect()
}

/// The text in lower case, letter by letter: a final sigma becomes a sigma, so that the beginning of a word
/// has the same letters as the whole word.
///
/// ```
/// assert_eq!(kernel::text::lower_case("Νίκος ΟΔΟΣ"), "νίκοσ οδοσ");
/// ```
#[must_use]
pub fn lower_case(text: &str) -> String {
    let lower = text.chars().flat_map(char::to_lowercase);
    lower.map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}

fn is_unprintable(c: char) -> bool {
    let blank = c.is_whitespace() && c != ' ';
    blank
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
        // Invisible fillers, joiners and selectors.
        || matches!(c, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(c, '\u{3164}' | '\u{ffa0}' | '\u{fe00}'..='\u{fe0f}')
        // Private use and noncharacters.
        || matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' | '\u{fdd0}'..='\u{fdef}')
        || u32::from(c) & 0xfffe == 0xfffe
}

/// Line and paragraph separators also break a line, although Unicode does not classify them as control
/// characters.
fn is_forbidden<const LINES: bool>(c: char) -> bool {
    if LINES {
        c.is_control() && !matches!(c, '\n' | '\r' | '\t')
    } else {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn length_is_counted_in_characters_after_trimming() {
        assert_eq!(SingleLine::<3>::parse(" äöü ").unwrap().as_str(), "äöü");
        assert_eq!(SingleLine::<3>::parse("äöüß"), Err(TextFault::TooLong(3)));
        assert_eq!(SingleLine::<3>::parse(" \t "), Err(TextFault::Empty));
    }

    #[test]
    fn foreign_text_becomes_one_line_of_limited_length() {
        assert_eq!(one_line("no\r\n way\0\u{1b}[31m ", 99), "no way [31m");
        assert_eq!(one_line(&"ä".repeat(9_000), 500), "ä".repeat(500));
    }

    #[test]
    fn control_characters_are_refused_but_notes_may_have_lines() {
        assert_eq!(SingleLine::<9>::parse("a\0b"), Err(TextFault::Control));
        assert_eq!(SingleLine::<9>::parse("a\tb"), Err(TextFault::Control));
        assert_eq!(SingleLine::<9>::parse("a\u{2028}b"), Err(TextFault::Control));
        assert_eq!(MultiLine::<9>::parse("a\r\n\tb").unwrap().as_str(), "a\r\n\tb");
        assert_eq!(MultiLine::<9>::parse("a\u{1b}b"), Err(TextFault::Control));
    }

    proptest! {
        #[test]
        fn one_line_has_no_control_character_and_at_most_the_given_length(text in "(?s).{0,900}") {
            let line = one_line(&text, 500);
            prop_assert!(!line.chars().any(char::is_control));
            prop_assert!(line.chars().count() <= 500);
        }
    }
}
