//! QR codes (ISO/IEC 18004) as the path of an SVG.

use std::fmt::Write as _;

use fast_qr::{ECL, QRBuilder};

/// The light border (quiet zone) of a code, in modules.
const BORDER: usize = 4;

/// A QR code to draw: its dark modules as a path within a square of side `size`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QrCode {
    pub(crate) size: usize,
    pub(crate) path: String,
}

impl QrCode {
    /// The code of a text, with the error correction that EPC069-12 requires. `None` when the text is too
    /// long.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let code = QRBuilder::new(text).ecl(ECL::M).build().ok()?;
        let mut path = String::new();
        for (row, modules) in code.data.chunks(code.size).take(code.size).enumerate() {
            let mut column = 0;
            for run in modules.chunk_by(|one, next| one.value() == next.value()) {
                if run.first().is_some_and(|module| module.value()) {
                    let (x, y, length) = (column + BORDER, row + BORDER, run.len());
                    // Writing to a string cannot fail.
                    let _ = write!(path, "M{x} {y}h{length}v1h-{length}z");
                }
                column += run.len();
            }
        }
        Some(Self { size: code.size + 2 * BORDER, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_begins_with_the_first_finder_pattern_inside_its_border() {
        let code = QrCode::new("BCD\n002\n1\nSCT\n\nA\nDE89370400440532013000\nEUR1.00\n\n\n1").unwrap();
        assert!(code.path.starts_with("M4 4h7v1h-7z"), "{}", code.path);
        assert!((29..=60).contains(&code.size), "{}", code.size);
        assert!(QrCode::new(&"x".repeat(9_000)).is_none());
    }
}
