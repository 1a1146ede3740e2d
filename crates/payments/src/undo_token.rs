//! The token of the link that undoes a change of bank details.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, SecureRandom};
use ring::digest;
use uuid::Uuid;
use zeroize::Zeroizing;

/// How many bytes of a token are the account's id.
const ACCOUNT_BYTES: usize = 16;
/// How many bytes of a token are random.
const RANDOM_BYTES: usize = 32;

/// The secret of a link that undoes a change: the account's id and 256 random bits, in URL-safe base64
/// without padding (RFC 4648, section 5). Only the mail contains it.
#[derive(Clone)]
pub struct UndoToken {
    account: AccountId,
    text: Zeroizing<String>,
}

/// The SHA-256 of a token, under which the token is stored and looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UndoTokenHash([u8; 32]);

/// The text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the link of a mail about bank details")]
pub struct MalformedUndoToken;

impl UndoToken {
    /// Makes a token for an account.
    ///
    /// # Errors
    /// [`RandomnessUnavailable`].
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Result<Self, RandomnessUnavailable> {
        let mut secret = Zeroizing::new([0; RANDOM_BYTES]);
        random.fill(&mut *secret)?;
        let token = Zeroizing::new([account.uuid().as_bytes(), secret.as_slice()].concat());
        Ok(Self { account, text: Zeroizing::new(URL_SAFE_NO_PAD.encode(&*token)) })
    }

    /// Parses a token from an address.
    ///
    /// # Errors
    /// [`MalformedUndoToken`] for any text that [`UndoToken::generate`] cannot have made.
    pub fn parse(text: &str) -> Result<Self, MalformedUndoToken> {
        let bytes = Zeroizing::new(URL_SAFE_NO_PAD.decode(text).map_err(|_fault| MalformedUndoToken)?);
        let (account, secret) = bytes.split_first_chunk::<ACCOUNT_BYTES>().ok_or(MalformedUndoToken)?;
        if secret.len() != RANDOM_BYTES {
            return Err(MalformedUndoToken);
        }
        let account = AccountId::from_uuid(Uuid::from_bytes(*account));
        Ok(Self { account, text: Zeroizing::new(text.to_owned()) })
    }

    /// The account in the token.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The token in the clear, for the mail.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// The token's hash. The duration of a look-up by hash reveals nothing about the token.
    #[must_use]
    pub fn hash(&self) -> UndoTokenHash {
        let hash = digest::digest(&digest::SHA256, self.text.as_bytes());
        UndoTokenHash(hash.as_ref().first_chunk().copied().unwrap_or_default())
    }
}

impl UndoTokenHash {
    /// The hash from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for UndoToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UndoToken(redacted)")
    }
}

impl fmt::Debug for UndoTokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UndoTokenHash(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemRandom};

    use super::*;

    #[test]
    fn token_names_its_account_and_is_read_back() {
        let account = Id::from_uuid(Uuid::from_u128(7));
        let token = UndoToken::generate(account, &SystemRandom::default()).unwrap();
        let same = UndoToken::parse(token.reveal()).unwrap();
        assert!(same.account() == account && same.hash() == token.hash());
        assert!(!format!("{token:?}").contains(token.reveal()));
        for text in ["", "x", &token.reveal()[..63], &format!("{}A", token.reveal())] {
            assert!(UndoToken::parse(text).is_err(), "{text}");
        }
    }
}
