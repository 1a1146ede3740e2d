//! Signing secrets.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::sealing::Unsealable;
use kernel::{AccountId, SealingKeys, SecureRandom};
use zeroize::Zeroizing;

use crate::endpoint::EndpointId;

/// An endpoint's signing secret: 43 URL-safe characters, shown once (contract, "Registering endpoints", 3).
///
/// The signature's key is the characters themselves, not the bytes that they encode (decisions, "Webhooks").
#[derive(Clone)]
pub struct SigningSecret(Zeroizing<String>);

/// The text is not a signing secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be the 43 characters of a signing secret, as they were shown when the endpoint was made")]
pub struct NotASecret;

/// A signing secret as stored: sealed for its endpoint's row.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(pub Vec<u8>);

impl SigningSecret {
    /// How many characters a secret has.
    pub const CHARACTERS: usize = 43;

    /// Makes a new secret of 32 random bytes.
    #[must_use]
    pub fn generate(random: &dyn SecureRandom) -> Self {
        let mut bytes = Zeroizing::new([0_u8; 32]);
        random.fill(&mut *bytes);
        Self(Zeroizing::new(URL_SAFE_NO_PAD.encode(*bytes)))
    }

    /// Parses a secret as it was shown; surrounding blanks are dropped.
    ///
    /// # Errors
    /// [`NotASecret`] for anything but 43 URL-safe characters.
    pub fn parse(text: &str) -> Result<Self, NotASecret> {
        let text = text.trim();
        let url_safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let right = text.len() == Self::CHARACTERS && text.bytes().all(url_safe);
        right.then(|| Self(Zeroizing::new(text.to_owned()))).ok_or(NotASecret)
    }

    /// The characters in the clear, for the one response that shows them and for the signature.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The secret, sealed so that it can be opened only in its endpoint's row.
    #[must_use]
    pub fn seal(
        &self,
        keys: &SealingKeys,
        random: &dyn SecureRandom,
        account: AccountId,
        endpoint: EndpointId,
    ) -> SealedSecret {
        let context = sealing_context(account, endpoint);
        SealedSecret(keys.seal(random, &context, self.0.as_bytes()))
    }
}

impl SealedSecret {
    /// The secret of this endpoint.
    ///
    /// # Errors
    /// [`Unsealable`] when the keys do not match, or the row was changed.
    pub fn open(
        &self,
        keys: &SealingKeys,
        account: AccountId,
        endpoint: EndpointId,
    ) -> Result<SigningSecret, Unsealable> {
        let bytes = Zeroizing::new(keys.open(&sealing_context(account, endpoint), &self.0)?);
        let text = std::str::from_utf8(&bytes).map_err(|_not_text| Unsealable)?;
        SigningSecret::parse(text).map_err(|NotASecret| Unsealable)
    }
}

/// The associated data that binds a sealed secret to its row.
fn sealing_context(account: AccountId, endpoint: EndpointId) -> Vec<u8> {
    let mut context = b"webhook_endpoints".to_vec();
    context.extend(account.uuid().as_bytes());
    context.extend(endpoint.uuid().as_bytes());
    context
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret(redacted)")
    }
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedSecret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::{Id, SystemRandom};
    use proptest::prelude::*;
    use uuid::Uuid;

    #[test]
    fn a_secret_is_43_url_safe_characters_and_no_two_are_alike() {
        let random = SystemRandom::default();
        let made = [(); 100].map(|()| SigningSecret::generate(&random));
        for secret in &made {
            assert_eq!(SigningSecret::parse(secret.reveal()).unwrap().reveal(), secret.reveal());
        }
        assert_ne!(made[0].reveal(), made[1].reveal());
        assert_eq!(format!("{:?}", made[0]), "SigningSecret(redacted)");
        for bad in ["", &"a".repeat(42), &"a".repeat(44), &"+".repeat(43)] {
            assert!(SigningSecret::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_sealed_secret_opens_for_its_own_endpoint_alone() {
        let (keys, random) = (SealingKeys::new(&[3; 32], None), SystemRandom::default());
        let [account, other] = [1, 2].map(|n| Id::from_uuid(Uuid::from_u128(n)));
        let [endpoint, another] = [3, 4].map(|n| Id::from_uuid(Uuid::from_u128(n)));
        let secret = SigningSecret::generate(&random);
        let sealed = secret.seal(&keys, &random, account, endpoint);
        let opened = sealed.open(&keys, account, endpoint).unwrap();
        assert_eq!(opened.reveal(), secret.reveal());
        assert!(sealed.open(&keys, other, endpoint).is_err());
        assert!(sealed.open(&keys, account, another).is_err());
        let text = secret.reveal().as_bytes();
        assert!(!sealed.0.windows(text.len()).any(|part| part == text));
    }

    proptest! {
        #[test]
        fn whatever_is_read_as_a_secret_has_its_shape(text in "\\PC{0,60}|[A-Za-z0-9_-]{42,44}| ?[ -~]{43} ?") {
            if let Ok(secret) = SigningSecret::parse(&text) {
                prop_assert_eq!(secret.reveal(), text.trim());
                prop_assert!(secret.reveal().len() == 43 && secret.reveal().is_ascii());
            }
        }

        #[test]
        fn no_damage_to_a_sealed_secret_goes_unnoticed(place in any::<prop::sample::Index>(), bit in 0..8_u8, cut in any::<bool>()) {
            let (keys, random) = (SealingKeys::new(&[3; 32], None), SystemRandom::default());
            let [account, endpoint] = [1, 2].map(Uuid::from_u128);
            let (account, endpoint) = (Id::from_uuid(account), Id::from_uuid(endpoint));
            let secret = SigningSecret::generate(&random);
            let mut sealed = secret.seal(&keys, &random, account, endpoint);
            let at = place.index(sealed.0.len());
            if cut {
                sealed.0.truncate(at);
            } else {
                sealed.0[at] ^= 1 << bit;
            }
            prop_assert!(sealed.open(&keys, account, endpoint).is_err());
        }
    }
}
