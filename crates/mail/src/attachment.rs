//! Files attached to a mail.

use std::fmt;

use kernel::SingleLine;

/// The name of an attached file, at most 200 characters.
pub type FileName = SingleLine<200>;

/// A file attached to a mail.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The name that the reader sees.
    pub file_name: FileName,
    pub media_type: MediaType,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Attachment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kind, bytes) = (&self.file_name, &self.media_type, self.bytes.len());
        write!(f, "Attachment({name}, {}, {bytes} bytes)", kind.as_str())
    }
}

/// A media type without parameters: `application/pdf` (RFC 6838, section 4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaType(String);

/// The text is not a media type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a media type such as application/pdf")]
pub struct NotAMediaType;

impl MediaType {
    /// Reads a media type.
    ///
    /// # Errors
    /// [`NotAMediaType`], also when it has parameters.
    ///
    /// ```
    /// assert!(mail::MediaType::parse("image/svg+xml").is_ok());
    /// assert!(mail::MediaType::parse("text/html\r\nBcc: eve@example.com").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, NotAMediaType> {
        let (kind, subtype) = text.split_once('/').ok_or(NotAMediaType)?;
        let right = is_name(kind) && is_name(subtype);
        right.then(|| Self(text.to_owned())).ok_or(NotAMediaType)
    }

    /// `application/pdf`.
    #[must_use]
    pub fn pdf() -> Self {
        Self("application/pdf".to_owned())
    }

    /// The type as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_name(text: &str) -> bool {
    let fits = (1..=127).contains(&text.len());
    let begins = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    fits && begins && text.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_type_without_two_plain_names_is_refused() {
        for text in ["application/pdf", "text/plain", "application/vnd.ms-excel", "image/svg+xml"] {
            assert_eq!(MediaType::parse(text).unwrap().as_str(), text);
        }
        for text in [
            "", "pdf", "/pdf", "application/", "text/plain; charset=utf-8", "a/b/c", "te xt/plain",
            "text/plain\n", "tëxt/plain",
        ] {
            assert_eq!(MediaType::parse(text), Err(NotAMediaType), "{text:?}");
        }
    }
}
