//! The token in the reply address of a message.

use std::fmt;

use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, SecureRandom};
use uuid::Uuid;

const ACCOUNT_BYTES: usize = 16;
const RANDOM_BYTES: usize = 16;
/// RFC 4648, section 6, in lower case: a mail server may change the case of an address.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// 32 bytes of 8 bits are 52 characters of 5.
const CHARACTERS: usize = 52;

/// Identifies a message in the reply address `reply+{token}@...`: its account's id and 128 random bits, in
/// base32. With `reply+` before it, the local part has 58 of at most 64 characters.
///
/// The token contains the account's id so that the message is looked up within the account. Unsubscribe links
/// contain a token too. Anyone who has it can reply in the contact's name, so it is never logged.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ReplyToken {
    account: AccountId,
    text: String,
}

impl ReplyToken {
    /// Creates a token for an account.
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Result<Self, RandomnessUnavailable> {
        let mut secret = [0; RANDOM_BYTES];
        random.fill(&mut secret)?;
        let bytes = [account.uuid().as_bytes(), secret.as_slice()].concat();
        Ok(Self { account, text: base32(&bytes) })
    }

    /// Parses a token in upper or lower case. It does not check that a message has the token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let bytes = base32_bytes(&text)?;
        let (account, _secret) = bytes.split_first_chunk::<ACCOUNT_BYTES>()?;
        let account = AccountId::from_uuid(Uuid::from_bytes(*account));
        Some(Self { account, text })
    }

    /// The token in an address `reply+{token}@domain`, whatever the domain and the case.
    #[must_use]
    pub fn in_address(address: &str) -> Option<Self> {
        let (local, _domain) = address.trim().rsplit_once('@')?;
        let (before, token) = local.split_once('+')?;
        before.eq_ignore_ascii_case("reply").then(|| Self::parse(token)).flatten()
    }

    /// A stored token of an account.
    #[must_use]
    pub const fn from_stored(account: AccountId, text: String) -> Self {
        Self { account, text }
    }

    /// The account whose id it contains.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The token as it stands in an address, in lower case.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

fn base32(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(CHARACTERS);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        held = ((held << 8) | u32::from(*byte)) & 0xffff;
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.extend(character(held >> bits));
        }
    }
    if bits > 0 {
        text.extend(character(held << (5 - bits)));
    }
    text
}

fn character(value: u32) -> Option<char> {
    let index = usize::try_from(value & 31).ok()?;
    ALPHABET.get(index).copied().map(char::from)
}

/// The bytes of a text that [`base32`] wrote; `None` for any other text. The bits after the last byte must be
/// zero.
fn base32_bytes(text: &str) -> Option<Vec<u8>> {
    if text.len() != CHARACTERS {
        return None;
    }
    let mut bytes = Vec::with_capacity(ACCOUNT_BYTES + RANDOM_BYTES);
    let (mut held, mut bits) = (0_u32, 0_u32);
    for c in text.bytes() {
        let value = ALPHABET.iter().position(|one| *one == c)?;
        held = ((held << 5) | u32::try_from(value).ok()?) & 0xffff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).ok()?);
        }
    }
    let left_over = held & ((1 << bits) - 1);
    (left_over == 0).then_some(bytes)
}

/// The token itself: for addresses, not for logs.
impl fmt::Display for ReplyToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ReplyToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReplyToken(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemIds, SystemRandom};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn token_names_its_account_in_any_case_and_is_not_debugged() {
        let account: AccountId = Id::new(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH);
        let random = SystemRandom::default();
        let [one, other] = [(); 2].map(|()| ReplyToken::generate(account, &random).unwrap());
        assert_ne!(one, other);
        assert_eq!((one.account(), one.reveal().len()), (account, CHARACTERS));
        let address = format!("Reply+{}@IN.example.com", one.reveal().to_uppercase());
        assert_eq!(ReplyToken::in_address(&address), Some(one.clone()));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[test]
    fn address_without_a_whole_token_has_none() {
        let account: AccountId = Id::new(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH);
        let token = ReplyToken::generate(account, &SystemRandom::default()).unwrap();
        let token = token.reveal();
        for address in [
            String::new(),
            "reply@in.example.com".to_owned(),
            format!("reply+{token}"),
            format!("bounce+{token}@in.example.com"),
            format!("reply+{token}a@in.example.com"),
            format!("reply+{}@in.example.com", &token[1..]),
            format!("reply+{}1@in.example.com", &token[1..]),
            format!("reply+{}é@in.example.com", &token[2..]),
        ] {
            assert_eq!(ReplyToken::in_address(&address), None, "{address}");
        }
    }

    proptest! {
        #[test]
        fn parsed_token_is_written_the_same(text in "[a-zA-Z2-7]{52}|\\PC{0,60}") {
            if let Some(token) = ReplyToken::parse(&text) {
                let bytes = base32_bytes(token.reveal()).unwrap();
                prop_assert_eq!(base32(&bytes), text.to_ascii_lowercase());
            }
        }
    }
}
