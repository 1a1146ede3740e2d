//! Versions of records, so that an edit form does not overwrite changes made meanwhile.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

/// A digest of a record's content: it differs after the record was changed, independent of the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version(String);

impl Version {
    /// The present version of a record. It depends on everything in the record's `Debug` form.
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

    /// The version in a submitted form.
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
