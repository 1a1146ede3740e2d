//! Versions of records, so that an edit form does not overwrite what was changed meanwhile.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

/// A digest of a record's content: it differs once the record was changed, whatever the clock shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// The version of a record as it is. Everything that its `Debug` form shows counts.
    ///
    /// ```
    /// use kernel::Version;
    ///
    /// let version = Version::of(&("INV-0001", 110));
    /// assert_eq!(Version::from_text(version.as_str()), version);
    /// assert_ne!(Version::of(&("INV-0001", 120)), version);
    /// ```
    #[must_use]
    pub fn of(record: &impl fmt::Debug) -> Self {
        let hash = digest(&SHA256, format!("{record:?}").as_bytes());
        Self(URL_SAFE_NO_PAD.encode(hash.as_ref().get(..18).unwrap_or_default()))
    }

    /// The version that a form carries.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The version as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
