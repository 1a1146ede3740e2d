//! The token that leads to an invoice's payment page.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::SecureRandom;
use kernel::random::RandomnessUnavailable;

/// An unguessable name of the payment page: 32 random bytes in URL-safe base64 (RFC 4648, section 5).
///
/// Whoever has it sees the invoice, as whoever has the mail does; it opens nothing else.
#[derive(Clone, PartialEq, Eq)]
pub struct PayToken(String);

impl PayToken {
    /// Makes a new token.
    ///
    /// # Errors
    /// [`RandomnessUnavailable`] when the operating system gives no random bytes.
    pub fn generate(random: &dyn SecureRandom) -> Result<Self, RandomnessUnavailable> {
        let mut bytes = [0; 32];
        random.fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
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
    use kernel::SystemRandom;

    use super::*;

    #[test]
    fn a_token_is_32_bytes_of_chance_and_is_not_shown() {
        let random = SystemRandom::default();
        let [one, other] = [(); 2].map(|()| PayToken::generate(&random).unwrap());
        assert_ne!(one, other);
        assert_eq!(URL_SAFE_NO_PAD.decode(one.reveal()).unwrap().len(), 32);
        assert!(!format!("{one:?}").contains(one.reveal()));
    }
}
