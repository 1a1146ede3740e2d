//! Searching contacts by prefixes of words.

use std::collections::BTreeSet;

use kernel::EmailAddress;
use kernel::text::lower_case;

use crate::contact::Contact;

/// The most characters of a word that are compared.
const MAX_WORD_LENGTH: usize = 64;
/// The most words of a search text that are used.
const MAX_SEARCHED: usize = 5;
/// The most words of a contact that are searched.
const MAX_WORDS: usize = 24;
/// The fewest digits of a number that is compared as one word.
const FEWEST_DIGITS: usize = 6;
/// The most words for the numbers of a contact.
const MAX_NUMBERS: usize = 12;

/// A search text. It finds a contact if each of its words is a prefix of a word in the contact's name, e-mail
/// address, phone number or external id, ignoring case.
///
/// Words end at white space and control characters; surrounding brackets, quotes and commas are dropped.
/// A number of several parts, such as one of a telephone, is also found by its digits in one word, and from
/// the beginning of each part. A search text of several parts that is a number is one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    words: Vec<String>,
}

impl SearchText {
    /// Parses a search text; `None` when it is blank.
    ///
    /// ```
    /// let search = contacts::SearchText::parse(" Ada  LOVELACE, ").unwrap();
    /// assert_eq!(search.words(), ["ada", "lovelace"]);
    /// assert_eq!(contacts::SearchText::parse("  "), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // No stored text has a control character, and PostgreSQL takes no NUL.
        let text = text.replace(char::is_control, " ");
        let text = text.trim();
        let mut words: Vec<String> = split(text).take(MAX_SEARCHED).collect();
        if words.len() > 1 || text.starts_with(['+', '(']) {
            words = joined(&groups_of_digits(text)).map_or(words, |number| vec![number]);
        }
        words.dedup();
        (!words.is_empty()).then(|| Self { text: text.to_owned(), words })
    }

    /// The text as it was written, without surrounding blanks, and with a blank for each control character.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its words in lower case.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }
}

impl Contact {
    /// The words of the contact that a [`SearchText`] is compared with, in lower case.
    #[must_use]
    pub fn search_words(&self) -> BTreeSet<String> {
        let email = self.email.as_ref().map(EmailAddress::as_str);
        let phone = self.phone.as_ref().map(|phone| phone.as_str());
        let external_id = self.external_id.as_ref().map(|id| id.as_str());
        let texts = [Some(self.name.as_str()), email, phone, external_id];
        let texts = || texts.into_iter().flatten();
        let numbers = texts().flat_map(numbers).take(MAX_NUMBERS);
        numbers.chain(texts().flat_map(split)).take(MAX_WORDS).collect()
    }
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(|word| {
        let bare = word.trim_matches(|c: char| "()[]{}<>\"'`,;".contains(c));
        let word = if bare.is_empty() { word } else { bare };
        lower_case(word).chars().take(MAX_WORD_LENGTH).collect()
    })
}

/// A number from the beginning of each of its parts, as words: with the sign before the first one, and
/// without.
fn numbers(text: &str) -> Vec<String> {
    let groups = groups_of_digits(text);
    let unsigned = groups.first().and_then(|first| first.strip_prefix('+'));
    let unsigned = unsigned.map(|first| [&[first.to_owned()], groups.get(1..).unwrap_or_default()].concat());
    let suffixes = (0..groups.len()).filter_map(|from| joined(groups.get(from..)?));
    suffixes.chain(unsigned.and_then(|groups| joined(&groups))).collect()
}

/// The digits of the parts of a number in one word; `None` if they are few.
fn joined(groups: &[String]) -> Option<String> {
    let number = groups.concat();
    (number.len() >= FEWEST_DIGITS).then_some(number)
}

