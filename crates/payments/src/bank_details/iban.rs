//! IBAN (ISO 13616) and BIC (ISO 9362).

use std::fmt;

use super::stored_text::stored_text;

/// The length of an IBAN by country, from the registry of ISO 13616.
#[rustfmt::skip]
const LENGTHS: [(&str, usize); 89] = [
    ("AD", 24), ("AE", 23), ("AL", 28), ("AT", 20), ("AZ", 28), ("BA", 20), ("BE", 16), ("BG", 22),
    ("BH", 22), ("BI", 27), ("BR", 29), ("BY", 28), ("CH", 21), ("CR", 22), ("CY", 28), ("CZ", 24),
    ("DE", 22), ("DJ", 27), ("DK", 18), ("DO", 28), ("EE", 20), ("EG", 29), ("ES", 24), ("FI", 18),
    ("FK", 18), ("FO", 18), ("FR", 27), ("GB", 22), ("GE", 22), ("GI", 23), ("GL", 18), ("GR", 27),
    ("GT", 28), ("HN", 28), ("HR", 21), ("HU", 28), ("IE", 22), ("IL", 23), ("IQ", 23), ("IS", 26),
    ("IT", 27), ("JO", 30), ("KW", 30), ("KZ", 20), ("LB", 28), ("LC", 32), ("LI", 21), ("LT", 20),
    ("LU", 20), ("LV", 21), ("LY", 25), ("MC", 27), ("MD", 24), ("ME", 22), ("MK", 19), ("MN", 20),
    ("MR", 27), ("MT", 31), ("MU", 30), ("NI", 28), ("NL", 18), ("NO", 15), ("OM", 23), ("PK", 24),
    ("PL", 28), ("PS", 29), ("PT", 25), ("QA", 29), ("RO", 24), ("RS", 22), ("RU", 33), ("SA", 24),
    ("SC", 31), ("SD", 18), ("SE", 24), ("SI", 19), ("SK", 24), ("SM", 27), ("SO", 23), ("ST", 25),
    ("SV", 28), ("TL", 23), ("TN", 24), ("TR", 26), ("UA", 29), ("VA", 22), ("VG", 24), ("XK", 20),
    ("YE", 30),
];

/// An international bank account number, in capitals and without blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iban(String);

/// Why a text is not an IBAN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IbanFault {
    /// The text has characters other than letters and digits, or the wrong characters at its start.
    #[error("must begin with two letters and two digits, and have letters and digits only")]
    Form,
    /// The country has no IBANs.
    #[error("begins with a country that has no IBANs")]
    Country,
    /// The text is longer or shorter than the country's IBANs.
    #[error("must have {0} characters in this country")]
    Length(usize),
    /// The check digits are wrong.
    #[error("is mistyped: its check digits do not fit")]
    Checksum,
}

impl Iban {
    /// Parses an IBAN in any case, with blanks anywhere.
    pub fn parse(text: &str) -> Result<Self, IbanFault> {
        let iban: String =
            text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_uppercase()).collect();
        let bytes = iban.as_bytes();
        let (Some((country, rest)), true) = (iban.split_at_checked(2), bytes.is_ascii()) else {
            return Err(IbanFault::Form);
        };
        let begins = country.bytes().all(|byte| byte.is_ascii_uppercase())
            && rest.len() > 2
            && rest.bytes().take(2).all(|byte| byte.is_ascii_digit());
        if !begins || !bytes.iter().all(u8::is_ascii_alphanumeric) {
            return Err(IbanFault::Form);
        }
        let length = LENGTHS.iter().find(|(known, _)| *known == country);
        let (_, length) = length.ok_or(IbanFault::Country)?;
        if iban.len() != *length {
            return Err(IbanFault::Length(*length));
        }
        // Check digits are always 02 to 98, although some texts with others pass the checksum.
        let has_check_digits = !matches!(iban.get(2..4), Some("00" | "01" | "99"));
        if !has_check_digits || remainder(bytes) != 1 {
            return Err(IbanFault::Checksum);
        }
        Ok(Self(iban))
    }

    /// The IBAN in groups of four, as printed.
    #[must_use]
    pub fn grouped(&self) -> String {
        let mut grouped = String::with_capacity(self.0.len() + self.0.len() / 4);
        for (place, c) in self.0.chars().enumerate() {
            if place > 0 && place.is_multiple_of(4) {
                grouped.push(' ');
            }
            grouped.push(c);
        }
        grouped
    }
}

/// The remainder of an IBAN modulo 97 (ISO 7064): its first four characters come last, and a letter counts as
/// two digits, from 10 for A.
fn remainder(iban: &[u8]) -> u32 {
    let (head, rest) = iban.split_at_checked(4).unwrap_or((iban, &[]));
    rest.iter().chain(head).fold(0, |remainder, byte| match byte {
        b'A'..=b'Z' => (remainder * 100 + u32::from(byte - b'A') + 10) % 97,
        _ => (remainder * 10 + u32::from(byte.wrapping_sub(b'0'))) % 97,
    })
}

