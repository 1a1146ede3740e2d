//! Addresses that the service itself calls: webhooks and logos.

use std::fmt;

use url::{Host, Url};

/// An absolute `https` address without user info (decisions, "Webhooks"), kept as it was written.
///
/// The addresses that the host name resolves to are not checked here; the caller checks them before
/// connecting.
///
/// ```
/// use kernel::{HttpsUrl, HttpsUrlFault};
///
/// let hook = HttpsUrl::parse(" https://example.com/hooks?of=us ").unwrap();
/// assert_eq!(hook.as_str(), "https://example.com/hooks?of=us");
/// assert_eq!(HttpsUrl::parse("http://example.com"), Err(HttpsUrlFault::NotHttps));
/// assert_eq!(HttpsUrl::parse("https://ada:secret@example.com"), Err(HttpsUrlFault::UserInfo));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct HttpsUrl {
    written: String,
    url: Url,
}

/// Why text is not such an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HttpsUrlFault {
    /// Nothing is left after trimming.
    #[error("must not be empty")]
    Empty,
    /// More characters than [`HttpsUrl::MAX_LENGTH`].
    #[error("must have at most {} characters", HttpsUrl::MAX_LENGTH)]
    TooLong,
    /// Another scheme, or none.
    #[error("must be an https:// address")]
    NotHttps,
    /// A user name or password before the host.
    #[error("must not contain a user name or password")]
    UserInfo,
    /// The text is not an address.
    #[error("is not a valid address")]
    Malformed,
}

impl HttpsUrl {
    /// The most characters of an address.
    pub const MAX_LENGTH: usize = 2_048;

    /// Parses an address; surrounding blanks are dropped.
    pub fn parse(text: &str) -> Result<Self, HttpsUrlFault> {
        let written = text.trim();
        if written.is_empty() {
            return Err(HttpsUrlFault::Empty);
        }
        if written.chars().count() > Self::MAX_LENGTH {
            return Err(HttpsUrlFault::TooLong);
        }
        if !written.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
            return Err(HttpsUrlFault::NotHttps);
        }
        // Browsers accept blanks, line breaks and backslashes in an address, which can hide the host that is
        // actually called. They are refused here.
        if written.contains(|c: char| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err(HttpsUrlFault::Malformed);
        }
        // Extra slashes before the host and empty user info are refused for the same reason.
        let behind = written.get(8..).unwrap_or_default();
        let authority = behind.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(HttpsUrlFault::UserInfo);
        }
        if authority.is_empty() {
            return Err(HttpsUrlFault::Malformed);
        }
        let url = Url::parse(written).map_err(|_not_a_url| HttpsUrlFault::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(HttpsUrlFault::UserInfo);
        }
        let has_host = url.host().is_some_and(|host| match host {
            Host::Domain(name) => !name.trim_end_matches('.').is_empty(),
            Host::Ipv4(_) | Host::Ipv6(_) => true,
        });
        if !has_host || url.port() == Some(0) {
            return Err(HttpsUrlFault::Malformed);
        }
        Ok(Self { written: written.to_owned(), url })
    }

    /// A stored address, independent of the present rules for input.
    ///
    /// # Errors
    /// [`HttpsUrlFault::Malformed`] when it is not a URL (WHATWG URL Standard).
    pub fn from_stored(written: String) -> Result<Self, HttpsUrlFault> {
        let url = Url::parse(&written).map_err(|_not_a_url| HttpsUrlFault::Malformed)?;
        Ok(Self { written, url })
    }

    /// The address as it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The parsed address: its host has one spelling, however it was written.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

impl fmt::Debug for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpsUrl({})", self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_plain_https_addresses_are_taken() {
        for (text, fault) in [
            ("  ", HttpsUrlFault::Empty),
            ("http://example.com", HttpsUrlFault::NotHttps),
            ("ftp://example.com", HttpsUrlFault::NotHttps),
            ("example.com", HttpsUrlFault::NotHttps),
            ("https:/example.com", HttpsUrlFault::NotHttps),
            ("https:\\\\example.com", HttpsUrlFault::NotHttps),
            ("https://", HttpsUrlFault::Malformed),
            ("https://.", HttpsUrlFault::Malformed),
            ("https://exa mple.com", HttpsUrlFault::Malformed),
            ("https://example.com\\@evil.example", HttpsUrlFault::Malformed),
            ("https://exam\nple.com", HttpsUrlFault::Malformed),
            ("https://example.com:99999", HttpsUrlFault::Malformed),
            ("https://example.com:0", HttpsUrlFault::Malformed),
            ("https://ada@example.com", HttpsUrlFault::UserInfo),
            ("https://:pw@example.com", HttpsUrlFault::UserInfo),
            ("https://@example.com", HttpsUrlFault::UserInfo),
            ("https://:@example.com", HttpsUrlFault::UserInfo),
            ("https:///example.com", HttpsUrlFault::Malformed),
        ] {
            assert_eq!(HttpsUrl::parse(text), Err(fault), "{text}");
        }
        let longest = format!("https://example.com/{}", "a".repeat(2_048 - 20));
        assert!(HttpsUrl::parse(&longest).is_ok());
        assert_eq!(HttpsUrl::parse(&format!("{longest}a")), Err(HttpsUrlFault::TooLong));
    }

    #[test]
    fn every_spelling_of_an_address_is_called_by_one() {
        for text in [
            "https://127.1/", "https://0x7f.1", "https://2130706433", "https://0177.0.0.1",
            "HTTPS://１２７.0.0.1/",
        ] {
            let url = HttpsUrl::parse(text).unwrap();
            assert_eq!(url.url().host_str(), Some("127.0.0.1"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_taken_is_https_and_reads_the_same_again(text in "(https://)?\\PC{0,60}") {
            if let Ok(url) = HttpsUrl::parse(&text) {
                prop_assert_eq!(url.url().scheme(), "https");
                prop_assert!(url.url().username().is_empty() && url.url().password().is_none());
                prop_assert_eq!(HttpsUrl::parse(url.as_str()).unwrap(), url);
            }
        }
    }
}
