//! The text of a text message, and how many segments it takes.

use std::fmt;

use deunicode::deunicode_char;

/// A text message of at most two segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsText(String);

/// The text takes more than two segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("takes {} segments, and at most {} are sent", .0, SmsText::MAX_SEGMENTS)]
pub struct TooLong(pub usize);

/// The default alphabet, without the escape to the extension.
const BASIC: &str = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?\
    ¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà";
/// The extension, whose characters take two septets.
const EXTENSION: &str = "\u{c}^{}\\[~]|€";

impl SmsText {
    /// The most segments that one message may take.
    pub const MAX_SEGMENTS: usize = 2;
    /// What every reminder ends with.
    pub const OPT_OUT: &str = "Reply STOP to opt out";

    /// Checks the length of a text.
    ///
    /// # Errors
    /// [`TooLong`].
    ///
    /// ```
    /// use communications::{SmsText, TooLong};
    /// assert_eq!(SmsText::new("Invoice 1: 50 € are due.").unwrap().as_str(), "Invoice 1: 50 € are due.");
    /// assert_eq!(SmsText::new(&"€".repeat(154)), Err(TooLong(3)));
    /// ```
    pub fn new(text: &str) -> Result<Self, TooLong> {
        match segments_of(text) {
            ..=Self::MAX_SEGMENTS => Ok(Self(text.to_owned())),
            segments => Err(TooLong(segments)),
        }
    }

    /// Writes a reminder: who writes, what about, the link to pay by, how to opt out. If it is too long, the
    /// first two are shortened or left out, never the link and the opt-out. `None` when these two alone are
    /// too long.
    #[must_use]
    pub fn reminder(company: &str, about: &str, link: &str) -> Option<Self> {
        let end = format!("Pay: {link} {}", Self::OPT_OUT);
        let cut_at = |most: usize| {
            Self::fitting(company, |company| format!("{}: {} {end}", cut(company, most), cut(about, most)))
        };
        let lengths = [usize::MAX, 80, 60, 40, 25, 15];
        lengths.into_iter().find_map(cut_at).or_else(|| Self::new(&end).ok())
    }

    /// Writes a reminder of several invoices, which lists as many of their numbers as fit. If not even one
    /// fits, the company is shortened, and then the rest like any reminder.
    #[must_use]
    pub fn reminder_of_several(company: &str, about: &str, numbers: &[&str], link: &str) -> Option<Self> {
        let end = format!("Pay: {link} {}", Self::OPT_OUT);
        let listing = |company: &str, listed: usize| {
            let list = numbers.iter().take(listed).copied().collect::<Vec<_>>().join(", ");
            let more = match numbers.len().saturating_sub(listed) {
                0 => String::new(),
                left => format!(" and {left} more"),
            };
            Self::fitting(company, |company| format!("{company}: {about}: {list}{more}. {end}"))
        };
        // Each number takes at least three characters with what separates it.
        let most = numbers.len().min(Self::MAX_SEGMENTS * 60);
        let with = |company: &str| (1..=most).rev().find_map(|listed| listing(company, listed));
        let listed = with(company).or_else(|| with(&cut(company, 40)));
        listed.or_else(|| Self::reminder(company, &format!("{about}."), link))
    }

    /// The text as it is, else in the GSM alphabet, of which more fits: first of the company only, since the
    /// customer may quote the number of an invoice.
    fn fitting(company: &str, with: impl Fn(&str) -> String) -> Option<Self> {
        let tries = [with(company), with(&in_gsm_alphabet(company)), in_gsm_alphabet(&with(company))];
        tries.iter().find_map(|text| Self::new(text).ok())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// At most `most` characters, with three dots at the end if the text was cut.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

/// The text with all other characters replaced by those of the GSM alphabet that look or sound like them.
fn in_gsm_alphabet(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match septets(c) {
            Some(_) => written.push(c),
            None => {
                let ascii = deunicode_char(c).unwrap_or_default().replace('`', "'");
                written.extend(ascii.chars().filter(|c| septets(*c).is_some()));
            }
        }
    }
    written
}

/// How many segments a text takes: in the 7-bit default alphabet and its extension (3GPP TS 23.038, section
/// 6.2.1), or in UTF-16 if it has any other character. No character is split between two segments.
fn segments_of(text: &str) -> usize {
    let septets: Option<Vec<usize>> = text.chars().map(septets).collect();
    match septets {
        Some(widths) => segments(&widths, 160, 153),
        None => segments(&text.chars().map(char::len_utf16).collect::<Vec<_>>(), 70, 67),
    }
}

/// The septets that a character takes in the 7-bit alphabet; `None` when it is not in it.
fn septets(c: char) -> Option<usize> {
    if BASIC.contains(c) { Some(1) } else { EXTENSION.contains(c).then_some(2) }
}

/// How many segments characters of these widths take: one if they fit in `single` units, else as many of
/// `joined` units as are needed.
fn segments(widths: &[usize], single: usize, joined: usize) -> usize {
    if widths.iter().sum::<usize>() <= single {
        return 1;
    }
    let (mut segments, mut used) = (1_usize, 0_usize);
    for width in widths {
        if used + width > joined {
            segments += 1;
            used = 0;
        }
        used += width;
    }
    segments
}

impl fmt::Display for SmsText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_counted_in_septets_and_characters_are_not_split() {
        assert_eq!(segments_of(""), 1);
        assert_eq!(segments_of(&"a".repeat(160)), 1);
        assert_eq!(segments_of(&"a".repeat(161)), 2);
        assert_eq!(segments_of(&"a".repeat(306)), 2);
        assert_eq!(segments_of(&"a".repeat(307)), 3);
        assert_eq!(segments_of(&"€".repeat(80)), 1);
        // The euro sign does not fit in the last septet of the first segment.
        let split = format!("{}€{}", "a".repeat(152), "a".repeat(151));
        assert_eq!(segments_of(&split), 2);
        assert_eq!(segments_of(&format!("{split}a")), 3);
    }

