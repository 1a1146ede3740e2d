//! The picture of a logo: which files are accepted.

use kernel::LogoKind;

use super::invalid_logo::InvalidLogo;
use super::shape;

/// A checked picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    bytes: Vec<u8>,
    kind: LogoKind,
}

impl Logo {
    /// The most bytes of a logo: 1 MB (contract, "Field rules for partner accounts", 2), which is 1,000,000
    /// bytes; a file of exactly that size is accepted.
    pub const MOST_BYTES: usize = 1_000_000;
    /// The most pixels of a side.
    pub const LONGEST_SIDE: u32 = 10_000;
    /// The most pixels of a picture, which bounds the memory that a document needs to unpack it.
    pub const MOST_PIXELS: u32 = 8_000_000;

    /// Checks a file by its content only, not by its name or media type. Pixels are not decoded.
    ///
    /// # Errors
    /// [`InvalidLogo`].
    pub fn check(bytes: Vec<u8>) -> Result<Self, InvalidLogo> {
        if bytes.is_empty() {
            return Err(InvalidLogo::Empty);
        }
        if bytes.len() > Self::MOST_BYTES {
            return Err(InvalidLogo::TooLarge);
        }
        let (kind, size) = shape::read(&bytes)?;
        let (width, height) = size;
        let side_fits = |side| (1..=Self::LONGEST_SIDE).contains(&side);
        let fits = side_fits(width)
            && side_fits(height)
            && width.checked_mul(height).is_some_and(|pixels| pixels <= Self::MOST_PIXELS);
        if fits { Ok(Self { bytes, kind }) } else { Err(InvalidLogo::TooManyPixels(width, height)) }
    }

    /// The file as it was.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The file as it was.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Its format.
    #[must_use]
    pub const fn kind(&self) -> LogoKind {
        self.kind
    }
}
