//! Secret tokens that contain the id of their account: of sessions, of invitations, of password resets, of
//! payment pages, and of links that undo a change.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::random::SecureRandom;
use crate::scope::AccountId;

const ACCOUNT_BYTES: usize = 16;
const RANDOM_BYTES: usize = 32;

/// The account's id and 32 random bytes in URL-safe base64 without padding (RFC 4648, section 5): 64
/// characters. The account's id allows looking up the token within the account.
#[derive(Clone)]
pub struct AccountToken {
    account: AccountId,
    text: Zeroizing<String>,
}

/// The SHA-256 of a token, under which it is stored and looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenHash([u8; 32]);

impl AccountToken {
    /// Makes a new token.
    #[must_use]
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Self {
        let mut secret = Zeroizing::new([0_u8; RANDOM_BYTES]);
        random.fill(&mut *secret);
        let bytes = Zeroizing::new([account.uuid().as_bytes(), secret.as_slice()].concat());
        Self { account, text: Zeroizing::new(URL_SAFE_NO_PAD.encode(&*bytes)) }
    }

    /// Parses a token; `None` for any text that [`AccountToken::generate`] cannot have made.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(text).ok()?);
        let (account, secret) = bytes.split_first_chunk::<ACCOUNT_BYTES>()?;
        let account = AccountId::from_uuid(Uuid::from_bytes(*account));
        (secret.len() == RANDOM_BYTES).then(|| Self { account, text: Zeroizing::new(text.to_owned()) })
    }

    /// A stored token of an account. Only tokens of payment pages are stored in the clear.
    #[must_use]
    pub fn from_stored(account: AccountId, text: String) -> Self {
        Self { account, text: Zeroizing::new(text) }
    }

    /// The account whose id the token contains.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The token as plain text, for the cookie or the mail.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// The hash of the token. The duration of a look-up by hash reveals nothing about the token.
    #[must_use]
    pub fn hash(&self) -> TokenHash {
        TokenHash::of(self.text.as_bytes())
    }
}

impl TokenHash {
    /// The SHA-256 of a secret.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let hash = digest::digest(&digest::SHA256, bytes);
        Self(hash.as_ref().first_chunk().copied().unwrap_or_default())
    }

    /// The hash as the store returns it.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes, for the store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for AccountToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccountToken(redacted)")
    }
}

impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Id, SystemRandom};

    #[test]
    fn token_names_its_account_and_is_read_back() {
        let account: AccountId = Id::from_uuid(Uuid::from_u128(7));
        let random = SystemRandom::default();
        let [one, other] = [(); 2].map(|()| AccountToken::generate(account, &random));
        assert!(one.hash() != other.hash());
        assert_eq!((one.account(), one.reveal().len()), (account, 64));
        let bytes = URL_SAFE_NO_PAD.decode(one.reveal()).unwrap();
        let (named, secret) = bytes.split_at(16);
        assert_eq!((named, secret.len()), (&account.uuid().as_bytes()[..], 32));
        let read = AccountToken::parse(one.reveal()).unwrap();
        assert_eq!((read.account(), read.hash()), (account, one.hash()));
        assert!(!format!("{one:?}{:?}", one.hash()).contains(one.reveal()));
    }

    #[test]
    fn other_text_is_no_token() {
        let token = AccountToken::generate(Id::from_uuid(Uuid::nil()), &SystemRandom::default());
        let token = token.reveal();
        for text in [
            "",
            "x",
            &token[..63],
            &token[..60],
            &format!("{token}A"),
            &format!("{token}AAAA"),
            &format!("{token}="),
            &format!(" {token}"),
            &format!("{}+", &token[..63]),
            &format!("{}/", &token[..63]),
            &format!("{}é", &token[..62]),
            &"é".repeat(32),
            &"=".repeat(64),
        ] {
            assert!(AccountToken::parse(text).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_refused_or_read_as_it_is(text in "[-_A-Za-z0-9+/=]{0,70}|\\PC{0,70}") {
            if let Some(token) = AccountToken::parse(&text) {
                prop_assert_eq!((token.reveal(), text.len()), (text.as_str(), 64));
            }
        }
    }
}
