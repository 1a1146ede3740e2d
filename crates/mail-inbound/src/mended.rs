//! Mends mail of which the parser cannot read a part, so that all that can be read of it is read.

use std::collections::HashSet;

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
    let (mut mended, mut copied) = (Vec::with_capacity(raw.len()), 0_usize);
    for part in unread.into_iter().filter(|part| is_base64(part)) {
        let start = usize::try_from(part.offset_body).ok()?;
        let end = usize::try_from(part.offset_end).ok()?;
        mended.extend_from_slice(raw.get(copied..start)?);
        mended.extend(base64_alone(raw.get(start..end)?));
        copied = end;
    }
    mended.extend_from_slice(raw.get(copied..)?);
    let lines = raw.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"--"));
    let ended: HashSet<&[u8]> = lines.map(<[u8]>::trim_ascii_end).collect();
    // The innermost part comes last, and ends first.
    for boundary in message.parts.iter().rev().filter_map(boundary) {
        let end = format!("--{boundary}--");
        if !ended.contains(end.as_bytes()) {
            mended.extend_from_slice(format!("\r\n{end}\r\n").as_bytes());
        }
    }
    Some(mended)
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
