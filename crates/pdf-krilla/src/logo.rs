//! The logo: read where that is safe, left out where it is not.

use invoices::{Logo, LogoKind};
use krilla::image::Image;

/// The most pixels of a logo. A file of a few kilobytes can claim gigabytes of them.
const MOST_PIXELS: u32 = 8_000_000;
/// The marker that ends a JPEG picture (ISO/IEC 10918-1, table B.1).
const END_OF_JPEG: [u8; 2] = [0xFF, 0xD9];

/// The logo with its width and height; `None` when it cannot be read.
///
/// The pixels are decoded while the document is written, so that this finds what is wrong with the file's
/// head only.
pub(crate) fn read(logo: &Logo) -> Option<(Image, (f32, f32))> {
    let data = logo.bytes.to_vec();
    let image = match logo.kind {
        LogoKind::Png => Image::from_png(data.into(), true),
        // The pixels of a JPEG are handed on undecoded: half a picture must be found here.
        LogoKind::Jpeg if is_whole_jpeg(&logo.bytes) => Image::from_jpeg(data.into(), true),
        LogoKind::Jpeg => return None,
    };
    let image = image.ok()?;
    let (width, height) = image.size();
    let pixels = width.checked_mul(height)?;
    if pixels == 0 || pixels > MOST_PIXELS {
        return None;
    }
    let side = |side| u16::try_from(side).ok().map(f32::from);
    let size = (side(width)?, side(height)?);
    Some((image, size))
}

fn is_whole_jpeg(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| pair == END_OF_JPEG)
}
