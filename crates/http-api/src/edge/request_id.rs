//! The id of a request, by which caller and operator find it in their logs.

use actix_web::http::header::{HeaderMap, HeaderName};

use crate::state::AppState;

/// The header, of requests and of answers.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const LONGEST: usize = 128;

/// The caller's own id if it is sane, else a new one. What could not stand in a log line or a file name is not sane.
pub(crate) fn request_id(state: &AppState, headers: &HeaderMap) -> String {
    let mut sent = headers.get_all(X_REQUEST_ID);
    let own = match (sent.next(), sent.next()) {
        (Some(value), None) => value.to_str().ok().filter(|text| is_sane(text)),
        _ => None,
    };
    own.map_or_else(
        || state.invoicing.ids.uuid_at(state.clock.now()).to_string(),
        str::to_owned,
    )
}

fn is_sane(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sane_ids_are_kept() {
        for sane in ["a", "A.b_c-9", &"x".repeat(128)] {
            assert!(is_sane(sane), "{sane}");
        }
        for insane in ["", "a b", "a/b", "é", "a\"b", &"x".repeat(129)] {
            assert!(!is_sane(insane), "{insane}");
        }
    }
}
