//! The checks of a logo's file. The format, the size and the end of the file are read from its bytes, so that
//! an incomplete download is refused; pixels are not decoded.

mod jpeg;
mod png;

use kernel::LogoKind;

/// A checked picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Logo {
    bytes: Vec<u8>,
    kind: LogoKind,
}

impl Logo {
    /// The most bytes of a logo, which must be under 1 MB (contract, "Field rules for partner accounts", 2).
    pub const MAX_BYTES: usize = 999_999;
    /// The most pixels of one side.
    pub const MAX_SIDE: u32 = 10_000;
    /// The most pixels of a picture, which limits the memory for decoding it in a document.
    pub const MAX_PIXELS: u32 = 8_000_000;

    /// Checks a file by its content only, not by its name or media type. Pixels are not decoded. The logo is
    /// the file without its notes (Exif, XMP, IPTC, comments, texts); of a PNG, also without a colour profile
    /// of more than 16 KiB.
    pub fn check(bytes: Vec<u8>) -> Result<Self, InvalidLogo> {
        if bytes.is_empty() {
            return Err(InvalidLogo::Empty);
        }
        if bytes.len() > Self::MAX_BYTES {
            return Err(InvalidLogo::TooLarge);
        }
        let (kind, (width, height)) = read(&bytes)?;
        let side_fits = |side| (1..=Self::MAX_SIDE).contains(&side);
        let fits = side_fits(width)
            && side_fits(height)
            && width.checked_mul(height).is_some_and(|pixels| pixels <= Self::MAX_PIXELS);
        if !fits {
            return Err(InvalidLogo::TooManyPixels(width, height));
        }
        let bytes = match kind {
            LogoKind::Jpeg => jpeg::without_metadata(&bytes).ok_or(InvalidLogo::Damaged("JPEG"))?,
            LogoKind::Png => png::without_metadata(&bytes).ok_or(InvalidLogo::Damaged("PNG"))?,
        };
        Ok(Self { bytes, kind })
    }

    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    #[must_use]
    pub const fn kind(&self) -> LogoKind {
        self.kind
    }
}

/// Why a file is refused as a logo. The text follows the name of the field with its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLogo {
    #[error("leads to an empty file; a PNG or JPEG image is needed")]
    Empty,
    /// More than [`Logo::MAX_BYTES`](super::Logo::MAX_BYTES).
    #[error("leads to a file that is too large; a logo must be under 1 MB (1,000,000 bytes)")]
    TooLarge,
    /// An SVG file, which may contain scripts.
    #[error("leads to an SVG file, which is not taken; only PNG and JPEG images are")]
    Svg,
    /// It is compressed with gzip.
    #[error(
        "leads to a compressed file (SVGZ, or a Content-Encoding), which is not taken; only PNG and JPEG images are"
    )]
    Compressed,
    /// A picture of another format, named here.
    #[error("leads to a {0} image, which is not taken; only PNG and JPEG images are")]
    OtherPicture(&'static str),
    #[error("leads to a web page instead of an image; a PNG or JPEG image is needed")]
    Page,
    #[error("leads to something that is neither a PNG nor a JPEG image")]
    NotAnImage,
    /// The file begins like this format but is damaged or incomplete.
    #[error("leads to a {0} image that is damaged or incomplete")]
    Damaged(&'static str),
    /// A side is longer than [`Logo::MAX_SIDE`](super::Logo::MAX_SIDE), or the picture has more than
    /// [`Logo::MAX_PIXELS`](super::Logo::MAX_PIXELS).
    #[error(
        "leads to an image of {0} x {1} pixels, which is too large; a side may have 10,000 and the image 8,000,000"
    )]
    TooManyPixels(u32, u32),
}

impl InvalidLogo {
    /// The text for the field of an uploaded file.
    #[must_use]
    pub fn of_upload(self) -> String {
        let text = self.to_string();
        text.strip_prefix("leads to").map(|rest| format!("is{rest}")).unwrap_or(text)
    }
}

type Size = (u32, u32);

/// How many bytes are searched for the marks of an SVG file or an HTML page.
const OPENING: usize = 1_024;

/// Reads the format and the size of a picture.
pub(super) fn read(bytes: &[u8]) -> Result<(LogoKind, Size), InvalidLogo> {
    let (kind, name, size) = if bytes.starts_with(&png::SIGNATURE) {
        (LogoKind::Png, "PNG", png::size(bytes))
    } else if bytes.starts_with(&jpeg::SIGNATURE) {
        (LogoKind::Jpeg, "JPEG", jpeg::size(bytes))
    } else {
        return Err(what_else(bytes));
    };
    let size = size.filter(|(width, height)| *width > 0 && *height > 0);
    size.map(|size| (kind, size)).ok_or(InvalidLogo::Damaged(name))
}

/// The error for a file that is neither PNG nor JPEG.
fn what_else(bytes: &[u8]) -> InvalidLogo {
    let at = |from: usize, mark: &[u8]| bytes.get(from..).is_some_and(|rest| rest.starts_with(mark));
    let pictures = [
        ("GIF", at(0, b"GIF8")),
        ("WebP", at(0, b"RIFF") && at(8, b"WEBP")),
        ("AVIF", at(4, b"ftypavif")),
        ("HEIC", at(4, b"ftyphei") || at(4, b"ftypmif1")),
        ("BMP", at(0, b"BM")),
        ("TIFF", at(0, b"II*\0") || at(0, b"MM\0*")),
    ];
    if let Some((name, _)) = pictures.iter().find(|(_, is_of_it)| *is_of_it) {
        return InvalidLogo::OtherPicture(name);
    }
    let opening = String::from_utf8_lossy(bytes.get(..OPENING).unwrap_or(bytes)).to_ascii_lowercase();
    // A page may contain a drawing, but not the reverse.
    if ["<!doctype html", "<html", "<head", "<body"].iter().any(|mark| opening.contains(mark)) {
        return InvalidLogo::Page;
    }
    if opening.contains("<svg") {
        return InvalidLogo::Svg;
    }
    // What is compressed with gzip is not visible.
    if at(0, &[0x1F, 0x8B]) {
        return InvalidLogo::Compressed;
    }
    InvalidLogo::NotAnImage
}