impl fmt::Display for Iban {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.grouped())
    }
}

/// The code of a bank or its branch, 8 or 11 capitals and digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bic(String);

/// The text is not a BIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have 8 or 11 letters and digits, such as COBADEFFXXX")]
pub struct NotABic;

impl Bic {
    /// Parses a BIC in any case, with blanks anywhere.
    pub fn parse(text: &str) -> Result<Self, NotABic> {
        let bic: String =
            text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_uppercase()).collect();
        let is_sound = |(place, c): (usize, char)| match place {
            4 | 5 => c.is_ascii_uppercase(),
            _ => c.is_ascii_uppercase() || c.is_ascii_digit(),
        };
        let has_length = matches!(bic.chars().count(), 8 | 11);
        if has_length && bic.chars().enumerate().all(is_sound) { Ok(Self(bic)) } else { Err(NotABic) }
    }
}

stored_text!(Iban, Bic);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Examples from the registry of ISO 13616, of countries with digits only and with letters.
    const EXAMPLES: [&str; 12] = [
        "AT611904300234573201",
        "BE68539007547034",
        "CH9300762011623852957",
        "DE89370400440532013000",
        "ES9121000418450200051332",
        "FR1420041010050500013M02606",
        "GB29NWBK60161331926819",
        "IT60X0542811101000000123456",
        "MT84MALT011000012345MTLCAST001S",
        "NL91ABNA0417164300",
        "NO9386011117947",
        "SC18SSCB11010000000000001497USD",
    ];

    #[test]
    fn examples_of_the_registry_are_read_in_any_spelling() {
        for example in EXAMPLES {
            let iban = Iban::parse(example).unwrap();
            assert_eq!(Iban::parse(&iban.grouped().to_lowercase()), Ok(iban.clone()));
            assert_eq!(iban.as_str(), example);
        }
    }

    #[test]
    fn each_fault_is_named() {
        for (text, fault) in [
            ("", IbanFault::Form),
            ("DE", IbanFault::Form),
            ("DE8", IbanFault::Form),
            ("1E89370400440532013000", IbanFault::Form),
            ("DEX9370400440532013000", IbanFault::Form),
            ("DE89-3704-0044-0532-0130-00", IbanFault::Form),
            ("DE89370400440532013ÄÖ", IbanFault::Form),
            ("US89370400440532013000", IbanFault::Country),
            ("DE8937040044053201300", IbanFault::Length(22)),
            ("DE893704004405320130000", IbanFault::Length(22)),
            ("DE88370400440532013000", IbanFault::Checksum),
        ] {
            assert_eq!(Iban::parse(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn countries_are_listed_once() {
        assert!(LENGTHS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn bic_has_eight_or_eleven_characters() {
        assert_eq!(Bic::parse(" cobadeff ").unwrap().as_str(), "COBADEFF");
        assert_eq!(Bic::parse("DEUTDEDB 110").unwrap().as_str(), "DEUTDEDB110");
        for bad in ["", "COBADEF", "COBADEFFX", "COBA1EFF", "COBADEFFXX-", "ÄOBADEFF"] {
            assert_eq!(Bic::parse(bad), Err(NotABic), "{bad}");
        }
    }

    proptest! {
        /// ISO 7064 guarantees both for digits; a letter counts as two digits.
        #[test]
        fn mistyped_digit_and_swapped_neighbours_are_found(
            example in prop::sample::select(EXAMPLES.to_vec()),
            place in 0..40_usize,
            digit in b'0'..=b'9',
        ) {
            let bytes = example.as_bytes();
            let place = place % bytes.len();
            let mut mistyped = bytes.to_vec();
            if bytes[place].is_ascii_digit() && bytes[place] != digit {
                mistyped[place] = digit;
                prop_assert!(Iban::parse(std::str::from_utf8(&mistyped).unwrap()).is_err());
            }
            let mut swapped = bytes.to_vec();
            let next = (place + 1) % bytes.len();
            swapped.swap(place, next);
            let are_digits = bytes[place].is_ascii_digit() && bytes[next].is_ascii_digit();
            if are_digits && swapped != bytes && place > 3 && next > 3 {
                prop_assert!(Iban::parse(std::str::from_utf8(&swapped).unwrap()).is_err());
            }
        }

        #[test]
        fn whatever_is_read_is_written_alike(text in "[A-Z]{2}[0-9]{2}[A-Z0-9 ]{0,32}|\\PC{0,40}") {
            if let Ok(iban) = Iban::parse(&text) {
                prop_assert_eq!(Iban::parse(&iban.grouped()), Ok(iban));
            }
        }
    }
}
