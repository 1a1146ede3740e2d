//! The token that leads to an invoice's payment page.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::random::RandomnessUnavailable;
use kernel::{AccountId, SecureRandom};

/// The secret part of a payment page's address: the account's id and 128 random bits, in URL-safe base64 (RFC
/// 4648, section 5).
///
/// The account's id is in it so that the invoice is looked up within the account. A token grants access to
/// its invoice alone.
#[derive(Clone, PartialEq, Eq)]
pub struct PayToken(String);

impl PayToken {
    /// Creates a token for an invoice of an account.
    ///
    /// # Errors
    /// [`RandomnessUnavailable`] when the operating system gives no random bytes.
    pub fn generate(account: AccountId, random: &dyn SecureRandom) -> Result<Self, RandomnessUnavailable> {
        let mut secret = [0; 16];
        random.fill(&mut secret)?;
        let token = [*account.uuid().as_bytes(), secret].concat();
        Ok(Self(URL_SAFE_NO_PAD.encode(token)))
    }

    /// The token from the store.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The token as it stands in the address.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
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

    use super::*;

    #[test]
    fn token_names_account_has_128_random_bits_and_is_not_debugged() {
        let random = SystemRandom::default();
        let account = AccountId::new(&SystemIds::default(), time::OffsetDateTime::UNIX_EPOCH);
        let [one, other] = [(); 2].map(|()| PayToken::generate(account, &random).unwrap());
        assert_ne!(one, other);
        let bytes = URL_SAFE_NO_PAD.decode(one.reveal()).unwrap();
        let (named, secret) = bytes.split_at(16);
        assert_eq!((named, secret.len()), (&account.uuid().as_bytes()[..], 16));
        assert!(!format!("{one:?}").contains(one.reveal()));
    }
}
