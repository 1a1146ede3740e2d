//! API keys: their form, their checksum, and their stored record.

use std::fmt;

use kernel::{AccountId, Id, Ids, SecureRandom};
use time::OffsetDateTime;

pub enum KeyEntity {}

/// The id of a key's record. Quotas are counted for this id.
pub type KeyId = Id<KeyEntity>;

/// The API that a key gives access to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeySpace {
    /// The public API of one account.
    Account,
    /// The partner API of one partner.
    Partner,
}

impl KeySpace {
    /// The prefix of every key of the space.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Account => "ct_live_",
            Self::Partner => "ct_partner_",
        }
    }
}

/// A key in the clear. It exists only while it is generated or presented, and is never stored.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    space: KeySpace,
    text: String,
}

/// The text is not a key of the expected space: wrong prefix, length, character or checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a key of this kind")]
pub struct MalformedKey;

/// The SHA-256 of a key, under which the key is stored and looked up.
///
/// An unsalted hash is sufficient, since a key has over 150 bits of randomness (decisions, "Partner
/// accounts").
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

/// The stored record of a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    pub id: KeyId,
    pub hash: KeyHash,
    /// The first characters of the key, for display.
    pub prefix: &'static str,
    /// The last four characters, for display.
    pub last_four: String,
    pub created_at: OffsetDateTime,
}

impl NewKey {
    /// The key in its displayed form, such as `ct_live_…x7Qa`.
    #[must_use]
    pub fn masked(&self) -> String {
        format!("{}…{}", self.prefix, self.last_four)
    }
}

/// The last use of an account's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyUse {
    pub account: AccountId,
    pub key: KeyId,
    pub at: OffsetDateTime,
}

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS: usize = 26;
const CHECKSUM_CHARACTERS: usize = 6;

impl ApiKey {
    /// Generates a new key: 26 random characters and 6 of checksum.
    #[must_use]
    pub fn generate(space: KeySpace, random: &dyn SecureRandom) -> Self {
        let mut body = String::with_capacity(RANDOM_CHARACTERS);
        let mut bytes = [0_u8; 64];
        while body.len() < RANDOM_CHARACTERS {
            random.fill(&mut bytes);
            // 248 is the largest multiple of 62 in a byte: larger bytes would favour some letters.
            let fair = bytes.iter().filter(|byte| **byte < 248);
            let letters = fair.filter_map(|byte| ALPHABET.get(usize::from(byte % 62)));
            body.extend(letters.take(RANDOM_CHARACTERS - body.len()).copied().map(char::from));
        }
        let text = format!("{}{body}{}", space.prefix(), checksum(space, &body));
        Self { space, text }
    }

    /// Generates a new key with its record for the store, which has it under a new id.
    #[must_use]
    pub fn issue(
        space: KeySpace,
        random: &dyn SecureRandom,
        ids: &dyn Ids,
        now: OffsetDateTime,
    ) -> (Self, NewKey) {
        let key = Self::generate(space, random);
        let record = key.record(Id::new(ids, now), now);
        (key, record)
    }

    /// Parses a presented key of the expected space.
    ///
    /// # Errors
    /// [`MalformedKey`] for everything else, so that no look-up is made for it.
    pub fn parse(space: KeySpace, text: &str) -> Result<Self, MalformedKey> {
        let characters = text.strip_prefix(space.prefix()).ok_or(MalformedKey)?;
        let right_length = characters.len() == RANDOM_CHARACTERS + CHECKSUM_CHARACTERS;
        if !right_length || !characters.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(MalformedKey);
        }
        let (body, sum) = characters.split_at_checked(RANDOM_CHARACTERS).ok_or(MalformedKey)?;
        (checksum(space, body) == sum).then(|| Self { space, text: text.to_owned() }).ok_or(MalformedKey)
    }

    /// The key in the clear, to be shown to its holder once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn hash(&self) -> KeyHash {
        let digest = ring::digest::digest(&ring::digest::SHA256, self.text.as_bytes());
        // A SHA-256 has 32 bytes.
        KeyHash(digest.as_ref().first_chunk().copied().unwrap_or_default())
    }

    /// The record to store for this key.
    #[must_use]
    pub fn record(&self, id: KeyId, created_at: OffsetDateTime) -> NewKey {
        let last_four = self.text.get(self.text.len().saturating_sub(4)..).unwrap_or_default();
        NewKey {
            id,
            hash: self.hash(),
            prefix: self.space.prefix(),
            last_four: last_four.to_owned(),
            created_at,
        }
    }
}

