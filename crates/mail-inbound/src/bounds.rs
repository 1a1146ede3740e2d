//! How much of a raw message is parsed. The parser needs memory and stack for each header, part and nested
//! message, so that a hostile message of a few megabytes could exhaust them.

/// How much of an unusual message is read: its sender, the message that it answers, and the beginning of its
/// text.
const BEGINNING: usize = 64 * 1024;
/// The longest block of headers.
const MAX_HEADER_BYTES: usize = 256 * 1024;
/// The longest line: base64 has 76 characters, and RFC 5322 allows 998.
const MAX_LINE_BYTES: usize = 1024 * 1024;
/// The most lines that may be headers or their continuations, and the most boundaries between parts.
const MAX_LINES: usize = 100_000;
const MAX_BOUNDARIES: usize = 10_000;
/// The most parts that hold other parts or messages.
const MAX_NESTING: usize = 200;

/// The raw message, or its beginning if the whole is too costly to parse.
pub(crate) fn bounded(raw: &[u8]) -> &[u8] {
    if raw.len() > BEGINNING && is_unusual(raw) {
        return raw.get(..BEGINNING).unwrap_or(raw);
    }
    raw
}

fn is_unusual(raw: &[u8]) -> bool {
    let (mut offset, mut in_headers) = (0_usize, true);
    let (mut boundaries, mut nested, mut headers) = (0_usize, 0_usize, 0_usize);
    for line in raw.split(|byte| *byte == b'\n') {
        offset = offset.saturating_add(line.len()).saturating_add(1);
        in_headers = in_headers && !line.trim_ascii().is_empty();
        if line.len() > MAX_LINE_BYTES || (in_headers && offset > MAX_HEADER_BYTES) {
            return true;
        }
        boundaries = boundaries.saturating_add(usize::from(line.starts_with(b"--")));
        headers = headers.saturating_add(usize::from(is_header(line)));
        nested = nested.saturating_add(usize::from(names_a_container(line)));
        if boundaries > MAX_BOUNDARIES || headers > MAX_LINES || nested > MAX_NESTING {
            return true;
        }
    }
    false
}

/// Whether a line may be a header or the continuation of one.
fn is_header(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t')) || line.iter().take(80).any(|b| *b == b':')
}

/// Whether a line names a media type that holds others. Only the beginning of the line is searched, where
/// headers have it.
fn names_a_container(line: &[u8]) -> bool {
    let start = line.get(..line.len().min(200)).unwrap_or(line);
    [&b"message/"[..], b"multipart/"].iter().any(|kind| contains_ignoring_case(start, kind))
}

fn contains_ignoring_case(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}
