//! URLs that a secret may be sent to.

use std::net::IpAddr;

use reqwest::Url;

/// Why a URL is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlFault {
    /// It is not a URL.
    #[error("must be an https:// address")]
    Malformed,
    /// It is neither HTTPS nor a URL of this machine.
    #[error("must begin with https://, or http:// for this machine itself")]
    InTheClear,
}

/// Parses a URL that a secret may be sent to: HTTPS, or plain HTTP to this machine, where a stand-in for the
/// other system may run. The URL must have no credentials and no query.
pub fn checked_url(text: &str) -> Result<Url, UrlFault> {
    let url = Url::parse(text.trim()).map_err(|_malformed| UrlFault::Malformed)?;
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let is_here = host == "localhost" || address.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    let is_bare = url.username().is_empty() && url.password().is_none() && url.query().is_none();
    match url.scheme() {
        "https" if is_bare => Ok(url),
        "http" if is_bare && is_here => Ok(url),
        "http" if is_bare => Err(UrlFault::InTheClear),
        _ => Err(UrlFault::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_is_sent_over_https_or_to_the_machine_itself() {
        for fine in [
            "https://api.example.com/v1", "http://127.0.0.1:4010/api", "http://[::1]:4010",
            "http://localhost",
        ] {
            assert!(checked_url(fine).is_ok(), "{fine}");
        }
        for clear in ["http://127.0.0.1.example.com/", "http://10.0.0.1", "http://localhost.example.com"] {
            assert_eq!(checked_url(clear), Err(UrlFault::InTheClear), "{clear}");
        }
        for bad in
            ["", "example", "ftp://localhost", "https://user:word@example.com", "https://example.com/?a"]
        {
            assert_eq!(checked_url(bad), Err(UrlFault::Malformed), "{bad}");
        }
    }
}
