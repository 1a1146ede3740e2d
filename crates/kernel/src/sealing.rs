//! Sealing of secrets that must be read back from the database: AES-256-GCM (NIST SP 800-38D) under a key
//! outside the database.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest;

use crate::random::SecureRandom;

/// The format byte of stored secrets: this byte, the key's version, the nonce, then the ciphertext with its
/// tag.
const FORMAT: u8 = 1;
const VERSION_BYTES: usize = 4;

/// The keys that seal secrets: the present one, and the previous one until every secret has been resealed.
///
/// ```
/// use kernel::{SealingKeys, SystemRandom};
///
/// let keys = SealingKeys::new(&[7; 32], None);
/// let sealed = keys.seal(&SystemRandom::default(), b"row 1", b"secret");
/// assert_eq!(keys.open(b"row 1", &sealed).unwrap(), b"secret");
/// assert!(keys.open(b"row 2", &sealed).is_err());
/// ```
pub struct SealingKeys {
    current: SealingKey,
    previous: Option<SealingKey>,
}

struct SealingKey {
    version: [u8; VERSION_BYTES],
    key: LessSafeKey,
}

/// A stored secret cannot be opened: it was sealed under another key or for another context, or it was
/// changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a sealed secret cannot be opened: the master key is not the one that it was sealed under, or the row was changed"
)]
pub struct Unsealable;

impl SealingKeys {
    /// Takes keys of 32 secret bytes each. The version of a key is derived from the key.
    #[must_use]
    pub fn new(current: &[u8; 32], previous: Option<&[u8; 32]>) -> Self {
        Self { current: SealingKey::new(current), previous: previous.map(SealingKey::new) }
    }

    /// Seals a secret under the present key. `context` says where it is stored, such as the row's id;
    /// it opens only with the same `context`.
    ///
    /// # Panics
    /// When no nonce can be generated ([`SecureRandom::fill`]), and for a secret of 64 GiB or more.
    #[must_use]
    pub fn seal(&self, random: &dyn SecureRandom, context: &[u8], secret: &[u8]) -> Vec<u8> {
        // 96 random bits for each nonce: with the few secrets of a service, nonces do not repeat (SP 800-38D,
        // section 8.3).
        let mut nonce = [0; NONCE_LEN];
        random.fill(&mut nonce);
        let mut text = secret.to_vec();
        let sealed = self.current.key.seal_in_place_append_tag(
            Nonce::assume_unique_for_key(nonce),
            Aad::from(context),
            &mut text,
        );
        assert!(sealed.is_ok(), "AES-GCM seals less than 64 GiB");
        [&self.present_key_prefix()[..], &nonce, &text].concat()
    }

    /// Opens a secret that was sealed for this context, under the present or the previous key.
    pub fn open(&self, context: &[u8], stored: &[u8]) -> Result<Vec<u8>, Unsealable> {
        let (version, rest) = split(stored).ok_or(Unsealable)?;
        let (nonce, text) = rest.split_first_chunk::<NONCE_LEN>().ok_or(Unsealable)?;
        let key = self.key(version).ok_or(Unsealable)?;
        let mut text = text.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened =
            key.key.open_in_place(nonce, Aad::from(context), &mut text).map_err(|_not_ours| Unsealable)?;
        Ok(opened.to_vec())
    }

    /// The first bytes of secrets sealed under the present key: format byte and key version.
    #[must_use]
    pub fn present_key_prefix(&self) -> Vec<u8> {
        [&[FORMAT][..], &self.current.version].concat()
    }

    fn key(&self, version: &[u8]) -> Option<&SealingKey> {
        let keys = [Some(&self.current), self.previous.as_ref()];
        keys.into_iter().flatten().find(|key| key.version == *version)
    }
}

fn split(stored: &[u8]) -> Option<(&[u8], &[u8])> {
    let (format, rest) = stored.split_first()?;
    (*format == FORMAT).then(|| rest.split_at_checked(VERSION_BYTES)).flatten()
}

impl SealingKey {
    fn new(secret: &[u8; 32]) -> Self {
        let hash = digest::digest(&digest::SHA256, secret);
        let version = hash.as_ref().first_chunk().copied().unwrap_or_default();
        let Ok(key) = UnboundKey::new(&AES_256_GCM, secret) else {
            unreachable!("an AES-256 key has 32 bytes, and 32 bytes are given")
        };
        Self { version, key: LessSafeKey::new(key) }
    }
}

impl std::fmt::Debug for SealingKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealingKeys(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemRandom;

    #[test]
    fn a_secret_opens_only_unchanged_and_in_its_context() {
        let keys = SealingKeys::new(&[7; 32], None);
        let random = SystemRandom::default();
        let sealed = keys.seal(&random, b"row", b"secret");
        assert_eq!(keys.open(b"row", &sealed).unwrap(), b"secret");
        assert_eq!(keys.open(b"other", &sealed), Err(Unsealable));
        for position in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[position] ^= 1;
            assert_eq!(keys.open(b"row", &changed), Err(Unsealable), "{position}");
            assert_eq!(keys.open(b"row", &sealed[..position]), Err(Unsealable));
        }
        let again = keys.seal(&random, b"row", b"secret");
        assert_ne!(again, sealed, "no nonce is used twice");
        assert!(!format!("{keys:?}").contains('7'));
    }

    #[test]
    fn the_previous_key_opens_and_does_not_seal() {
        let random = SystemRandom::default();
        let old = SealingKeys::new(&[1; 32], None);
        let both = SealingKeys::new(&[2; 32], Some(&[1; 32]));
        let new = SealingKeys::new(&[2; 32], None);
        let sealed = old.seal(&random, b"row", b"secret");
        assert_eq!(both.open(b"row", &sealed).unwrap(), b"secret");
        assert_eq!(new.open(b"row", &sealed), Err(Unsealable));
        let anew = both.seal(&random, b"row", b"secret");
        assert!(anew.starts_with(&new.present_key_prefix()));
        assert!(!sealed.starts_with(&new.present_key_prefix()));
        assert_eq!(new.open(b"row", &anew).unwrap(), b"secret");
        assert_eq!(old.open(b"row", &anew), Err(Unsealable));
    }
}
