//! Logos: what may be one, and where it comes from and goes to.
//!
//! A partner names an address; the service downloads the picture there ([`LogoSource`]), looks at it ([`Logo::check`]) and keeps a copy of its
//! own ([`LogoStore`]), which is what it hands out from then on. A copy and the record of it are kept in two places that no transaction
//! spans, so the order of the steps makes up for that:
//!
//! 1. The copy's removal is noted, due an hour later ([`LogoLedger::note`]).
//! 2. The copy is stored.
//! 3. The transaction that writes its name into the account takes that note away ([`LogoShelf::adopt`]), and notes the removal of the copy
//!    that the account had before ([`LogoShelf::discard`]).
//! 4. A worker removes what is noted and due ([`LogoSweeper`]).
//!
//! Wherever this breaks off, an account never names a copy that is not there, and a copy that no account names is removed in the end.

mod ports;
mod shape;
mod sweep;
mod take;

use kernel::LogoKind;

pub use ports::{LogoLedger, LogoShelf, LogoSource, LogoStore, LogoStoreError, Unfetched};
pub use sweep::{LogoSweeper, Swept};
pub use take::{LogoUnavailable, Logos};

/// A picture that may be a logo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    bytes: Vec<u8>,
    kind: LogoKind,
}

/// Why bytes are no logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotALogo {
    /// There are none.
    #[error("leads to an empty file; a PNG or JPEG image is needed")]
    Empty,
    /// More than [`Logo::MOST_BYTES`].
    #[error("leads to a file of more than 1 MB; a logo may have 1,000,000 bytes")]
    TooLarge,
    /// A drawing that may hold scripts and links.
    #[error("leads to an SVG file, which is not taken; only PNG and JPEG images are")]
    Svg,
    /// A picture in a format of which it is known only that it is another one.
    #[error("leads to a {0} image, which is not taken; only PNG and JPEG images are")]
    OtherPicture(&'static str),
    /// A page.
    #[error("leads to a web page instead of an image; a PNG or JPEG image is needed")]
    Page,
    /// Anything else.
    #[error("leads to something that is neither a PNG nor a JPEG image")]
    NotAPicture,
    /// It begins as a picture of this format and does not go on as one.
    #[error("leads to a {0} image that is damaged or incomplete")]
    Damaged(&'static str),
    /// A side is longer than [`Logo::LONGEST_SIDE`], or the picture has more than [`Logo::MOST_PIXELS`].
    #[error(
        "leads to an image of {0} x {1} pixels, which is too large; a side may have 10,000 and the image 8,000,000"
    )]
    TooManyPixels(u32, u32),
}

impl Logo {
    /// The most bytes of a logo: 1 MB (contract, "Field rules for partner accounts", 2), a megabyte being a million bytes. A picture of exactly
    /// that many is taken, one with a byte more is not.
    pub const MOST_BYTES: usize = 1_000_000;
    /// The most pixels of a side.
    pub const LONGEST_SIDE: u32 = 10_000;
    /// The most pixels in all. A picture of few bytes can claim gigabytes of them, and every document with it has to unpack them.
    pub const MOST_PIXELS: u32 = 8_000_000;

    /// Looks at a file by its content: what it is called, and what a server says of it, does not matter. Pixels are not decoded.
    ///
    /// # Errors
    /// [`NotALogo`], whose text says what was found instead.
    pub fn check(bytes: Vec<u8>) -> Result<Self, NotALogo> {
        if bytes.is_empty() {
            return Err(NotALogo::Empty);
        }
        if bytes.len() > Self::MOST_BYTES {
            return Err(NotALogo::TooLarge);
        }
        let (kind, size) = shape::read(&bytes)?;
        let (width, height) = size;
        let side_fits = |side| (1..=Self::LONGEST_SIDE).contains(&side);
        let fits = side_fits(width)
            && side_fits(height)
            && width
                .checked_mul(height)
                .is_some_and(|pixels| pixels <= Self::MOST_PIXELS);
        if fits {
            Ok(Self { bytes, kind })
        } else {
            Err(NotALogo::TooManyPixels(width, height))
        }
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

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> LogoKind {
        self.kind
    }
}

#[cfg(test)]
mod tests;
