//! Passwords: their rules, and their stored hash.

use std::fmt;

use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Argon2, password_hash};
use async_trait::async_trait;
use kernel::SecureRandom;
use zeroize::Zeroizing;

/// A password in the clear. It exists only while it is chosen or presented, and is never stored. It is used
/// unchanged: no character is forbidden, and blanks count.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

/// Why text is refused as a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordFault {
    /// Fewer characters than [`Password::MIN_LENGTH`].
    #[error("must have at least {} characters; a few words are a good password", Password::MIN_LENGTH)]
    TooShort,
    /// More characters than [`Password::MAX_LENGTH`].
    #[error("must have at most {} characters", Password::MAX_LENGTH)]
    TooLong,
}

/// The stored form of a password: an Argon2id hash in the PHC string format, with its salt and its
/// parameters.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(String);

/// Why a password was not hashed or compared.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The hash function failed, for example for lack of memory.
    #[error("a password could not be hashed")]
    Hash(#[source] password_hash::Error),
    /// The hashing task was aborted.
    #[error("the hashing of a password was broken off")]
    BrokenOff,
}

/// Hashes passwords. One hash takes tens of milliseconds of CPU time and 19 MiB of memory.
///
/// An implementation hashes off the serving threads and bounds the number of concurrent hashes.
#[async_trait]
pub trait Passwords: Send + Sync {
    /// Hashes a password for storage.
    async fn hash(&self, password: Password) -> Result<PasswordHash, PasswordError>;

    /// Whether the hash is of this password.
    async fn matches(&self, password: Password, hash: PasswordHash) -> Result<bool, PasswordError>;
}

impl Password {
    /// The fewest characters (NIST SP 800-63B requires at least 8; length matters most).
    pub const MIN_LENGTH: usize = 10;
    /// The most characters, so that hashing has a bounded input.
    pub const MAX_LENGTH: usize = 256;

    /// Checks a new password.
    ///
    /// # Errors
    /// A [`PasswordFault`].
    ///
    /// ```
    /// use access::{Password, PasswordFault};
    ///
    /// assert!(Password::choose("correct horse battery").is_ok());
    /// assert_eq!(Password::choose("hunter2").unwrap_err(), PasswordFault::TooShort);
    /// ```
    pub fn choose(text: &str) -> Result<Self, PasswordFault> {
        let characters = text.chars().count();
        if characters > Self::MAX_LENGTH {
            Err(PasswordFault::TooLong)
        } else if characters < Self::MIN_LENGTH {
            Err(PasswordFault::TooShort)
        } else {
            Ok(Self(Zeroizing::new(text.to_owned())))
        }
    }

    /// Takes a presented password, to compare it with a hash. The rules for new ones do not apply; longer
    /// text than any password is cut, and matches no hash.
    #[must_use]
    pub fn presented(text: &str) -> Self {
        Self(Zeroizing::new(text.chars().take(Self::MAX_LENGTH.saturating_add(1)).collect()))
    }

    /// The password in the clear, for the rules that compare it with other words.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Hashes the password with a new random salt. The parameters are those that OWASP recommends for
    /// Argon2id ("Password Storage Cheat Sheet": 19 MiB, 2 passes, 1 lane).
    pub fn hash(&self, random: &dyn SecureRandom) -> Result<PasswordHash, PasswordError> {
        let mut salt = [0; 16];
        random.fill(&mut salt);
        let hash = Argon2::default().hash_password_with_salt(self.0.as_bytes(), &salt);
        let hash = hash.map_err(PasswordError::Hash)?;
        Ok(PasswordHash(hash.to_string()))
    }
}

impl PasswordHash {
    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A placeholder hash for comparisons if there is no login. Making it costs no hashing (time and 19 MiB),
    /// but comparing with it takes as long as with any other hash.
    #[must_use]
    pub fn of_no_login() -> Self {
        // Sixteen bytes of salt and 32 of hash, all zero, in base64.
        let (salt, hash) = ("A".repeat(22), "A".repeat(43));
        Self(format!("$argon2id$v=19${}${salt}${hash}", costs()))
    }

