//! The second factor: codes of an authenticator (RFC 6238).

use std::fmt;

use data_encoding::BASE32_NOPAD;
use kernel::{AccountId, SealingKeys, SecureRandom, Unsealable};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::hmac;
use subtle::ConstantTimeEq as _;
use time::OffsetDateTime;
use zeroize::Zeroizing;

/// The secret that an authenticator shares with the service: 20 bytes, as RFC 4226 recommends.
#[derive(Clone)]
pub struct TotpSecret(Zeroizing<Vec<u8>>);

/// A secret as it is stored: sealed for its account.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedTotpSecret(pub Vec<u8>);

/// A second factor that is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecondFactor {
    pub secret: SealedTotpSecret,
    pub since: OffsetDateTime,
    /// The time step of the code that was last used: codes of this step and earlier ones are refused.
    pub last_step: i64,
}

/// A time step has 30 seconds.
const STEP_SECONDS: i64 = 30;
/// How many steps the authenticator's clock may be fast or slow.
const TOLERANCE: i64 = 1;
const DIGITS: usize = 6;
const SECRET_BYTES: usize = 20;

/// The unreserved characters of a URI (RFC 3986, section 2.3) stay as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl TotpSecret {
    /// Makes a new secret.
    #[must_use]
    pub fn generate(random: &dyn SecureRandom) -> Self {
        let mut bytes = Zeroizing::new(vec![0; SECRET_BYTES]);
        random.fill(&mut bytes);
        Self(bytes)
    }

    /// Seals the secret for the store.
    #[must_use]
    pub fn seal(
        &self,
        keys: &SealingKeys,
        random: &dyn SecureRandom,
        account: AccountId,
    ) -> SealedTotpSecret {
        SealedTotpSecret(keys.seal(random, &sealing_context(account), &self.0))
    }

    /// The secret as a person types it (RFC 4648, section 6, without padding).
    #[must_use]
    pub fn base32(&self) -> String {
        BASE32_NOPAD.encode(&self.0)
    }

    /// The URI that an authenticator reads from a QR code.
    #[must_use]
    pub fn uri(&self, issuer: &str, email: &str) -> String {
        let (issuer, email) = (utf8_percent_encode(issuer, ENCODED), utf8_percent_encode(email, ENCODED));
        let secret = self.base32();
        format!("otpauth://totp/{issuer}:{email}?secret={secret}&issuer={issuer}&digits=6&period=30")
    }

    /// The time step of the code, if the code is of this secret, valid now, and later than `last_step`.
    #[must_use]
    pub fn step_of(&self, code: &str, last_step: Option<i64>, now: OffsetDateTime) -> Option<i64> {
        let present = now.unix_timestamp().div_euclid(STEP_SECONDS);
        let steps = present.saturating_sub(TOLERANCE)..=present.saturating_add(TOLERANCE);
        // All steps are computed and compared, in constant time.
        let matching = steps.filter(|step| bool::from(self.code(*step).as_bytes().ct_eq(code.as_bytes())));
        let matching = matching.fold(None, |_, step| Some(step));
        matching.filter(|step| last_step.is_none_or(|last| *step > last))
    }

    /// The code of a time step (RFC 4226, section 5.3).
    #[must_use]
    pub fn code(&self, step: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, &self.0);
        let tag = hmac::sign(&key, &step.to_be_bytes());
        let tag = tag.as_ref();
        let offset = usize::from(tag.last().copied().unwrap_or_default() & 0x0f);
        let bytes = tag.get(offset..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
        let number = (u32::from_be_bytes(bytes) & 0x7fff_ffff) % 1_000_000;
        format!("{number:0DIGITS$}")
    }
}

impl SealedTotpSecret {
    /// Opens the sealed secret.
    ///
    /// # Errors
    /// [`Unsealable`] when the secret was sealed under another key or for another account.
    pub fn open(&self, keys: &SealingKeys, account: AccountId) -> Result<TotpSecret, Unsealable> {
        keys.open(&sealing_context(account), &self.0).map(|bytes| TotpSecret(Zeroizing::new(bytes)))
    }
}

/// The context that binds a sealed secret to its row.
fn sealing_context(account: AccountId) -> Vec<u8> {
    [b"login_totp", &account.uuid().as_bytes()[..]].concat()
}

impl fmt::Debug for TotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TotpSecret(redacted)")
    }
}

impl fmt::Debug for SealedTotpSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedTotpSecret(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Id, SystemRandom};
    use uuid::Uuid;

    use super::*;

    /// The secret of RFC 6238, appendix B.
    fn secret() -> TotpSecret {
        TotpSecret(Zeroizing::new(b"12345678901234567890".to_vec()))
    }

    fn at(seconds: i64) -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(seconds).unwrap()
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(secret().code(seconds / 30), code, "{seconds}");
            assert_eq!(secret().step_of(code, None, at(seconds)), Some(seconds / 30));
        }
    }

    #[test]
    fn code_is_taken_one_step_early_or_late_and_never_twice() {
        let (secret, now) = (secret(), at(3_000));
        for (step, is_taken) in [(98, false), (99, true), (100, true), (101, true), (102, false)] {
            assert_eq!(secret.step_of(&secret.code(step), None, now).is_some(), is_taken, "{step}");
        }
        assert_eq!(secret.step_of(&secret.code(100), Some(100), now), None);
        assert_eq!(secret.step_of(&secret.code(99), Some(100), now), None);
        assert_eq!(secret.step_of(&secret.code(101), Some(100), now), Some(101));
        for text in ["", "12345", "1234567", "abcdef"] {
            assert_eq!(secret.step_of(text, None, now), None, "{text}");
        }
    }

    #[test]
    fn secret_is_written_in_base32_for_the_authenticator() {
        let uri = secret().uri("Harbour & Sons", "a+b@example.com");
        assert_eq!(
            uri,
            "otpauth://totp/Harbour%20%26%20Sons:a%2Bb%40example.com?\
             secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Harbour%20%26%20Sons&digits=6&period=30"
        );
    }

    #[test]
    fn sealed_secret_opens_for_its_own_account_only() {
        let keys = SealingKeys::new(&[7; 32], None);
        let [own, other] = [1, 2].map(|n| Id::from_uuid(Uuid::from_u128(n)));
        let sealed = secret().seal(&keys, &SystemRandom::default(), own);
        assert_eq!(sealed.open(&keys, own).unwrap().base32(), secret().base32());
        assert!(sealed.open(&keys, other).is_err());
        assert_eq!(format!("{:?}{sealed:?}", secret()), "TotpSecret(redacted)SealedTotpSecret(redacted)");
    }
}
