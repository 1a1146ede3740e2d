//! The part of a raw message that is read, written anew.
//!
//! The parser needs stack for each nested message, memory for each level of nesting, and time for each
//! multipart whose boundary does not come. A sender chooses all three, and can spell media types in many
//! ways. Therefore the parser gets a message that was written here: it has few parts and levels, its
//! boundaries cannot be known to the sender, and a nested message consists of its headers. The parser's own
//! function reads each block of headers, so that both see the same media types.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Header, HeaderName, Message, MessageParser, MimeHeaders as _};

/// The longest block of headers that is read. What follows up to the empty line is left out.
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// The longest block of headers of a part.
const MAX_PART_HEADER_BYTES: usize = 16 * 1024;
/// The most parts. Mail with more is read up to there.
const MAX_PARTS: usize = 200;
/// The most multiparts around a part.
const MAX_DEPTH: usize = 10;

/// The headers of a raw message.
pub(crate) fn headers_of(raw: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse_headers(raw.get(..MAX_HEADER_BYTES).unwrap_or(raw))
}

/// A message with the headers of the raw one and of its parts, its text, and its delivery reports. Other
/// bodies are empty.
pub(crate) fn outline(raw: &[u8]) -> Vec<u8> {
    let mut outline =
        Outline { written: Vec::new(), secret: RandomState::new().build_hasher().finish(), parts: 0 };
    outline.part(&Part::of(raw, MAX_HEADER_BYTES), 0);
    outline.written
}

/// A part, or the message itself.
struct Part<'r> {
    raw: &'r [u8],
    headers: Option<Message<'r>>,
    body: &'r [u8],
}

/// What is written of a part.
enum Kind {
    /// Its parts, in a multipart of this subtype, between lines with this boundary.
    Multipart(&'static str, String),
    /// The headers of the message in it.
    Message,
    /// All of it: text, or a report.
    Text,
    /// Its headers.
    Other,
    /// Its headers without its media type: a multipart that cannot be read.
    Unreadable,
}

impl<'r> Part<'r> {
    fn of(raw: &'r [u8], max_header_bytes: usize) -> Self {
        let headers = MessageParser::default().parse_headers(raw.get(..max_header_bytes).unwrap_or(raw));
        let end =
            headers.as_ref().and_then(|message| message.headers().last()).map_or(0, |last| last.offset_end);
        let mut start = usize::try_from(end).unwrap_or(raw.len());
        let rest = raw.get(start..).unwrap_or_default();
        for line in rest.split_inclusive(|byte| *byte == b'\n') {
            start = start.saturating_add(line.len());
            if line.trim_ascii().is_empty() {
                break;
            }
        }
        Self { raw, headers, body: raw.get(start..).unwrap_or_default() }
    }

    fn content_type(&self) -> Option<&ContentType<'_>> {
        self.headers.as_ref()?.content_type()
    }

    fn has_encoding(&self, name: &str) -> bool {
        let given = self.headers.as_ref().and_then(|message| message.content_transfer_encoding());
        given.is_some_and(|given| given.eq_ignore_ascii_case(name))
    }

    fn kind(&self, depth: usize) -> Kind {
        let Some(given) = self.content_type() else {
            return Kind::Text;
        };
        let subtype = given.subtype().unwrap_or_default();
        let is = |name: &str| subtype.eq_ignore_ascii_case(name);
        match given.ctype().to_ascii_lowercase().as_str() {
            "multipart" => match given.attribute("boundary") {
                Some(boundary) if depth < MAX_DEPTH && has_parts(self.body, boundary) => {
                    let known = ["alternative", "related", "digest"].into_iter().find(|name| is(name));
                    Kind::Multipart(known.unwrap_or("mixed"), boundary.to_owned())
                }
                _ => Kind::Unreadable,
            },
            "message" if is("rfc822") || is("global") => Kind::Message,
            "message" | "text" => Kind::Text,
            _ => Kind::Other,
        }
    }
}

struct Outline {
    written: Vec<u8>,
    /// What makes the boundaries unknown to the sender.
    secret: u64,
    /// How many parts were written.
    parts: usize,
}

