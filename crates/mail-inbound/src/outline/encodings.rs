//! Encoded bodies, freed of what the parser cannot decode (RFC 2045).

/// Whether the value of a header names the encoding, perhaps in quotes or beside a comment.
pub(super) fn names_encoding(value: &str, name: &str) -> bool {
    let mut pieces = value.split('(');
    let before = pieces.next().into_iter();
    let outside =
        before.chain(pieces.filter_map(|piece| piece.split_once(')')).map(|(_comment, after)| after));
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    outside.flat_map(|text| text.split(is_end)).any(|word| word.eq_ignore_ascii_case(name))
}

/// A body in quoted-printable (RFC 2045, section 6.7), of which the parser would read nothing if it had an
/// equals sign that encodes nothing, and not the end if it ended in a soft line break.
pub(super) fn quoted_printable_alone(body: &[u8]) -> Vec<u8> {
    let trimmed = body.trim_ascii_end();
    let mut pieces = trimmed.strip_suffix(b"=").unwrap_or(body).split(|byte| *byte == b'=');
    let mut written = pieces.next().unwrap_or_default().to_vec();
    for piece in pieces {
        let encodes = piece.get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let line = piece.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let breaks = line.len() < piece.len() && line.trim_ascii().is_empty();
        written.extend_from_slice(if encodes || breaks { b"=" } else { b"=3D" });
        written.extend_from_slice(piece);
    }
    written
}

/// The base64 in a body (RFC 2045, section 6.8): up to its padding, without lines that have blanks within,
/// such as a footer that a server put below, and without other characters.
pub(super) fn base64_alone(body: &[u8]) -> Vec<u8> {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mut kept = Vec::with_capacity(body.len());
    for line in body.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
        if !line.iter().any(u8::is_ascii_whitespace) {
            kept.extend(line.iter().copied().filter(is_digit));
            kept.extend(b"\r\n");
        }
        if line.ends_with(b"=") {
            break;
        }
    }
    kept
}
