//! JPEG (ISO/IEC 10918-1, annex B): segments, each started by a marker and one containing the size, then the
//! pixels, then an end marker.

/// The start marker, and the first byte of the next marker.
pub(super) const SIGNATURE: [u8; 3] = [0xFF, 0xD8, 0xFF];

/// The end marker.
const END: [u8; 2] = [0xFF, 0xD9];

/// The size of a complete picture; `None` when its segments are inconsistent.
pub(super) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    let mut size = None;
    // Terminates, since every iteration consumes at least two bytes.
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
            // The pixels follow. In them these two bytes can only be the end marker.
            let is_whole = rest.windows(2).any(|pair| pair == END);
            return size.filter(|_| is_whole);
        }
        if marker == 0xD9 {
            return None;
        }
    }
}

/// A complete picture without the notes before its pixels, such as the place where a photo was taken.
pub(super) fn without_metadata(bytes: &[u8]) -> Option<Vec<u8>> {
    let (start, mut rest) = bytes.split_at_checked(2)?;
    let mut kept = start.to_vec();
    loop {
        let before = rest;
        let marker = marker(&mut rest)?;
        if !has_no_segment(marker) {
            segment(&mut rest)?;
        }
        if !is_note(marker) {
            kept.extend(before.get(..before.len().saturating_sub(rest.len()))?);
        }
        if marker == START_OF_SCAN {
            kept.extend(rest);
            return Some(kept);
        }
    }
}

/// Markers of Exif and XMP data (APP1), of IPTC data (APP13), and of comments (COM).
const fn is_note(marker: u8) -> bool {
    matches!(marker, 0xE1 | 0xED | 0xFE)
}

/// The marker before the pixels.
const START_OF_SCAN: u8 = 0xDA;

/// Consumes the next marker; any number of `FF` bytes may precede it.
fn marker(rest: &mut &[u8]) -> Option<u8> {
    let after = rest.strip_prefix(&[0xFF])?;
    let filled = after.iter().position(|byte| *byte != 0xFF)?;
    let (marker, after) = after.get(filled..)?.split_first()?;
    *rest = after;
    (*marker != 0).then_some(*marker)
}

/// Markers without a segment: temporary private use, and restart markers.
const fn has_no_segment(marker: u8) -> bool {
    matches!(marker, 0x01 | 0xD0..=0xD7)
}

/// Markers of frames: all coding processes, except three codes with another meaning (table B.1).
const fn is_frame(marker: u8) -> bool {
    matches!(marker, 0xC0..=0xCF) && !matches!(marker, 0xC4 | 0xC8 | 0xCC)
}

/// Consumes a segment; its length includes the length field.
fn segment<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u16::from_be_bytes(*rest.first_chunk()?);
    let (segment, after) = rest.split_at_checked(usize::from(length))?;
    *rest = after;
    segment.get(2..)
}

/// Reads precision, height, width, number of components. No known encoder writes a height of zero, to be
/// defined later.
fn frame(segment: &[u8]) -> Option<(u32, u32)> {
    let (_precision, rest) = segment.split_first()?;
    let height = u16::from_be_bytes(*rest.first_chunk()?);
    let width = u16::from_be_bytes(*rest.get(2..)?.first_chunk()?);
    let components = rest.get(4)?;
    (*components > 0).then_some((u32::from(width), u32::from(height)))
}