impl Outline {
    fn part(&mut self, part: &Part<'_>, depth: usize) {
        match part.kind(depth) {
            Kind::Multipart(subtype, boundary) => {
                self.headers(part, |name| !is_mime(name));
                self.multipart(part, subtype, &boundary, depth);
            }
            Kind::Message => {
                self.headers(part, |name| !is_mime(name));
                self.message(part);
            }
            Kind::Text if part.has_encoding("base64") => {
                self.headers(part, |_| true);
                self.line("");
                self.written.extend(base64_alone(part.body));
            }
            Kind::Text => {
                self.headers(part, |_| true);
                self.line("");
                self.written.extend_from_slice(part.body);
            }
            Kind::Other => {
                self.headers(part, |name| *name != HeaderName::ContentTransferEncoding);
                self.line("");
            }
            Kind::Unreadable => {
                self.headers(part, |name| !is_mime(name));
                self.line("Content-Type: application/octet-stream");
                self.line("");
            }
        }
    }

    fn multipart(&mut self, part: &Part<'_>, subtype: &str, boundary: &str, depth: usize) {
        let own = format!("part-{:016x}-{}", self.secret, self.parts);
        self.line(&format!("Content-Type: multipart/{subtype}; boundary=\"{own}\""));
        self.line("");
        for raw in parts(part.body, boundary) {
            if self.parts >= MAX_PARTS {
                break;
            }
            self.parts = self.parts.saturating_add(1);
            self.line(&format!("--{own}"));
            let inner = Part::of(raw, MAX_PART_HEADER_BYTES);
            // RFC 2046, section 5.1.5: a part of a digest is a message unless it says otherwise.
            if subtype == "digest" && inner.content_type().is_none() {
                self.headers(&inner, |name| !is_mime(name));
                self.message(&inner);
            } else {
                self.part(&inner, depth.saturating_add(1));
            }
            self.line("");
        }
        self.line(&format!("--{own}--"));
    }

    /// Writes the message in a part, as far as it is read: its headers.
    fn message(&mut self, part: &Part<'_>) {
        let beginning = part.body.get(..MAX_HEADER_BYTES).unwrap_or(part.body);
        let decoded = if part.has_encoding("base64") {
            base64_decode(&base64_alone(beginning))
        } else if part.has_encoding("quoted-printable") {
            quoted_printable_decode(beginning)
        } else {
            None
        };
        self.line("Content-Type: message/rfc822");
        self.line("");
        let inner = Part::of(decoded.as_deref().unwrap_or(beginning), MAX_PART_HEADER_BYTES);
        self.headers(&inner, |name| !is_mime(name));
        self.line("");
    }

    fn headers(&mut self, part: &Part<'_>, is_written: impl Fn(&HeaderName<'_>) -> bool) {
        let headers = part.headers.iter().flat_map(Message::headers);
        for header in headers.filter(|header| is_written(&header.name)) {
            let line = bytes_of(part.raw, header);
            self.written.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                self.line("");
            }
        }
    }

    fn line(&mut self, text: &str) {
        self.written.extend_from_slice(text.as_bytes());
        self.written.extend_from_slice(b"\r\n");
    }
}

fn bytes_of<'r>(raw: &'r [u8], header: &Header<'_>) -> &'r [u8] {
    let start = usize::try_from(header.offset_field).unwrap_or(raw.len());
    let end = usize::try_from(header.offset_end).unwrap_or(raw.len());
    raw.get(start..end).unwrap_or_default()
}

const fn is_mime(name: &HeaderName<'_>) -> bool {
    matches!(name, HeaderName::ContentType | HeaderName::ContentTransferEncoding)
}

fn has_parts(body: &[u8], boundary: &str) -> bool {
    split(body, boundary).is_some_and(|first| !first.is_end)
}

/// The parts of a multipart (RFC 2046, section 5.1.1). The last one may have no end.
fn parts<'r>(body: &'r [u8], boundary: &str) -> impl Iterator<Item = &'r [u8]> {
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
        let shown = line.trim_ascii_end();
        let begun = shown.strip_suffix(delimiter.as_bytes());
        let ended = || shown.strip_suffix(b"--")?.strip_suffix(delimiter.as_bytes());
        if let Some(text) = begun.or_else(ended) {
            let before = body.get(..start.saturating_add(text.len()))?;
            let before = before.strip_suffix(b"\n").unwrap_or(before);
            let before = before.strip_suffix(b"\r").unwrap_or(before);
            return Some(Split { before, after: body.get(end..)?, is_end: begun.is_none() });
        }
        start = end;
    }
    None
}

/// The base64 in a body (RFC 2045, section 6.8): up to its padding, without lines that have blanks within,
/// such as a footer that a server put below, and without other characters.
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
