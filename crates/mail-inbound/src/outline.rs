//! The part of a raw message that is read, written anew.
//!
//! The parser needs stack for each nested message, memory for each level of nesting, and time for each
//! multipart whose boundary does not come. A sender chooses all three, and can spell media types in many
//! ways. Therefore the parser gets a message that was written here: it has few parts and levels, its
//! boundaries cannot be known to the sender, and a nested message consists of its headers. The parser's own
//! function reads each block of headers, so that both see the same media types.

mod encoded_words;
mod encodings;
mod multipart;
#[cfg(test)]
mod tests;

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use mail_parser::decoders::base64::base64_decode;
use mail_parser::decoders::quoted_printable::quoted_printable_decode;
use mail_parser::{ContentType, Header, HeaderName, Message, MessageParser, MimeHeaders as _};

use self::encoded_words::with_joined_words;
use self::encodings::{base64_alone, names_encoding, quoted_printable_alone};
use self::multipart::{has_parts, parts};

/// The longest header that is read. The parser compares the parameters of a header with each other.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// How much of the message's headers is read, of a part's or a message's in it, and of all of these together.
const MAX_OWN_HEADERS_BYTES: usize = 256 * 1024;
const MAX_PART_HEADERS_BYTES: usize = 16 * 1024;
const MAX_ALL_HEADERS_BYTES: usize = 256 * 1024;
/// How much of a message in a message is read.
const MAX_ENCODED_BYTES: usize = 64 * 1024;
/// The most parts. Mail with more is read up to there.
const MAX_PARTS: usize = 200;
/// The most multiparts around a part.
const MAX_DEPTH: usize = 10;

/// The parser for both readings. It interprets only the headers that are used here: its function for dates
/// can consume the line after the date.
pub(crate) fn parser() -> MessageParser {
    let parser = MessageParser::new().with_mime_headers();
    parser.header_address(HeaderName::From).header_text(HeaderName::Subject)
}

/// A raw message, as far as it is read.
pub(crate) struct Outline {
    /// The message's own headers, also those of its media type as the sender wrote them.
    pub(crate) headers: Message<'static>,
    /// A message with the headers of the raw one and of its parts, its text, and its delivery reports. Other
    /// bodies are empty.
    pub(crate) written: Vec<u8>,
}

impl Outline {
    /// `None` if it has no headers.
    pub(crate) fn of(raw: &[u8]) -> Option<Self> {
        let message = Part::of(raw, MAX_OWN_HEADERS_BYTES);
        let secret = RandomState::new().build_hasher().finish();
        let mut writer =
            Writer { written: Vec::new(), secret, parts: 0, header_bytes: MAX_ALL_HEADERS_BYTES };
        let kind = message.kind(0);
        writer.part(&message, kind, 0);
        Some(Self { headers: message.headers?, written: writer.written })
    }
}

/// A part, or the message itself.
struct Part<'r> {
    /// Read from a copy, which has the end of each header and of the block: at the end of its input, the
    /// parser reads a header otherwise than before another line.
    headers: Option<Message<'static>>,
    header_bytes: usize,
    /// Whether headers at the end were left out.
    is_cut: bool,
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
    /// Its headers only: a file.
    Other,
    /// Its headers without its media type: a multipart that cannot be read.
    Unreadable,
}

impl<'r> Part<'r> {
    fn of(raw: &'r [u8], max_bytes: usize) -> Self {
        let (mut head, mut start, mut of_header, mut is_cut) = (Vec::new(), 0_usize, 0_usize, false);
        for line in raw.split_inclusive(|byte| *byte == b'\n') {
            start = start.saturating_add(line.len());
            let is_continued = !head.is_empty() && matches!(line.first(), Some(b' ' | b'\t'));
            if !is_continued && line.trim_ascii().is_empty() {
                break;
            }
            of_header = if is_continued { of_header } else { 0 };
            is_cut = is_cut || head.len().saturating_add(line.len().min(MAX_HEADER_BYTES)) > max_bytes;
            let left = MAX_HEADER_BYTES.saturating_sub(of_header);
            if !is_cut && left > 0 {
                head.extend_from_slice(line.get(..left).unwrap_or(line));
                if !head.ends_with(b"\n") {
                    head.extend_from_slice(b"\r\n");
                }
            }
            of_header = of_header.saturating_add(line.len());
        }
        let header_bytes = head.len();
        head.extend_from_slice(b"\r\n");
        let headers = parser().parse_headers(&head).map(Message::into_owned);
        Self { headers, header_bytes, is_cut, body: raw.get(start..).unwrap_or_default() }
    }

