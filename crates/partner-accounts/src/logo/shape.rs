//! The format and size of a picture, read from its bytes, and whether it is complete.
//!
//! Pixels are not decoded. The headers and the end of the file are read, so that an incomplete download is
//! refused.

mod jpeg;
mod png;

use kernel::LogoKind;

use super::invalid_logo::InvalidLogo;

/// Width and height in pixels.
type Size = (u32, u32);

/// How many bytes are searched for the marks of an SVG file or an HTML page.
const OPENING: usize = 1_024;

/// Reads the format and the size of a picture.
pub(super) fn read(bytes: &[u8]) -> Result<(LogoKind, Size), InvalidLogo> {
    if bytes.starts_with(&png::SIGNATURE) {
        let size = some(png::size(bytes)).ok_or(InvalidLogo::Damaged("PNG"))?;
        return Ok((LogoKind::Png, size));
    }
    if bytes.starts_with(&jpeg::SIGNATURE) {
        let size = some(jpeg::size(bytes)).ok_or(InvalidLogo::Damaged("JPEG"))?;
        return Ok((LogoKind::Jpeg, size));
    }
    Err(what_else(bytes))
}

/// The size of a picture, unless a side is 0.
fn some(size: Option<Size>) -> Option<Size> {
    size.filter(|(width, height)| *width > 0 && *height > 0)
}

/// The error for a file that is neither PNG nor JPEG.
fn what_else(bytes: &[u8]) -> InvalidLogo {
    let at = |from: usize, mark: &[u8]| bytes.get(from..).is_some_and(|rest| rest.starts_with(mark));
    if at(0, b"GIF8") {
        return InvalidLogo::OtherPicture("GIF");
    }
    if at(0, b"RIFF") && at(8, b"WEBP") {
        return InvalidLogo::OtherPicture("WebP");
    }
    if at(4, b"ftypavif") {
        return InvalidLogo::OtherPicture("AVIF");
    }
    if at(4, b"ftyphei") || at(4, b"ftypmif1") {
        return InvalidLogo::OtherPicture("HEIC");
    }
    if at(0, b"BM") {
        return InvalidLogo::OtherPicture("BMP");
    }
    if at(0, b"II*\0") || at(0, b"MM\0*") {
        return InvalidLogo::OtherPicture("TIFF");
    }
    let opening = bytes.get(..OPENING).unwrap_or(bytes);
    let opening = String::from_utf8_lossy(opening).to_ascii_lowercase();
    // A page may hold a drawing, and a drawing no page.
    if ["<!doctype html", "<html", "<head", "<body"].iter().any(|mark| opening.contains(mark)) {
        return InvalidLogo::Page;
    }
    // A drawing may come compressed; then it does not say what it is.
    if opening.contains("<svg") || at(0, &[0x1F, 0x8B]) {
        return InvalidLogo::Svg;
    }
    InvalidLogo::NotAnImage
}
