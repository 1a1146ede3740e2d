//! Whether a body says that it is JSON.

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

/// Whether a body may be read as JSON: it says nothing of its type, or that it is JSON, in UTF-8 and not compressed.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let readable = |text: &str| is_json_type(text);
    let typed = headers
        .get_all(CONTENT_TYPE)
        .all(|value| value.to_str().is_ok_and(readable));
    let plain = headers
        .get_all(CONTENT_ENCODING)
        .all(|value| value.as_bytes().eq_ignore_ascii_case(b"identity"));
    typed && plain
}

fn is_json_type(text: &str) -> bool {
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
    let suffixed = essence
        .strip_prefix("application/")
        .and_then(|kind| kind.strip_suffix("+json"));
    let json = essence == "application/json" || suffixed.is_some_and(|kind| !kind.is_empty());
    json && parts.all(|parameter| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            let charset = value.trim().trim_matches('"');
            charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
        }
        // Other parameters say nothing of how to read it (RFC 8259, section 11).
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_utf8_is_taken_and_nothing_else() {
        for taken in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
            "application/vnd.api+json; v=1",
            "application/json;",
        ] {
            assert!(is_json_type(taken), "{taken}");
        }
        for refused in [
            "",
            "text/plain",
            "text/json",
            "application/json; charset=latin1",
            "application/+json",
            "application/x-www-form-urlencoded",
            "application/jsonp",
            "json",
        ] {
            assert!(!is_json_type(refused), "{refused}");
        }
    }
}
