//! Percent-decoding that notices what is not text.
//!
//! The usual decoders put U+FFFD in place of broken UTF-8, so that two different wishes would look alike.

/// The bytes are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotText;

/// The names and values of a query string (WHATWG URL, `application/x-www-form-urlencoded` parsing), decoded.
pub(crate) fn pairs(
    query: &str,
) -> impl Iterator<Item = (Result<String, NotText>, Result<String, NotText>)> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts.map(|part| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> Result<String, NotText> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let coded = (byte == b'%')
            .then(|| Some((hex(ahead.next()?)?, hex(ahead.next()?)?)))
            .flatten();
        match coded {
            Some((high, low)) => {
                decoded.push((high << 4) | low);
                bytes = ahead;
            }
            // A percent sign that codes nothing stands for itself.
            None => decoded.push(if byte == b'+' { b' ' } else { byte }),
        }
    }
    String::from_utf8(decoded).map_err(|_not_utf8| NotText)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}
