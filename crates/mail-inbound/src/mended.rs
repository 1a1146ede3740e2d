//! Mends mail of which the parser cannot read a part, so that all that can be read of it is read.

use mail_parser::{Message, MessagePart, MimeHeaders};

/// The message with its base64 freed of what is none (RFC 2045, section 6.8), such as a footer that a server
/// put below, and with the ends of its parts. `None` if the parser could read all of it.
pub(crate) fn mended(message: &Message<'_>) -> Option<Vec<u8>> {
    let raw: &[u8] = &message.raw_message;
    let unread = message.parts.iter().filter(|part| part.is_encoding_problem);
    let mut unread: Vec<&MessagePart<'_>> = unread.collect();
    if unread.is_empty() {
        return None;
    }
    unread.sort_by_key(|part| part.offset_body);
    let boundaries: Vec<&str> = message.parts.iter().filter_map(boundary).collect();
    let (mut mended, mut copied) = (Vec::with_capacity(raw.len()), 0_usize);
    for part in unread.into_iter().filter(|part| is_base64(part)) {
        let start = usize::try_from(part.offset_body).ok()?;
        let end = usize::try_from(part.offset_end).ok()?;
        // Without its own end it goes on over the parts that follow.
        let lines = raw.get(start..end)?.split_inclusive(|byte| *byte == b'\n');
        let own = lines.take_while(|line| delimiter(line, &boundaries).is_none());
        let end = start.saturating_add(own.map(<[u8]>::len).sum());
        mended.extend_from_slice(raw.get(copied..start)?);
        mended.extend(base64_alone(raw.get(start..end)?));
        copied = end;
    }
    mended.extend_from_slice(raw.get(copied..)?);
    Some(with_ends(&mended, &boundaries))
}

/// A mail with the ends of its multiparts that have none: before the next part of the one around it.
fn with_ends(mail: &[u8], boundaries: &[&str]) -> Vec<u8> {
    let mut ended = Vec::with_capacity(mail.len());
    let mut open: Vec<&str> = Vec::new();
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        if let Some((boundary, is_end)) = delimiter(line, boundaries) {
            if let Some(at) = open.iter().position(|one| *one == boundary) {
                close(&mut ended, open.drain(at.saturating_add(1)..));
                open.truncate(if is_end { at } else { at.saturating_add(1) });
            } else if !is_end {
                open.push(boundary);
            }
        }
        ended.extend_from_slice(line);
    }
    close(&mut ended, open.drain(..));
    ended
}

/// The innermost ends first.
fn close<'a>(mail: &mut Vec<u8>, boundaries: impl DoubleEndedIterator<Item = &'a str>) {
    for boundary in boundaries.rev() {
        mail.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    }
}

/// The boundary of which a line is, and whether it is its end.
fn delimiter<'a>(line: &[u8], boundaries: &[&'a str]) -> Option<(&'a str, bool)> {
    let name = line.strip_prefix(b"--")?.trim_ascii_end();
    let is = |boundary: &&&str| name == boundary.as_bytes();
    let of = |boundary: &&&str| name.strip_suffix(b"--").is_some_and(|name| name == boundary.as_bytes());
    let begun = boundaries.iter().find(is).map(|boundary| (*boundary, false));
    begun.or_else(|| boundaries.iter().find(of).map(|boundary| (*boundary, true)))
}

fn is_base64(part: &MessagePart<'_>) -> bool {
    part.content_transfer_encoding().is_some_and(|encoding| encoding.eq_ignore_ascii_case("base64"))
}

fn boundary<'a>(part: &'a MessagePart<'_>) -> Option<&'a str> {
    part.content_type().filter(|kind| kind.ctype().eq_ignore_ascii_case("multipart"))?.attribute("boundary")
}

/// The base64 in a body: up to its padding, without lines that have blanks within, and without other
/// characters.
fn base64_alone(body: &[u8]) -> Vec<u8> {
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
