//! The signature of a delivery: made by the service, verified by receivers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use crate::secret::SigningSecret;

/// The header that carries the signature.
pub const SIGNATURE_HEADER: &str = "Service-Signature";

/// The value of every delivery's `User-Agent` header.
pub const USER_AGENT: &str = "Service-Webhooks/1.0";

/// The delivery was not signed with this secret, or its body is not the signed one. Do not act on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the signature does not fit the body")]
pub struct WrongSignature;

/// Signs a body: HMAC-SHA256 (RFC 2104) of its bytes, keyed with the secret's characters, in standard base64
/// (contract, "Signature").
///
/// ```
/// use webhooks::{SigningSecret, sign};
///
/// let secret = SigningSecret::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE").unwrap();
/// assert_eq!(sign(&secret, br#"{"events":[]}"#), "RxDr0+G9ruAyz/m1UO3XwMejwlh6O/luu9P6Fg78gPg=");
/// ```
#[must_use]
pub fn sign(secret: &SigningSecret, body: &[u8]) -> String {
    STANDARD.encode(hmac::sign(&key(secret), body))
}

/// Verifies a received delivery in constant time: `body` is the raw body as received, and `header` the text
/// of [`SIGNATURE_HEADER`].
///
/// # Errors
/// [`WrongSignature`]; then respond with a status such as 401, and do nothing else.
///
/// ```
/// use webhooks::{SigningSecret, sign, verify};
///
/// let secret = SigningSecret::parse("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE").unwrap();
/// let header = sign(&secret, b"body");
/// assert!(verify(&secret, b"body", &header).is_ok());
/// assert!(verify(&secret, b"another body", &header).is_err());
/// ```
pub fn verify(secret: &SigningSecret, body: &[u8], header: &str) -> Result<(), WrongSignature> {
    let tag = STANDARD.decode(header.trim()).map_err(|_not_base64| WrongSignature)?;
    hmac::verify(&key(secret), body, &tag).map_err(|_differs| WrongSignature)
}

fn key(secret: &SigningSecret) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECRET: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE";

    proptest! {
        #[test]
        fn no_other_header_is_a_signature(header in "\\PC{0,60}|[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/=]{0,90}", body in prop::collection::vec(any::<u8>(), 0..60)) {
            let secret = SigningSecret::parse(SECRET).unwrap();
            prop_assert_eq!(verify(&secret, &body, &header), Err(WrongSignature));
        }

        #[test]
        fn a_signature_fits_its_own_body_and_no_other(
            body in prop::collection::vec(any::<u8>(), 0..200), place in any::<prop::sample::Index>(), bit in 0..8_u8,
        ) {
            let secret = SigningSecret::parse(SECRET).unwrap();
            let header = sign(&secret, &body);
            prop_assert_eq!(verify(&secret, &body, &header), Ok(()));
            let mut changed = body.clone();
            changed.push(0);
            prop_assert_eq!(verify(&secret, &changed, &header), Err(WrongSignature));
            let mut text = header.into_bytes();
            let at = place.index(text.len());
            text[at] ^= 1 << bit;
            let wrong = String::from_utf8_lossy(&text).into_owned();
            prop_assert_eq!(verify(&secret, &body, &wrong), Err(WrongSignature));
        }
    }

    #[test]
    fn what_is_no_signature_is_refused() {
        let secret = SigningSecret::parse(SECRET).unwrap();
        for header in ["", "!", "AAAA", &format!("sha256={}", sign(&secret, b"x"))] {
            assert_eq!(verify(&secret, b"x", header), Err(WrongSignature));
        }
    }
}