    /// Whether the hash has other parameters than [`Password::hash`] uses.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        let parameters = costs();
        let mut parts = self.0.split('$').skip(1);
        (parts.next(), parts.next(), parts.next()) != (Some("argon2id"), Some("v=19"), Some(&*parameters))
    }

    /// Whether the hash is of this password, compared in constant time, with the parameters in the hash.
    ///
    /// # Errors
    /// [`PasswordError::Hash`] when the stored text is not a hash.
    pub fn is_of(&self, password: &Password) -> Result<bool, PasswordError> {
        let verified = Argon2::default().verify_password(password.0.as_bytes(), self.as_str());
        match verified {
            Ok(()) => Ok(true),
            Err(password_hash::Error::PasswordInvalid) => Ok(false),
            Err(error) => Err(PasswordError::Hash(error)),
        }
    }
}

/// The parameters of [`Password::hash`], as written in a hash.
fn costs() -> String {
    let used = Argon2::default();
    let costs = used.params();
    format!("m={},t={},p={}", costs.m_cost(), costs.t_cost(), costs.p_cost())
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(redacted)")
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use kernel::SystemRandom;

    use super::*;

    #[test]
    fn a_password_has_ten_to_256_characters() {
        for (text, fault) in [
            ("", PasswordFault::TooShort),
            ("nine char", PasswordFault::TooShort),
            ("ééééééééé", PasswordFault::TooShort),
            (&"a".repeat(257), PasswordFault::TooLong),
        ] {
            assert_eq!(Password::choose(text).unwrap_err(), fault, "{text}");
        }
        for text in ["ten chars.", "éééééééééé", &"a".repeat(256), &"é".repeat(256)] {
            assert!(Password::choose(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn hash_with_other_parameters_is_outdated() {
        let present = Password::choose("correct horse battery").unwrap();
        let present = present.hash(&SystemRandom::default()).unwrap();
        assert!(!present.is_outdated(), "{}", present.as_str());
        for (from, to) in [("m=19456", "m=8192"), ("t=2", "t=1"), ("argon2id", "argon2i"), ("v=19", "v=16")] {
            assert!(PasswordHash::from_stored(present.as_str().replace(from, to)).is_outdated(), "{to}");
        }
    }

    #[test]
    fn hash_without_a_login_is_computed_alike_and_matches_no_password() {
        let none = PasswordHash::of_no_login();
        assert!(!none.is_outdated(), "{}", none.as_str());
        assert!(!none.is_of(&Password::presented("correct horse battery")).unwrap());
        let one = Password::presented("").hash(&SystemRandom::default()).unwrap();
        let lengths = |hash: &PasswordHash| hash.as_str().split('$').map(str::len).collect::<Vec<_>>();
        assert_eq!(lengths(&none), lengths(&one));
    }

    #[test]
    fn hash_matches_one_password_and_does_not_contain_it() {
        let random = SystemRandom::default();
        let password = Password::choose("correct horse battery").unwrap();
        let hash = password.hash(&random).unwrap();
        let costs = "$argon2id$v=19$m=19456,t=2,p=1$";
        assert!(hash.as_str().starts_with(costs), "{}", hash.as_str());
        assert!(hash.is_of(&password).unwrap());
        let other = Password::choose("correct horse battery ").unwrap();
        assert!(!hash.is_of(&other).unwrap());
        assert_ne!(password.hash(&random).unwrap(), hash, "each has its salt");
        assert_eq!(format!("{password:?}{hash:?}"), "Password(redacted)PasswordHash(redacted)");
        let broken = PasswordHash::from_stored("x".to_owned());
        assert!(broken.is_of(&password).is_err());
    }
}
