//! Where the parts of a multipart begin and end (RFC 2046, section 5.1.1).

/// Whether a multipart has any part.
pub(super) fn has_parts(body: &[u8], boundary: &str) -> bool {
    split(body, boundary).is_some_and(|first| !first.is_end)
}

/// The parts of a multipart (RFC 2046, section 5.1.1). The last one may have no end.
pub(super) fn parts<'r>(body: &'r [u8], boundary: &str) -> impl Iterator<Item = &'r [u8]> {
    let mut rest = split(body, boundary).filter(|first| !first.is_end).map(|first| first.after);
    std::iter::from_fn(move || {
        let here = rest.take()?;
        let Some(next) = split(here, boundary) else {
            return Some(here);
        };
        rest = (!next.is_end).then_some(next.after);
        Some(next.before)
    })
}

/// What is around a delimiter.
struct Split<'r> {
    before: &'r [u8],
    after: &'r [u8],
    /// Whether it ends the multipart.
    is_end: bool,
}

/// Splits at the first delimiter. It may stand behind text: the last line of a part may have no end.
fn split<'r>(body: &'r [u8], boundary: &str) -> Option<Split<'r>> {
    let boundary = boundary.trim_end();
    if boundary.is_empty() {
        return None;
    }
    let delimiter = format!("--{boundary}");
    let mut start = 0_usize;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let end = start.saturating_add(line.len());
        if let Some((text, is_end)) = around(line.trim_ascii_end(), delimiter.as_bytes()) {
            let before = body.get(..start.saturating_add(text))?;
            let before = before.strip_suffix(b"\n").unwrap_or(before);
            let before = before.strip_suffix(b"\r").unwrap_or(before);
            return Some(Split { before, after: body.get(end..)?, is_end });
        }
        start = end;
    }
    None
}

/// How many bytes of text stand before the delimiter in a line, and whether it is the end of the multipart.
/// Something may follow a delimiter that begins the line.
fn around(line: &[u8], delimiter: &[u8]) -> Option<(usize, bool)> {
    if let Some(rest) = line.strip_prefix(delimiter) {
        let marks = rest.trim_ascii_start();
        let after_marks = marks.strip_prefix(b"--");
        let is_apart = |rest: &[u8]| rest.first().is_none_or(u8::is_ascii_whitespace);
        if after_marks.is_some_and(is_apart) {
            return Some((0, true));
        }
        if is_apart(rest) {
            return Some((0, false));
        }
    }
    if let Some(text) = line.strip_suffix(delimiter) {
        return Some((text.len(), false));
    }
    let text = line.strip_suffix(b"--")?.strip_suffix(delimiter)?;
    Some((text.len(), true))
}
