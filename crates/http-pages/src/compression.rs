//! Compression of pages and of what they load.

use std::io::{self, Write as _};

use actix_web::http::header::{ACCEPT_ENCODING, HeaderMap};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Whether the caller takes gzip (RFC 9110, section 12.5.3).
pub(crate) fn is_accepted(headers: &HeaderMap) -> bool {
    let takes_gzip = |coding: &str| {
        let mut parts = coding.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        let is_refused = |weight: &str| {
            let weight = weight.strip_prefix("q=").unwrap_or_default();
            !weight.is_empty() && weight.bytes().all(|byte| matches!(byte, b'0' | b'.'))
        };
        is_gzip && !parts.any(is_refused)
    };
    let mut values = headers.get_all(ACCEPT_ENCODING).filter_map(|value| value.to_str().ok());
    values.any(|value| value.split(',').any(takes_gzip))
}

/// The bytes as gzip (RFC 1952).
pub(crate) fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn gzip_is_used_where_it_is_accepted() {
        for (accepted, is_used) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000", false),
            ("br, identity", false),
            ("", false),
        ] {
            let request = TestRequest::default().insert_header((ACCEPT_ENCODING, accepted));
            assert_eq!(is_accepted(request.to_http_request().headers()), is_used, "{accepted}");
        }
    }
}
