//! The bearer token of a request (RFC 6750, section 2.1).

use access::AccessError;
use actix_web::http::header::{AUTHORIZATION, HeaderMap};

/// The presented token, which need not be a key.
///
/// # Errors
/// [`AccessError::Unauthenticated`] without an `Authorization` header, with several, or with another scheme.
pub(super) fn bearer(headers: &HeaderMap) -> Result<String, AccessError> {
    let mut values = headers.get_all(AUTHORIZATION);
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(AccessError::Unauthenticated);
    };
    // Bytes that are not UTF-8 become U+FFFD, which no key has.
    let text = String::from_utf8_lossy(value.as_bytes());
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() => {
            Ok(token.trim().to_owned())
        }
        _ => Err(AccessError::Unauthenticated),
    }
}
