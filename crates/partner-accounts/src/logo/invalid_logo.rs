//! Why a file is not taken as a logo.

/// Why a file is not taken as a logo. The text follows the name of the field that holds its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidLogo {
    #[error("leads to an empty file; a PNG or JPEG image is needed")]
    Empty,
    /// More than [`Logo::MOST_BYTES`](super::Logo::MOST_BYTES).
    #[error("leads to a file of more than 1 MB; a logo may have 1,000,000 bytes")]
    TooLarge,
    /// An SVG file, which may contain scripts.
    #[error("leads to an SVG file, which is not taken; only PNG and JPEG images are")]
    Svg,
    /// A picture of another format, which is named.
    #[error("leads to a {0} image, which is not taken; only PNG and JPEG images are")]
    OtherPicture(&'static str),
    #[error("leads to a web page instead of an image; a PNG or JPEG image is needed")]
    Page,
    #[error("leads to something that is neither a PNG nor a JPEG image")]
    NotAnImage,
    /// It begins as a picture of this format and is damaged or incomplete.
    #[error("leads to a {0} image that is damaged or incomplete")]
    Damaged(&'static str),
    /// A side is longer than [`Logo::LONGEST_SIDE`](super::Logo::LONGEST_SIDE), or the picture has more than
    /// [`Logo::MOST_PIXELS`](super::Logo::MOST_PIXELS).
    #[error(
        "leads to an image of {0} x {1} pixels, which is too large; a side may have 10,000 and the image 8,000,000"
    )]
    TooManyPixels(u32, u32),
}
