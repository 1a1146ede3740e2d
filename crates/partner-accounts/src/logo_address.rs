//! The address of a logo, as a request sends it.

use kernel::{HttpsUrl, HttpsUrlFault};

/// The address of a logo, as a request sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogoAddress {
    /// An address to download a logo from.
    Download(HttpsUrl),
    /// Text that is no such address, and the reason. Where the service is reached by plain HTTP, the address
    /// of an account's own copy is such a text, and sending it back means no change.
    Other(String, HttpsUrlFault),
}

impl LogoAddress {
    /// Reads an address of either kind, for an amendment of an account that may have a logo.
    #[must_use]
    pub fn read(text: &str) -> Self {
        HttpsUrl::parse(text).map_or_else(|fault| Self::Other(text.trim().to_owned(), fault), Self::Download)
    }

    /// The address as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Download(url) => url.as_str(),
            Self::Other(text, _) => text,
        }
    }
}

impl From<HttpsUrl> for LogoAddress {
    fn from(url: HttpsUrl) -> Self {
        Self::Download(url)
    }
}
