//! The style sheet of all pages, part of the binary.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

/// The text of the style sheet.
pub const CSS: &str = include_str!("../templates/pages.css");

/// The name under which the style sheet is served. It contains a hash of the text, so that browsers may cache
/// the file forever.
pub static NAME: LazyLock<String> = LazyLock::new(|| {
    let hash = digest(&SHA256, CSS.as_bytes());
    let short = hash.as_ref().get(..9).unwrap_or_default();
    format!("pages-{}.css", URL_SAFE_NO_PAD.encode(short))
});