impl KeyHash {
    /// The hash's 32 bytes, for the store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(redacted)", self.space.prefix())
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(redacted)")
    }
}

/// CRC-32 over prefix and body, in six base-62 characters (62^6 is more than 2^32).
fn checksum(space: KeySpace, body: &str) -> String {
    let mut crc = crc32fast::Hasher::new();
    crc.update(space.prefix().as_bytes());
    crc.update(body.as_bytes());
    let mut rest = crc.finalize();
    let mut letters = [b'0'; CHECKSUM_CHARACTERS];
    for letter in letters.iter_mut().rev() {
        let digit = usize::try_from(rest % 62).unwrap_or_default();
        *letter = ALPHABET.get(digit).copied().unwrap_or(b'0');
        rest /= 62;
    }
    letters.iter().copied().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::SystemRandom;
    use proptest::prelude::*;

    fn key(space: KeySpace) -> ApiKey {
        ApiKey::generate(space, &SystemRandom::default())
    }

    #[test]
    fn a_key_is_its_prefix_and_32_letters_and_digits() {
        for space in [KeySpace::Account, KeySpace::Partner] {
            let key = key(space);
            let characters = key.reveal().strip_prefix(space.prefix()).unwrap();
            assert_eq!(characters.len(), 32);
            assert!(characters.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            assert_eq!(ApiKey::parse(space, key.reveal()), Ok(key));
        }
    }

    #[test]
    fn a_changed_character_is_refused() {
        let key = key(KeySpace::Account);
        for position in "ct_live_".len()..key.reveal().len() {
            let mut bytes = key.reveal().as_bytes().to_vec();
            bytes[position] = if bytes[position] == b'a' { b'b' } else { b'a' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(ApiKey::parse(KeySpace::Account, &changed), Err(MalformedKey), "{position}");
        }
    }

    #[test]
    fn the_checksum_covers_the_space() {
        let swapped = key(KeySpace::Account).reveal().replace("ct_live_", "ct_partner_");
        assert_eq!(ApiKey::parse(KeySpace::Partner, &swapped), Err(MalformedKey));
    }

    #[test]
    fn debug_output_does_not_contain_the_key() {
        let key = key(KeySpace::Account);
        let secret = &key.reveal()["ct_live_".len()..];
        assert!(!format!("{key:?} {:?}", key.hash()).contains(secret));
    }

    proptest! {
        #[test]
        fn parsed_key_has_the_documented_shape(text in "\\PC{0,60}|ct_(live|partner)_[0-9A-Za-z]{32}|ct_live_\\PC{30,34}") {
            for space in [KeySpace::Account, KeySpace::Partner] {
                if let Ok(key) = ApiKey::parse(space, &text) {
                    prop_assert_eq!(key.reveal(), text.as_str());
                    prop_assert_eq!(text.len(), space.prefix().len() + 32);
                    prop_assert!(text.starts_with(space.prefix()) && text.is_ascii());
                }
            }
        }

        #[test]
        fn key_with_one_changed_byte_is_refused(place in any::<prop::sample::Index>(), byte in any::<u8>(), partner in any::<bool>()) {
            let space = if partner { KeySpace::Partner } else { KeySpace::Account };
            let key = key(space);
            let mut bytes = key.reveal().as_bytes().to_vec();
            let at = place.index(bytes.len());
            bytes[at] = byte;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert_eq!(ApiKey::parse(space, &text).is_ok(), text == key.reveal());
        }
    }
}
