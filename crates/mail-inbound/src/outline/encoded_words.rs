//! Encoded words in headers (RFC 2047).

use mail_parser::decoders::base64::base64_decode;

/// A header in which adjacent encoded words of one charset are one. The parser decodes each by itself, and
/// some programs split a character between two.
pub(super) fn with_joined_words(header: &[u8]) -> Vec<u8> {
    let Ok(mut rest) = std::str::from_utf8(header) else {
        return header.to_vec();
    };
    let mut written = String::with_capacity(rest.len());
    while let Some((before, from)) = rest.find("=?").and_then(|start| rest.split_at_checked(start)) {
        written.push_str(before);
        let Some((charset, mut quoted, mut after)) = word(from) else {
            written.push_str("=?");
            rest = from.get(2..).unwrap_or_default();
            continue;
        };
        let only = from.strip_suffix(after).unwrap_or_default();
        let alone = after;
        while let Some((_charset, more, next)) =
            word(after.trim_start()).filter(|(next, ..)| next.eq_ignore_ascii_case(charset))
        {
            quoted.push_str(&more);
            after = next;
        }
        if after.len() == alone.len() {
            written.push_str(only);
        } else {
            written.push_str(&format!("=?{charset}?Q?{quoted}?="));
        }
        rest = after;
    }
    written.push_str(rest);
    written.into_bytes()
}

/// The charset of the encoded word at the beginning of a text, its content as in the encoding Q, and what
/// follows.
fn word(text: &str) -> Option<(&str, String, &str)> {
    let (charset, rest) = text.strip_prefix("=?")?.split_once('?')?;
    let (encoding, rest) = rest.split_once('?')?;
    let (content, after) = rest.split_once("?=")?;
    if content.contains(['?', '\r', '\n']) {
        return None;
    }
    let quoted = match encoding {
        "Q" | "q" => content.to_owned(),
        "B" | "b" => base64_decode(content.as_bytes())?.iter().map(|byte| format!("={byte:02X}")).collect(),
        _ => return None,
    };
    Some((charset, quoted, after))
}
