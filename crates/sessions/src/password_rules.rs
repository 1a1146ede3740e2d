//! Rules for new passwords: not a commonly used password, and not made of the account's own words.

use std::collections::HashSet;
use std::sync::LazyLock;

use access::{Password, PasswordFault};
use kernel::EmailAddress;

/// Commonly used passwords of ten or more characters, in lower case.
static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("password_rules/most_used.txt").lines().collect());

/// A password counts as made of the account's own words if it has fewer other letters than this.
const MIN_OTHER_LETTERS: usize = 4;
/// The minimum length of an own word that is searched for.
const MIN_WORD_LENGTH: usize = 3;

/// Why text cannot be a new password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordRefused {
    #[error(transparent)]
    Length(#[from] PasswordFault),
    #[error("is one of the passwords that are tried first: choose another one")]
    Common,
    #[error("is made of the company's name or the e-mail address: choose another one")]
    OwnWords,
}

/// Checks a new password of a login.
pub fn check_new_password(
    text: &str,
    company_name: &str,
    email: &EmailAddress,
) -> Result<Password, PasswordRefused> {
    let password = Password::choose(text)?;
    let lower = text.to_lowercase();
    if COMMON.contains(lower.trim()) {
        return Err(PasswordRefused::Common);
    }
    if is_made_of(&lower, &own_words(company_name, email)) {
        return Err(PasswordRefused::OwnWords);
    }
    Ok(password)
}

/// The account's own words, in lower case, longest first.
fn own_words(company_name: &str, email: &EmailAddress) -> Vec<String> {
    let texts = [company_name.to_lowercase(), email.as_str().to_lowercase()];
    let whole = texts.iter().map(|text| letters(text));
    let parts = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric())).map(letters);
    let mut words: Vec<String> =
        whole.chain(parts).filter(|word| word.chars().count() >= MIN_WORD_LENGTH).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words
}

/// Whether the password contains one of the words and hardly any other letters.
fn is_made_of(password: &str, words: &[String]) -> bool {
    let all = letters(password);
    let other = words.iter().fold(all.clone(), |rest, word| rest.replace(word.as_str(), ""));
    other != all && other.chars().count() < MIN_OTHER_LETTERS
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<(), PasswordRefused> {
        let email = EmailAddress::parse("grace.hopper@difference.example.com").unwrap();
        check_new_password(text, "Difference & Sons", &email).map(|_password| ())
    }

    #[test]
    fn common_passwords_are_refused_in_any_case() {
        for text in ["1234567890", "Password123", "QWERTYUIOP", "iloveyou123", "passwordpassword"] {
            assert_eq!(chosen(text), Err(PasswordRefused::Common), "{text}");
        }
    }

    #[test]
    fn words_of_the_account_alone_are_refused() {
        for text in [
            "difference & sons",
            "DifferenceSons2026!",
            "grace.hopper@difference.example.com",
            "gracehopper1906",
            "Difference1234",
        ] {
            assert_eq!(chosen(text), Err(PasswordRefused::OwnWords), "{text}");
        }
    }

    #[test]
    fn words_of_the_address_are_those_that_its_owner_reads() {
        let email = EmailAddress::parse("grace@bücherstube.example").unwrap();
        let chosen = check_new_password("Bücherstube12", "Hopper", &email).map(|_password| ());
        assert_eq!(chosen, Err(PasswordRefused::OwnWords));
    }

    #[test]
    fn any_other_password_of_ten_characters_is_taken() {
        for text in ["correct horse battery", "what a difference a day makes", "0918273645", "vTz)9#kq2L"] {
            assert_eq!(chosen(text), Ok(()), "{text}");
        }
        assert_eq!(chosen("too short"), Err(PasswordFault::TooShort.into()));
    }

    #[test]
    fn every_common_password_passes_the_other_rules() {
        assert!(COMMON.len() > 300, "{}", COMMON.len());
        for text in COMMON.iter() {
            assert!(Password::choose(text).is_ok() && *text == text.to_lowercase(), "{text}");
        }
    }
}