    fn content_type(&self) -> Option<&ContentType<'_>> {
        self.headers.as_ref()?.content_type()
    }

    /// How its body is encoded, if it is.
    fn encoding(&self) -> Option<&'static str> {
        let given = self.headers.as_ref()?.content_transfer_encoding()?;
        ["base64", "quoted-printable"].into_iter().find(|name| names_encoding(given, name))
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

struct Writer {
    written: Vec<u8>,
    /// What makes the boundaries unknown to the sender.
    secret: u64,
    /// How many parts were written.
    parts: usize,
    /// How many bytes of headers are left to be read.
    header_bytes: usize,
}

impl Writer {
    fn part(&mut self, part: &Part<'_>, kind: Kind, depth: usize) {
        match kind {
            Kind::Multipart(subtype, boundary) => {
                self.headers(part, |name| !is_mime(name));
                self.multipart(part, subtype, &boundary, depth);
            }
            Kind::Message => {
                self.headers(part, |name| !is_mime(name));
                self.message(part);
            }
            Kind::Text => {
                // The parser knows an encoding by its bare name only.
                self.headers(part, |name| *name != HeaderName::ContentTransferEncoding);
                if let Some(encoding) = part.encoding() {
                    self.line(&format!("Content-Transfer-Encoding: {encoding}"));
                }
                self.line("");
                self.text(part);
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

    fn text(&mut self, part: &Part<'_>) {
        // The decoder takes this byte for the end of its input.
        let is_base64 = |body: &[u8]| !body.contains(&0xFF) && base64_decode(body).is_some();
        match part.encoding() {
            Some("quoted-printable") => self.written.extend(quoted_printable_alone(part.body)),
            Some("base64") if !is_base64(part.body) => self.written.extend(base64_alone(part.body)),
            _ => self.written.extend_from_slice(part.body),
        }
    }

    fn multipart(&mut self, part: &Part<'_>, subtype: &str, boundary: &str, depth: usize) {
        let own = format!("part-{:016x}-{}", self.secret, self.parts);
        self.line(&format!("Content-Type: multipart/{subtype}; boundary=\"{own}\""));
        self.line("");
        for raw in parts(part.body, boundary) {
            if self.is_full() {
                break;
            }
            self.parts = self.parts.saturating_add(1);
            self.line(&format!("--{own}"));
            let depth = depth.saturating_add(1);
            let inner = self.part_of(raw);
            let kind = match inner.kind(depth) {
                _ if inner.is_cut => Kind::Unreadable,
                Kind::Multipart(..) if self.is_full() => Kind::Unreadable,
                // RFC 2046, section 5.1.5: a part of a digest is a message unless it says otherwise.
                Kind::Text if subtype == "digest" && inner.content_type().is_none() => Kind::Message,
                kind => kind,
            };
            self.part(&inner, kind, depth);
            self.line("");
        }
        self.line(&format!("--{own}--"));
    }

    const fn is_full(&self) -> bool {
        self.parts >= MAX_PARTS || self.header_bytes == 0
    }

    fn part_of<'r>(&mut self, raw: &'r [u8]) -> Part<'r> {
        let part = Part::of(raw, self.header_bytes.min(MAX_PART_HEADERS_BYTES));
        self.header_bytes = self.header_bytes.saturating_sub(part.header_bytes);
        part
    }

    /// Writes the message in a part, as far as it is read: its headers.
    fn message(&mut self, part: &Part<'_>) {
        let beginning = part.body.get(..MAX_ENCODED_BYTES).unwrap_or(part.body);
        let decoded = match part.encoding() {
            Some("base64") => base64_decode(beginning).or_else(|| base64_decode(&base64_alone(beginning))),
            Some("quoted-printable") => quoted_printable_decode(beginning),
            _ => None,
        };
        self.line("Content-Type: message/rfc822");
        self.line("");
        let inner = self.part_of(decoded.as_deref().unwrap_or(beginning));
        self.headers(&inner, |name| !is_mime(name));
        self.line("");
    }

    fn headers(&mut self, part: &Part<'_>, is_written: impl Fn(&HeaderName<'_>) -> bool) {
        let Some(message) = &part.headers else {
            return;
        };
        for header in message.headers().iter().filter(|header| is_written(&header.name)) {
            let written = bytes_of(&message.raw_message, header);
            if header.name == HeaderName::Subject {
                self.written.extend(with_joined_words(written));
            } else {
                self.written.extend_from_slice(written);
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