    #[test]
    fn one_foreign_character_makes_it_utf16_and_pairs_are_not_split() {
        assert_eq!(segments_of(&"ç".repeat(71)), 2, "only the capital is in the alphabet");
        assert_eq!(segments_of(&"ő".repeat(70)), 1);
        assert_eq!(segments_of(&"ő".repeat(71)), 2);
        assert_eq!(segments_of(&"ő".repeat(134)), 2);
        assert_eq!(segments_of(&"🫖".repeat(35)), 1);
        assert_eq!(segments_of(&"🫖".repeat(66)), 2);
        assert_eq!(segments_of(&"🫖".repeat(67)), 3, "33 fit in a segment");
    }

    #[test]
    fn cut_reminder_keeps_its_link_and_opt_out() {
        let link = format!("https://books.example.com/pay/{}", "x".repeat(64));
        for company in ["Acme", &"Müller & Söhne ".repeat(20), &"Łódź ".repeat(50)] {
            let text =
                SmsText::reminder(company, "Invoice INV-0001: AUD 110.00 was due on 2 December.", &link);
            let text = text.unwrap();
            assert!(text.as_str().contains(&link) && text.as_str().ends_with(SmsText::OPT_OUT), "{text}");
            assert!(segments_of(text.as_str()) <= 2);
        }
        assert_eq!(SmsText::reminder("Acme", "x", &"y".repeat(400)), None);
        assert_eq!(SmsText::new(&"a".repeat(307)), Err(TooLong(3)));
    }

    #[test]
    fn company_with_foreign_characters_leaves_number_and_amount_in_the_reminder() {
        let link = format!("https://books.example.com/pay/{}", "x".repeat(64));
        let about = "invoice INV-0001: AUD 110.00 was due on 2 December.";
        for (company, written) in [
            ("O’Brien & Sons", "O'Brien & Sons"),
            ("Łódź Meble", "Lodz Meble"),
            ("Кофейня", "Kofeinia"),
            ("Ştefan SRL", "Stefan SRL"),
            ("Acme–Plumbing", "Acme-Plumbing"),
            ("`Søren`\u{301}…", "'Søren'..."),
        ] {
            let text = SmsText::reminder(company, about, &link).unwrap();
            assert_eq!(text.as_str(), format!("{written}: {about} Pay: {link} {}", SmsText::OPT_OUT));
        }
        let short = SmsText::reminder("Łódź", "x", "y").unwrap();
        assert_eq!(short.as_str(), "Łódź: x Pay: y Reply STOP to opt out", "it fits as it is");
    }

    #[test]
    fn reminder_of_several_lists_as_many_numbers_as_fit_in_two_segments() {
        let link = format!("https://books.example.com/pay/{}", "x".repeat(64));
        let numbers: Vec<String> = (1..=40).map(|n| format!("INV-{n:04}")).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let of = |company: &str, numbers: &[&str]| {
            let about = format!("{} invoices are waiting for payment", numbers.len());
            SmsText::reminder_of_several(company, &about, numbers, &link).unwrap()
        };
        let end = format!("Pay: {link} Reply STOP to opt out");
        let two = of("Acme", &numbers[..2]);
        let expected = format!("Acme: 2 invoices are waiting for payment: INV-0001, INV-0002. {end}");
        assert_eq!((two.as_str(), segments_of(two.as_str())), (&*expected, 2));
        // The first has exactly 306 septets; the company of the last is cut.
        for (company, listed) in [("Acme", 13), ("Łódź", 13), (&*"Müller & Söhne ".repeat(20), 9)] {
            let text = of(company, &numbers);
            assert!(segments_of(text.as_str()) <= 2 && text.as_str().ends_with(&end), "{text}");
            assert_eq!(text.as_str().matches("INV-").count(), listed, "{text}");
            let rest = format!("INV-{listed:04} and {} more. ", 40 - listed);
            assert!(text.as_str().contains(&rest), "{text}");
        }
    }
}
