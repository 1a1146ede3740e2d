//! The token that leads to an invoice's payment page.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, SecureRandom};

/// How many bytes of a token are the account's id.
const ACCOUNT_BYTES: usize = 16;
/// How many bytes of a token are random.
const RANDOM_BYTES: usize = 32;

/// The secret part of a payment page's address: the account's id and 256 random bits, in URL-safe base64
/// without padding (RFC 4648, section 5). It has 64 characters.
///
/// The account's id is part of the token so that the invoice is looked up within the account. A token grants
/// access to one invoice only, and is never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct PayToken {
    account: AccountId,
    text: String,
}

/// The text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not the token of a payment page")]
pub struct MalformedPayToken;

impl PayToken {
    /// Creates a token for an invoice of an account.
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Result<Self, RandomnessUnavailable> {
        let mut secret = [0; RANDOM_BYTES];
        random.fill(&mut secret)?;
        let token = [account.uuid().as_bytes(), secret.as_slice()].concat();
        Ok(Self { account, text: URL_SAFE_NO_PAD.encode(token) })
    }

    /// Parses a token from an address. Only the store knows whether an invoice has the token.
    ///
    /// # Errors
    /// [`MalformedPayToken`] for any text that [`PayToken::generate`] cannot have made.
    pub fn parse(text: &str) -> Result<Self, MalformedPayToken> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_fault| MalformedPayToken)?;
        let (account, secret) = bytes.split_first_chunk::<ACCOUNT_BYTES>().ok_or(MalformedPayToken)?;
        if secret.len() != RANDOM_BYTES {
            return Err(MalformedPayToken);
        }
        let account = AccountId::from_uuid(uuid::Uuid::from_bytes(*account));
        Ok(Self { account, text: text.to_owned() })
    }

    /// The token of a stored invoice of an account.
    #[must_use]
    pub const fn from_stored(account: AccountId, text: String) -> Self {
        Self { account, text }
    }

    /// The account of the token's invoice, if there is one.
    #[must_use]
    pub const fn account(&self) -> AccountId {
        self.account
    }

    /// The token as it appears in the address.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for PayToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PayToken(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use kernel::{SystemIds, SystemRandom};
    use proptest::prelude::*;

    use super::*;

    fn account() -> AccountId {
        AccountId::new(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH)
    }

    #[test]
    fn token_names_account_has_256_random_bits_and_is_not_debugged() {
        let random = SystemRandom::default();
        let account = account();
        let [one, other] = [(); 2].map(|()| PayToken::generate(account, &random).unwrap());
        assert_ne!(one, other);
        assert_eq!((one.account(), one.reveal().len()), (account, 64));
        let bytes = URL_SAFE_NO_PAD.decode(one.reveal()).unwrap();
        let (named, secret) = bytes.split_at(16);
        assert_eq!((named, secret.len()), (&account.uuid().as_bytes()[..], 32));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }

    #[test]
    fn generated_token_is_read_back() {
        let token = PayToken::generate(account(), &SystemRandom::default()).unwrap();
        assert_eq!(PayToken::parse(token.reveal()), Ok(token));
    }

    #[test]
    fn malformed_token_is_refused() {
        let token = PayToken::generate(account(), &SystemRandom::default()).unwrap();
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
        ] {
            assert_eq!(PayToken::parse(text), Err(MalformedPayToken), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_refused_or_read_as_it_is(text in "[-_A-Za-z0-9+/=]{0,70}|\\PC{0,70}") {
            if let Ok(token) = PayToken::parse(&text) {
                prop_assert_eq!((token.reveal(), text.len()), (text.as_str(), 64));
            }
        }
    }
}
