//! Which files are accepted as logos, and the order in which a copy is scheduled, stored and removed.

mod copies;

use kernel::LogoKind;
use proptest::prelude::*;

use super::*;

const PNG: &[u8] = include_bytes!("../../../pdf-krilla/tests/sample/logo.png");
const JPEG: &[u8] = include_bytes!("../../../pdf-krilla/tests/sample/logo.jpg");

/// A PNG with a header of this size and invalid pixel data.
fn png(width: u32, height: u32, pixels: usize) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let header = [&size[..], &[8, 6, 0, 0, 0]].concat();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", vec![7; pixels]), (b"IEND", Vec::new())] {
        let length = u32::try_from(data.len()).unwrap();
        bytes.extend(length.to_be_bytes());
        bytes.extend(kind);
        bytes.extend(data);
        bytes.extend([0; 4]);
    }
    bytes
}

/// The bytes around the pixels of [`png`]: signature, three chunks of twelve bytes, and the header's data.
const AROUND: usize = 8 + 3 * 12 + 13;

fn refused(bytes: &[u8]) -> InvalidLogo {
    Logo::check(bytes.to_vec()).unwrap_err()
}

#[test]
fn real_pictures_are_logos() {
    let png = Logo::check(PNG.to_vec()).unwrap();
    assert_eq!((png.kind(), png.bytes()), (LogoKind::Png, PNG));
    let jpeg = Logo::check(JPEG.to_vec()).unwrap();
    assert_eq!((jpeg.kind(), jpeg.into_bytes()), (LogoKind::Jpeg, JPEG.to_vec()));
    assert_eq!(image::read(PNG), Ok((LogoKind::Png, (360, 110))));
    assert_eq!(image::read(JPEG), Ok((LogoKind::Jpeg, (116, 164))));
}

#[test]
fn jpeg_is_stored_without_what_a_camera_noted_in_it() {
    let noted = b"\xFF\xE1\x00\x22Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let comment = b"\xFF\xFE\x00\x06Ada!";
    let iptc = b"\xFF\xED\x00\x06Bath";
    let (start, rest) = JPEG.split_at(2);
    let photo = [start, noted, comment, iptc, rest].concat();
    assert_eq!(image::read(&photo), image::read(JPEG));
    assert_eq!(Logo::check(photo).unwrap().bytes(), JPEG);
}

#[test]
fn png_is_stored_without_notes_and_without_a_profile_that_takes_long_to_unpack() {
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let length = u32::try_from(data.len()).unwrap().to_be_bytes();
        [&length[..], kind, data, &[0; 4]].concat()
    };
    // The first chunk is the header.
    let (start, rest) = PNG.split_at(8 + 12 + 13);
    let notes = [*b"tEXt", *b"zTXt", *b"iTXt", *b"eXIf", *b"tIME", *b"caBX"]
        .map(|kind| chunk(&kind, b"Bath"))
        .concat();
    let large = chunk(b"iCCP", &[7; 16 * 1024 + 1]);
    assert_eq!(Logo::check([start, &notes, &large, rest, b"Bath"].concat()).unwrap().bytes(), PNG);
    let small = [start, &chunk(b"iCCP", &[7; 16 * 1024]), rest].concat();
    assert_eq!(Logo::check(small.clone()).unwrap().bytes(), small);
}

#[test]
fn file_of_the_largest_size_is_accepted_and_a_larger_one_refused() {
    let largest = png(100, 100, Logo::MAX_BYTES - AROUND);
    assert_eq!(largest.len(), Logo::MAX_BYTES);
    assert!(Logo::check(largest.clone()).is_ok());
    assert_eq!(refused(&[&largest[..], b"."].concat()), InvalidLogo::TooLarge);
}

#[test]
fn sides_and_pixels_are_limited() {
    for (width, height) in [(1, 1), (10_000, 800), (800, 10_000), (4_000, 2_000)] {
        assert!(Logo::check(png(width, height, 9)).is_ok(), "{width} x {height}");
    }
    for (width, height) in
        [(10_001, 1), (1, 10_001), (20_000, 20_000), (4_000, 2_001), (u32::MAX, u32::MAX), (65_536, 65_536)]
    {
        let found = refused(&png(width, height, 9));
        assert_eq!(found, InvalidLogo::TooManyPixels(width, height));
        assert!(found.to_string().contains("too large"));
    }
    assert_eq!(refused(&png(0, 10, 9)), InvalidLogo::Damaged("PNG"));
    assert_eq!(refused(&png(10, 0, 9)), InvalidLogo::Damaged("PNG"));
}