/// The parts of a number, the first one with its plus sign; empty if the text is no number.
fn groups_of_digits(text: &str) -> Vec<String> {
    let text = text.trim_start_matches(['(', '[']);
    let is_separator = |c: char| c.is_whitespace() || "-./()[]".contains(c);
    let (sign, digits) = text.strip_prefix('+').map_or(("", text), |digits| ("+", digits));
    if !digits.chars().all(|c| c.is_ascii_digit() || is_separator(c)) {
        return Vec::new();
    }
    let groups = digits.split(is_separator).filter(|group| !group.is_empty());
    groups.enumerate().map(|(n, group)| format!("{}{group}", if n == 0 { sign } else { "" })).collect()
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SingleLine, SystemIds};
    use time::OffsetDateTime;

    use super::*;

    fn contact() -> Contact {
        Contact {
            id: Id::new(&SystemIds::default(), OffsetDateTime::UNIX_EPOCH),
            account: Id::new(&SystemIds::default(), OffsetDateTime::UNIX_EPOCH),
            name: SingleLine::from_stored("Ada".to_owned()),
            email: Some(EmailAddress::parse("Ada@Example.com").unwrap()),
            phone: None,
            external_id: None,
            address: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
            updated_at: OffsetDateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn words_of_a_contact_are_in_lower_case_and_bounded() {
        let contact = Contact {
            name: SingleLine::from_stored("\"Brightwater\" (Sydney) ÄÖΣ".to_owned()),
            phone: Some(SingleLine::from_stored("+61 2".to_owned())),
            external_id: Some(SingleLine::from_stored("x".repeat(255))),
            ..contact()
        };
        let words = contact.search_words();
        let expected = ["+61", "2", "ada@example.com", "brightwater", "sydney", &"x".repeat(64), "äöσ"]
            .map(str::to_owned);
        assert_eq!(words.into_iter().collect::<Vec<_>>(), expected);
        let wordy = Contact { name: SingleLine::from_stored("a ".repeat(100)), ..contact.clone() };
        assert!(wordy.search_words().len() <= MAX_WORDS);
    }

    #[test]
    fn search_text_of_many_words_is_cut_and_one_of_marks_is_kept() {
        assert_eq!(SearchText::parse("a b c d e f g").unwrap().words().len(), MAX_SEARCHED);
        assert_eq!(SearchText::parse("()").unwrap().words(), ["()"]);
    }

    #[test]
    fn beginning_of_a_word_is_found_whatever_its_case_and_last_letter() {
        let words = |text: &str| SearchText::parse(text).unwrap().words().to_vec();
        let name = words("ΟΔΟΣΑΣ Νίκος").concat();
        assert_eq!(name, "οδοσασνίκοσ");
        for beginning in ["ΟΔΟΣ", "οδος", "οδοσ"] {
            assert_eq!(words(beginning), ["οδοσ"]);
        }
    }

    #[test]
    fn number_is_found_from_the_beginning_of_each_part_whatever_separates_its_digits() {
        let finds = |search: &str, number: &str| {
            let phone = Some(SingleLine::from_stored(number.to_owned()));
            let external_id = phone.clone().map(|id| SingleLine::from_stored(id.to_string()));
            let of_phone = Contact { phone, ..contact() }.search_words();
            assert_eq!(Contact { external_id, ..contact() }.search_words(), of_phone);
            let words = of_phone;
            let searched = SearchText::parse(search).unwrap();
            searched.words().iter().all(|part| words.iter().any(|word| word.starts_with(part)))
        };
        for (search, number) in [
            ("+61412345678", "+61 412 345 678"),
            ("+61 412 345 678", "+61412345678"),
            ("+61-412-345-678", "+61 (412) 345678"),
            ("+61 412 345 678", "(+61) 412 345 678"),
            ("61 412 345", "+61 412 345 678"),
            ("412 345 678", "+61 412 345 678"),
            ("345 678", "+61 412 345 678"),
            ("345", "+61 412 345 678"),
            ("(02) 9123-4567", "02 9123 4567"),
            ("9123 4567", "(02) 9123 4567"),
            ("0291234", "(02) 9123 4567"),
            ("9123", "02 9123 4567"),
            ("Ada +61", "+61 412 345 678"),
            ("51 824 753 556", "51 824 753 556"),
            ("51824753556", "51 824 753 556"),
            ("2024-0012", "2024-0012"),
            ("2024-0012", "2024-0012-A"),
        ] {
            assert!(finds(search, number), "{search} {number}");
        }
        for (search, number) in [("+61 412 345 679", "+61412345678"), ("678 345", "+61 412 345 678")] {
            assert!(!finds(search, number), "{search} {number}");
        }
        assert_eq!(SearchText::parse("42 17").unwrap().words(), ["42", "17"]);
    }

    #[test]
    fn search_text_is_kept_as_written_for_whoever_shows_it() {
        assert_eq!(SearchText::parse(" Ada  B, ").unwrap().text(), "Ada  B,");
        assert_eq!(SearchText::parse("\0Ada\0B").unwrap().text(), "Ada B");
        assert_eq!(SearchText::parse("\0"), None);
    }
}
