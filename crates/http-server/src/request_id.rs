//! The id of a request, by which caller and operator find it in their logs.

use actix_web::http::header::{HeaderMap, HeaderName};

use crate::state::ServerState;

/// The header of requests and of answers.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const MAX_LENGTH: usize = 128;

/// The caller's own id if it is safe to log and to use in a file name, else a new one.
pub(crate) fn request_id(state: &ServerState, headers: &HeaderMap) -> String {
    let mut sent = headers.get_all(X_REQUEST_ID);
    let own = match (sent.next(), sent.next()) {
        (Some(value), None) => value.to_str().ok().filter(|text| is_safe(text)),
        _ => None,
    };
    own.map_or_else(|| state.ids.uuid_at(state.clock.now()).to_string(), str::to_owned)
}

fn is_safe(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_id_with_unsafe_characters_is_replaced() {
        for safe in ["a", "A.b_c-9", &"x".repeat(128)] {
            assert!(is_safe(safe), "{safe}");
        }
        for unsafe_id in ["", "a b", "a/b", "é", "a\"b", &"x".repeat(129)] {
            assert!(!is_safe(unsafe_id), "{unsafe_id}");
        }
    }
}
