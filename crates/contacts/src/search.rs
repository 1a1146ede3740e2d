//! Searching contacts by prefixes of words.

use std::collections::BTreeSet;

use kernel::EmailAddress;
use kernel::text::lower_case;

use crate::contact::Contact;

/// The most characters of a word that are compared.
const MAX_WORD_LENGTH: usize = 64;
/// The most words of a search text that are used.
const MAX_SEARCHED: usize = 5;
/// The most words of a contact that are searched, without those of its numbers.
const MAX_WORDS: usize = 24;
/// The fewest digits of a number of a contact that is found by its parts.
const FEWEST_DIGITS: usize = 6;
/// The most words more for the numbers of a contact.
const MAX_NUMBERS: usize = 12;

/// A search text. It finds a contact if each of its words is a prefix of a word in the contact's name, e-mail
/// address, phone number or external id, ignoring case.
///
/// Words end at white space and control characters; surrounding brackets, quotes and commas are dropped. A
/// text that is a number, such as one of a telephone, also finds numbers by their digits from the beginning
/// of each part, whatever separates the parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    words: Vec<String>,
    number: Option<String>,
}

impl SearchText {
    /// Parses a search text; `None` when it is blank.
    ///
    /// ```
    /// let search = contacts::SearchText::parse(" Ada  LOVELACE, ").unwrap();
    /// assert_eq!((search.words(), search.number()), (&["ada".to_owned(), "lovelace".to_owned()][..], None));
    /// assert_eq!(contacts::SearchText::parse("(02) 9123-45").unwrap().number(), Some("02912345"));
    /// assert_eq!(contacts::SearchText::parse("  "), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // No stored text has a control character, and PostgreSQL takes no NUL.
        let text = text.replace(char::is_control, " ");
        let text = text.trim();
        let mut words: Vec<String> = split(text).take(MAX_SEARCHED).collect();
        words.dedup();
        let is_number = text.chars().all(is_of_number) && text.contains(|c: char| c.is_ascii_digit());
        let number = is_number.then(|| text.chars().filter(|c| *c == '+' || c.is_ascii_digit()).collect());
        let number = number.filter(|number| words != std::slice::from_ref(number));
        (!words.is_empty()).then(|| Self { text: text.to_owned(), words, number })
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

    /// Its digits in one word with a plus sign before them, if it is a number: a contact with a word that
    /// begins so is found too.
    #[must_use]
    pub fn number(&self) -> Option<&str> {
        self.number.as_deref()
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
        texts().flat_map(split).take(MAX_WORDS).chain(numbers).collect()
    }
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(|word| {
        let bare = word.trim_matches(|c: char| "()[]{}<>\"'`,;".contains(c));
        let word = if bare.is_empty() { word } else { bare };
        lower_case(word).chars().take(MAX_WORD_LENGTH).collect()
    })
}

/// The numbers in a text as words: each from the beginning of each of its parts, and with a plus sign also
/// without that.
fn numbers(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for number in text.split(|c| !is_of_number(c)).flat_map(before_each_plus) {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        if digits(number).len() < FEWEST_DIGITS {
            continue;
        }
        if number.starts_with('+') {
            words.push(format!("+{}", digits(number)));
        }
        let mut rest = number;
        while let Some(begin) = rest.find(|c: char| c.is_ascii_digit()) {
            let part = rest.get(begin..).unwrap_or_default();
            words.push(digits(part));
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            rest = part.get(end..).unwrap_or_default();
        }
    }
    words
}

/// The parts of a text of which each but the first begins with a plus sign.
fn before_each_plus(text: &str) -> impl Iterator<Item = &str> {
    let starts = text.match_indices('+').map(|(at, _)| at);
    let ends = text.match_indices('+').map(|(at, _)| at).skip(usize::from(text.starts_with('+')));
    let first = (!text.starts_with('+')).then_some(0);
    first.into_iter().chain(starts).zip(ends.chain([text.len()])).filter_map(|(from, to)| text.get(from..to))
}

/// Whether a number may have this character.
fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || c.is_whitespace() || "+-./()[]".contains(c)
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
        let numbers = Contact { name: SingleLine::from_stored("0123456 ".repeat(100)), ..contact.clone() };
        assert!(numbers.search_words().len() <= MAX_WORDS + MAX_NUMBERS);
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
            let words = Contact { phone, ..contact() }.search_words();
            assert_eq!(Contact { external_id, ..contact() }.search_words(), words);
            let search = SearchText::parse(search).unwrap();
            let has = |part: &str| words.iter().any(|word| word.starts_with(part));
            search.words().iter().all(|part| has(part)) || search.number().is_some_and(has)
        };
        for (search, number) in [
            ("+61412345678", "+61 412 345 678"),
            ("+61 412 345 678", "+61412345678"),
            ("+61-412-345-678", "+61 (412) 345678"),
            ("+61 412 345 678", "(+61) 412 345 678"),
            ("+61 412", "+61 2 4120 0000"),
            ("61 412 345", "+61 412 345 678"),
            ("412 345 678", "+61 412 345 678"),
            ("678", "+61 412 345-678"),
            ("(02) 9123-4567", "02 9123 4567"),
            ("02-9123-4567", "02 9123 4567"),
            ("9123 4567", "(02) 9123 4567"),
            ("4567", "(02) 9123-4567"),
            ("0291234", "(02) 9123 4567"),
            ("02 9123 4567", "02 9123 4567 ext 5"),
            ("91234567", "Tel. 02 9123 4567, 0412 345 678"),
            ("9123 4567", "9123 4567 / +61 412 345 678"),
            ("+61412345678", "9123 4567 / +61 412 345 678"),
            ("Ada +61", "+61 412 345 678"),
            ("51 824 753 556", "51 824 753 556"),
            ("51824753556", "51 824 753 556"),
            ("2024-0012", "2024-0012-A"),
            ("(2024)-0001", "(2024)-0001-A"),
        ] {
            assert!(finds(search, number), "{search} {number}");
        }
        for (search, number) in [
            ("+61 412 345 679", "+61412345678"),
            ("678 9", "+61 412 345 678"),
            ("Ada 345678", "Tel. +61 412 345 679"),
        ] {
            assert!(!finds(search, number), "{search} {number}");
        }
        assert_eq!(SearchText::parse("42").unwrap().number(), None, "it is its only word");
    }

    #[test]
    fn search_text_is_kept_as_written_for_whoever_shows_it() {
        assert_eq!(SearchText::parse(" Ada  B, ").unwrap().text(), "Ada  B,");
        assert_eq!(SearchText::parse("\0Ada\0B").unwrap().text(), "Ada B");
        assert_eq!(SearchText::parse("\0"), None);
    }
}
