//! The token in the reply address of a message.

use std::fmt;

use data_encoding::BASE32_NOPAD;
use kernel::{AccountId, SecureRandom};
use uuid::Uuid;

const ACCOUNT_BYTES: usize = 16;
const RANDOM_BYTES: usize = 16;
/// 32 bytes of 8 bits are 52 characters of 5.
const CHARACTERS: usize = 52;

/// Identifies a message in the reply address `reply+{token}@...`: its account's id and 128 random bits, in
/// base32 (RFC 4648, section 6) in lower case: a mail server may change the case of an address. With `reply+`
/// before it, the local part has 58 of at most 64 characters.
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
    #[must_use]
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Self {
        let mut secret = [0; RANDOM_BYTES];
        random.fill(&mut secret);
        let bytes = [account.uuid().as_bytes(), secret.as_slice()].concat();
        Self { account, text: BASE32_NOPAD.encode(&bytes).to_ascii_lowercase() }
    }

    /// Parses a token in upper or lower case. It does not check that a message has the token.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() != CHARACTERS {
            return None;
        }
        let bytes = BASE32_NOPAD.decode(text.to_ascii_uppercase().as_bytes()).ok()?;
        let (account, _secret) = bytes.split_first_chunk::<ACCOUNT_BYTES>()?;
        let account = AccountId::from_uuid(Uuid::from_bytes(*account));
        Some(Self { account, text: text.to_ascii_lowercase() })
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
        let [one, other] = [(); 2].map(|()| ReplyToken::generate(account, &random));
        assert_ne!(one, other);
        assert_eq!((one.account(), one.reveal().len()), (account, CHARACTERS));
        let address = format!("Reply+{}@IN.example.com", one.reveal().to_uppercase());
        assert_eq!(ReplyToken::in_address(&address), Some(one.clone()));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[test]
    fn address_without_a_whole_token_has_none() {
        let account: AccountId = Id::new(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH);
        let token = ReplyToken::generate(account, &SystemRandom::default());
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
                let bytes = BASE32_NOPAD.decode(text.to_ascii_uppercase().as_bytes()).unwrap();
                prop_assert_eq!(BASE32_NOPAD.encode(&bytes).to_ascii_lowercase(), token.reveal());
            }
        }
    }
}