#[test]
fn other_files_are_refused_by_their_format() {
    let svg = r#"<?xml version="1.0"?><!-- a drawing --><svg xmlns="http://www.w3.org/2000/svg"/>"#;
    let page = "\n<!DOCTYPE html><html><body><svg/></body></html>";
    for (bytes, expected) in [
        (&b""[..], InvalidLogo::Empty),
        (svg.as_bytes(), InvalidLogo::Svg),
        (b"\xef\xbb\xbf  <SVG>", InvalidLogo::Svg),
        (b"\x1f\x8b\x08\x00", InvalidLogo::Compressed),
        (page.as_bytes(), InvalidLogo::Page),
        (b"GIF89a\x01\x00\x01\x00", InvalidLogo::OtherPicture("GIF")),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", InvalidLogo::OtherPicture("WebP")),
        (b"\x00\x00\x00\x1cftypavif", InvalidLogo::OtherPicture("AVIF")),
        (b"\x00\x00\x00\x1cftypheic", InvalidLogo::OtherPicture("HEIC")),
        (b"BM\x00\x00\x00\x00", InvalidLogo::OtherPicture("BMP")),
        (b"II*\0\x08\x00", InvalidLogo::OtherPicture("TIFF")),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", InvalidLogo::NotAnImage),
        (b"a text that is called logo.png", InvalidLogo::NotAnImage),
        (b"\x00\xff\xfe", InvalidLogo::NotAnImage),
    ] {
        let found = refused(bytes);
        assert_eq!(found, expected);
        let text = found.to_string();
        assert!(text.contains("PNG") && text.contains("JPEG"), "{text}");
    }
}

#[test]
fn an_incomplete_picture_is_damaged() {
    for length in 1..PNG.len() {
        assert!(Logo::check(PNG[..length].to_vec()).is_err(), "{length}");
    }
    // The last byte may follow the end of the picture; the last two are the end marker.
    for length in 1..JPEG.len() - 1 {
        assert!(Logo::check(JPEG[..length].to_vec()).is_err(), "{length}");
    }
    assert_eq!(refused(&PNG[..PNG.len() - 1]), InvalidLogo::Damaged("PNG"));
    assert_eq!(refused(&JPEG[..JPEG.len() / 2]), InvalidLogo::Damaged("JPEG"));
}

#[test]
fn inconsistent_headers_are_damaged() {
    let damaged = |bytes: &[u8]| matches!(refused(bytes), InvalidLogo::Damaged(_));
    let mut no_header = png(1, 1, 9);
    no_header[12..16].copy_from_slice(b"IDAT");
    assert!(damaged(&no_header));
    let mut long = png(1, 1, 9);
    long[8..12].copy_from_slice(&[0xFF; 4]);
    assert!(damaged(&long));
    let one = png(1, 1, 9);
    let two_headers = [&one[..8 + 12 + 13], &one[8..]].concat();
    assert!(damaged(&two_headers));
    assert!(damaged(b"\xff\xd8\xff"));
    // A scan without a frame before it; a length too small to include itself; an end before the pixels.
    assert!(damaged(b"\xff\xd8\xff\xda\x00\x02..\xff\xd9"));
    assert!(damaged(b"\xff\xd8\xff\xe0\x00\x01\xff\xd9"));
    assert!(damaged(b"\xff\xd8\xff\xd9"));
    let filled = [&JPEG[..2], &[0xFF; 5], &JPEG[2..]].concat();
    assert!(Logo::check(filled).is_ok(), "fill bytes may stand before a marker");
    let alone = [&JPEG[..2], b"\xff\x01\xff\xd0", &JPEG[2..]].concat();
    assert!(Logo::check(alone).is_ok(), "markers without a segment");
    let without_components = b"\xff\xd8\xff\xc0\x00\x08\x08\x00\x01\x00\x01\x00\xff\xda\x00\x02..\xff\xd9";
    assert!(damaged(without_components));
    assert_eq!(refused(b"\xff\xd8\xff").of_upload(), "is a JPEG image that is damaged or incomplete");
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), kind in 0..3_usize) {
        let begins: [&[u8]; 3] = [b"", b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR", b"\xff\xd8\xff"];
        let bytes = [begins[kind], &bytes[..]].concat();
        if let Ok(logo) = Logo::check(bytes.clone()) {
            prop_assert_eq!(logo.bytes(), &bytes[..]);
        }
    }

    #[test]
    fn changed_pictures_do_not_panic(place in any::<prop::sample::Index>(), byte in any::<u8>(), jpeg in any::<bool>()) {
        let mut bytes = if jpeg { JPEG } else { PNG }.to_vec();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let _ = Logo::check(bytes);
    }
}
