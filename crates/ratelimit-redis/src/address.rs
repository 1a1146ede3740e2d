//! The URL of Redis in the operator's settings.

use std::fmt;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _};

/// A valid `redis://` or `rediss://` URL. It may contain a password, which is never shown.
#[derive(Clone)]
pub struct RedisAddress(ConnectionInfo);

/// Why a URL is refused. The error contains no text of the URL, which may contain a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The URL has another scheme.
    #[error("must be a redis:// or rediss:// address")]
    Scheme,
    /// A part of it cannot be parsed.
    #[error(
        "is not well formed: write redis://user:password@host:6379/0 (user, password, port and database may be left out; special \
         characters in the password as %XX)"
    )]
    Malformed,
    /// Certificates would not be verified.
    #[error("must not end in #insecure: the server's certificate is always checked")]
    Insecure,
}

impl RedisAddress {
    /// Parses a URL: `redis://user:password@host:port/database`, or `rediss://` for TLS.
    ///
    /// # Errors
    /// An [`AddressError`], which does not repeat the URL.
    pub fn parse(url: &str) -> Result<Self, AddressError> {
        let url = url.trim();
        if !url.starts_with("redis://") && !url.starts_with("rediss://") {
            return Err(AddressError::Scheme);
        }
        // The library's message may repeat a part of the URL.
        let info = url.into_connection_info().map_err(|_may_show_the_password| AddressError::Malformed)?;
        match info.addr() {
            ConnectionAddr::TcpTls { insecure: true, .. } => Err(AddressError::Insecure),
            ConnectionAddr::Tcp(host, _) | ConnectionAddr::TcpTls { host, .. } if host.is_empty() => {
                Err(AddressError::Malformed)
            }
            _ => Ok(Self(info)),
        }
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        matches!(self.0.addr(), ConnectionAddr::TcpTls { .. })
    }

    pub(crate) fn info(&self) -> ConnectionInfo {
        self.0.clone()
    }
}

/// Shows only host and port.
impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.addr())
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisAddress({self}, the rest redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_and_shown_without_their_secrets() {
        let plain = RedisAddress::parse(" redis://127.0.0.1 ").unwrap();
        assert_eq!((plain.to_string().as_str(), plain.is_tls()), ("127.0.0.1:6379", false));
        let full = RedisAddress::parse("rediss://ada:s3cr%40t@cache.example.com:7000/3").unwrap();
        assert!(full.is_tls());
        assert_eq!(full.info().redis_settings().password(), Some("s3cr@t"));
        assert_eq!(full.info().redis_settings().db(), 3);
        for shown in [full.to_string(), format!("{full:?}")] {
            assert!(shown.contains("cache.example.com:7000"), "{shown}");
            assert!(!shown.contains("s3cr") && !shown.contains("ada"), "{shown}");
        }
    }

    #[test]
    fn faults_are_named_and_repeat_nothing() {
        for (url, fault) in [
            ("", AddressError::Scheme),
            ("hunter2", AddressError::Scheme),
            ("http://:hunter2@host", AddressError::Scheme),
            ("redis+unix:///hunter2", AddressError::Scheme),
            ("redis://", AddressError::Malformed),
            ("redis://:hunter2@", AddressError::Malformed),
            ("redis://:hunter2@host:port", AddressError::Malformed),
            ("redis://:hunter2@host/database", AddressError::Malformed),
            ("redis://host?protocol=hunter2", AddressError::Malformed),
            ("redis://0.0.0.0", AddressError::Malformed),
            ("rediss://:hunter2@host/#insecure", AddressError::Insecure),
        ] {
            let refused = RedisAddress::parse(url).unwrap_err();
            assert_eq!(refused, fault, "{url}");
            assert!(!refused.to_string().contains("hunter2"));
        }
    }
}
