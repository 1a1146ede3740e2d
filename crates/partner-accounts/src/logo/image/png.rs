//! PNG (ISO/IEC 15948): a signature and chunks, of which the first contains the size and the last is empty.

/// The first bytes of every file (section 5.2).
pub(super) const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n'];

/// The length of the first chunk's data (section 11.2.1).
const HEADER_LENGTH: usize = 13;

/// The size of a complete picture; `None` when its chunks are inconsistent.
pub(super) fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.strip_prefix(&SIGNATURE)?;
    let (kind, header) = chunk(&mut rest)?;
    if kind != b"IHDR" || header.len() != HEADER_LENGTH {
        return None;
    }
    let width = u32::from_be_bytes(*header.first_chunk()?);
    let height = u32::from_be_bytes(*header.get(4..)?.first_chunk()?);
    let mut has_pixels = false;
    // Terminates, since every iteration consumes at least twelve bytes.
    loop {
        match chunk(&mut rest)? {
            (b"IEND", []) => return has_pixels.then_some((width, height)),
            (b"IDAT", _) => has_pixels = true,
            (b"IHDR" | b"IEND", _) => return None,
            _ => {}
        }
    }
}

/// The longest colour profile that is kept, in bytes as it is compressed. Those of screens have under 4 KiB;
/// it is unpacked for each document, to a thousand times its size at most.
const MAX_PROFILE_BYTES: usize = 16 * 1024;

/// A complete picture without its notes, such as the place where a photo was taken, without what stands
/// behind its end, and without a colour profile that would take long to unpack.
pub(super) fn without_metadata(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut rest = bytes.strip_prefix(&SIGNATURE)?;
    let mut kept = SIGNATURE.to_vec();
    loop {
        let before = rest;
        let (kind, data) = chunk(&mut rest)?;
        let is_left_out = match kind {
            b"tEXt" | b"zTXt" | b"iTXt" | b"eXIf" | b"tIME" | b"caBX" => true,
            b"iCCP" => data.len() > MAX_PROFILE_BYTES,
            _ => false,
        };
        if !is_left_out {
            kept.extend(before.get(..before.len().saturating_sub(rest.len()))?);
        }
        if kind == b"IEND" {
            return Some(kept);
        }
    }
}

/// Consumes the next chunk: length, type, data, checksum (section 5.3). Checksums are left to decoders.
fn chunk<'a>(rest: &mut &'a [u8]) -> Option<(&'a [u8; 4], &'a [u8])> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (kind, after) = after.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let (data, after) = after.split_at_checked(length)?;
    let (_checksum, after) = after.split_first_chunk::<4>()?;
    *rest = after;
    Some((kind, data))
}
