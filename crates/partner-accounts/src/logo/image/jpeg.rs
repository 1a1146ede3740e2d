//! JPEG (ISO/IEC 10918-1, annex B): segments that markers begin, one of which holds the size, then the
//! pixels, then a marker for the end.

/// The marker for the beginning, and the first byte of another.
pub(super) const SIGNATURE: [u8; 3] = [0xFF, 0xD8, 0xFF];

/// The marker for the end.
const END: [u8; 2] = [0xFF, 0xD9];

/// The size of a whole picture; `None` when its segments do not hold together.
pub(super) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    let mut size = None;
    // Every turn takes at least two bytes, so that this ends.
    loop {
        let marker = marker(&mut rest)?;
        if has_no_segment(marker) {
            continue;
        }
        let segment = segment(&mut rest)?;
        if is_frame(marker) {
            size = Some(frame(segment)?);
        }
        if marker == START_OF_SCAN {
            // The pixels follow. In them the marker for the end means nothing else.
            let is_whole = rest.windows(2).any(|pair| pair == END);
            return size.filter(|_| is_whole);
        }
        if marker == 0xD9 {
            return None;
        }
    }
}

/// Begins the pixels.
const START_OF_SCAN: u8 = 0xDA;

/// Takes the next marker; any number of `FF` may stand in front.
fn marker(rest: &mut &[u8]) -> Option<u8> {
    let after = rest.strip_prefix(&[0xFF])?;
    let filled = after.iter().position(|byte| *byte != 0xFF)?;
    let (marker, after) = after.get(filled..)?.split_first()?;
    *rest = after;
    (*marker != 0).then_some(*marker)
}

/// Markers that stand alone: for private use, and those that count.
const fn has_no_segment(marker: u8) -> bool {
    matches!(marker, 0x01 | 0xD0..=0xD7)
}

/// Markers of frames: all kinds of coding, less the three that are something else (table B.1).
const fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC)
}

/// Takes a segment; its length counts itself.
fn segment<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u16::from_be_bytes(*rest.first_chunk()?);
    let (segment, after) = rest.split_at_checked(usize::from(length))?;
    *rest = after;
    segment.get(2..)
}

/// Precision, height, width, number of components. A height of zero would come later; no known encoder does
/// that.
fn frame(segment: &[u8]) -> Option<(u32, u32)> {
    let (_precision, rest) = segment.split_first()?;
    let height = u16::from_be_bytes(*rest.first_chunk()?);
    let width = u16::from_be_bytes(*rest.get(2..)?.first_chunk()?);
    let components = rest.get(4)?;
    (*components > 0).then_some((u32::from(width), u32::from(height)))
}
