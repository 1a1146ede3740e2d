//! The names of stored logos.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::random::SecureRandom;

/// The formats of a logo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogoKind {
    /// PNG (ISO/IEC 15948).
    Png,
    /// JPEG (ISO/IEC 10918-1).
    Jpeg,
}

/// The name of one stored logo: 24 random bytes in URL-safe base64 (RFC 4648, section 5) and a file extension
/// for its format.
///
/// The name is random, so that it cannot be guessed and does not identify an account. The picture of a name
/// never changes: another picture gets another name.
///
/// ```
/// use kernel::{LogoKey, LogoKind, SystemRandom};
///
/// let key = LogoKey::generate(LogoKind::Png, &SystemRandom::default());
/// assert_eq!(LogoKey::parse(key.as_str()), Some(key.clone()));
/// assert_eq!(LogoKey::parse("../master.key"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogoKey(String);

impl LogoKind {
    /// Every format.
    pub const ALL: [Self; 2] = [Self::Png, Self::Jpeg];

    /// The file extension.
    #[must_use]
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Png => ".png",
            Self::Jpeg => ".jpg",
        }
    }

    /// The media type.
    #[must_use]
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        }
    }
}

impl LogoKey {
    const RANDOM_BYTES: usize = 24;
    /// Base64 encodes three bytes as four characters.
    const RANDOM_CHARACTERS: usize = 32;

    /// Generates a new name.
    #[must_use]
    pub fn generate(kind: LogoKind, random: &dyn SecureRandom) -> Self {
        let mut bytes = [0; Self::RANDOM_BYTES];
        random.fill(&mut bytes);
        let name = URL_SAFE_NO_PAD.encode(bytes);
        Self(format!("{name}{}", kind.ending()))
    }

    /// Parses a name in the form of [`LogoKey::generate`]; `None` for anything else, such as a path.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let name = LogoKind::ALL.iter().find_map(|kind| text.strip_suffix(kind.ending()))?;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let right = name.len() == Self::RANDOM_CHARACTERS && name.bytes().all(fits);
        right.then(|| Self(text.to_owned()))
    }

    /// A stored name.
    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The format of the picture.
    #[must_use]
    pub fn kind(&self) -> LogoKind {
        if self.0.ends_with(LogoKind::Png.ending()) { LogoKind::Png } else { LogoKind::Jpeg }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LogoKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SystemRandom;
    use proptest::prelude::*;

    #[test]
    fn a_generated_name_is_parsed_and_has_its_kind() {
        for kind in LogoKind::ALL {
            let key = LogoKey::generate(kind, &SystemRandom::default());
            assert_eq!(key.kind(), kind);
            assert_eq!(LogoKey::parse(key.as_str()), Some(key));
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let name = "a".repeat(32);
        assert!(LogoKey::parse(&format!("{name}.png")).is_some());
        for text in [
            String::new(),
            ".png".to_owned(),
            name.clone(),
            format!("{name}.PNG"),
            format!("{name}.jpeg"),
            format!("{name}.svg"),
            format!("{name}a.png"),
            format!("{name}.png.png"),
            format!("{}/{name}.png", "a".repeat(4)),
            format!("..{}.png", "a".repeat(30)),
            format!("../{}.png", "a".repeat(29)),
            format!("%2e{}.png", "a".repeat(29)),
            format!("\u{e9}{}.png", "a".repeat(30)),
        ] {
            assert_eq!(LogoKey::parse(&text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_a_folder(text in "[-_./%a-zA-Z0-9]{30,40}(\\.png|\\.jpg)?") {
            if let Some(key) = LogoKey::parse(&text) {
                prop_assert!(!key.as_str().contains(['/', '%', '\\']) && !key.as_str().starts_with('.'));
                prop_assert_eq!(key.as_str().matches('.').count(), 1);
            }
        }
    }
}
