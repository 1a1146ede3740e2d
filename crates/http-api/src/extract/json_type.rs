//! Reads bodies that are declared as JSON or have no media type.

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use actix_web::web::Bytes;
use http_server::{ApiError, ErrorCode, read_body};

/// Reads a JSON body. The media type is checked before the first byte is read.
pub(super) async fn read_json(headers: &HeaderMap, payload: Payload) -> Result<Bytes, ApiError> {
    if !is_json(headers) {
        return Err(ApiError::plain(ErrorCode::UnsupportedMediaType));
    }
    read_body(headers, payload).await
}

/// Whether the headers declare JSON in UTF-8 without compression, or no media type.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let readable = |text: &str| is_json_type(text);
    let typed = headers.get_all(CONTENT_TYPE).all(|value| value.to_str().is_ok_and(readable));
    let plain =
        headers.get_all(CONTENT_ENCODING).all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity"));
    typed && plain
}

fn is_json_type(text: &str) -> bool {
    let mut parts = text.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
    is_json
        && parts.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                let charset = value.trim().trim_matches('"');
                charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
            }
            // Other parameters have no meaning for JSON (RFC 8259, section 11).
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_in_utf8_is_accepted() {
        for taken in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
            "application/json; v=1",
            "application/json;",
        ] {
            assert!(is_json_type(taken), "{taken}");
        }
        for refused in [
            "",
            "text/plain",
            "text/json",
            "application/json; charset=latin1",
            "application/vnd.api+json",
            "application/problem+json",
            "application/x-www-form-urlencoded",
            "application/jsonp",
            "json",
        ] {
            assert!(!is_json_type(refused), "{refused}");
        }
    }
}
