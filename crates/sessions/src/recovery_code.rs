//! Recovery codes, each of which replaces a code of the second factor once.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use kernel::{AccountId, SecureRandom, TokenHash};
use zeroize::Zeroizing;

/// A recovery code: 80 random bits as 16 letters and digits. It is shown once.
#[derive(Clone)]
pub struct RecoveryCode(Zeroizing<String>);

/// How many codes a set has.
const COUNT: usize = 10;
const RANDOM_BYTES: usize = 10;
const LENGTH: usize = 16;

impl RecoveryCode {
    /// Makes a set of new codes.
    #[must_use]
    pub fn generate_all(random: &dyn SecureRandom) -> Vec<Self> {
        let one = |_| {
            let mut bytes = Zeroizing::new([0_u8; RANDOM_BYTES]);
            random.fill(&mut *bytes);
            Self(Zeroizing::new(BASE32_NOPAD.encode(&*bytes).to_ascii_lowercase()))
        };
        (0..COUNT).map(one).collect()
    }

    /// Parses a code as a person types it, in upper or lower case and with any spaces and hyphens.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let kept = text.chars().filter(|c| !c.is_whitespace() && *c != '-');
        let text: String = kept.flat_map(char::to_lowercase).collect();
        let is_code = text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_code.then(|| Self(Zeroizing::new(text)))
    }

    /// The code in four groups, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> String {
        let characters: Vec<char> = self.0.chars().collect();
        let groups: Vec<String> = characters.chunks(4).map(|group| group.iter().collect()).collect();
        groups.join("-")
    }

    /// The hash under which the code is stored: of code and account, so that equal codes of two accounts have
    /// different hashes.
    #[must_use]
    pub fn hash(&self, account: AccountId) -> TokenHash {
        TokenHash::of(&[account.uuid().as_bytes(), self.0.as_bytes()].concat())
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemRandom};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn code_is_read_as_it_is_shown_and_as_people_type_it() {
        let account = Id::from_uuid(Uuid::from_u128(1));
        let codes = RecoveryCode::generate_all(&SystemRandom::default());
        assert_eq!(codes.len(), 10);
        for code in &codes {
            let shown = code.reveal();
            assert_eq!(shown.len(), 19, "{shown}");
            for typed in [&shown, &shown.to_uppercase(), &shown.replace('-', " "), &shown.replace('-', "")] {
                assert!(RecoveryCode::parse(typed).unwrap().hash(account) == code.hash(account), "{typed}");
            }
            assert_eq!(format!("{code:?}"), "RecoveryCode(redacted)");
        }
        let other = Id::from_uuid(Uuid::from_u128(2));
        assert!(codes[0].hash(account) != codes[0].hash(other));
        for text in ["", "123456", "aaaa-bbbb-cccc-ddd", "aaaa-bbbb-cccc-ddd!"] {
            assert!(RecoveryCode::parse(text).is_none(), "{text}");
        }
    }
}
