//! The types of settings that are more than text or a number, and how each is parsed.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kernel::Currency;
use mail_lettre::{SenderAddress, SmtpUrl};
use ratelimit_redis::RedisAddress;
use serde::{Deserialize, Deserializer, de};
use tracing_subscriber::EnvFilter;
use url::Url;

/// Text that is kept out of logs.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

/// A master key: 32 bytes, written in base64. Never logged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MasterKeyBytes(pub [u8; 32]);

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What is logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFilter(String);

/// When the sandbox is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxMode {
    /// On with the embedded database.
    Auto,
    /// On with any database.
    On,
    Off,
}

impl<'de> Deserialize<'de> for SandboxMode {
    /// Accepts `auto`, and a boolean as text or as a boolean value.
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "must be auto, true or false")]
        enum Form {
            Flag(bool),
            Text(String),
        }
        match Form::deserialize(source)? {
            Form::Flag(true) => Ok(Self::On),
            Form::Flag(false) => Ok(Self::Off),
            Form::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "auto" => Ok(Self::Auto),
                "true" | "yes" => Ok(Self::On),
                "false" | "no" => Ok(Self::Off),
                _ => Err(de::Error::custom(format!("{text:?} must be auto, true or false"))),
            },
        }
    }
}

/// Whether the host of a URL is this machine only.
pub(super) fn is_loopback(url: &str) -> bool {
    let authority = url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next(),
        None => authority.split(':').next(),
    };
    let host = host.unwrap_or_default();
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A type that is parsed from a setting's text.
pub(super) trait FromSetting: Sized {
    /// Parses the text. The error says what is expected, and does not repeat text that may contain a
    /// password.
    fn from_setting(text: &str) -> Result<Self, String>;
}

/// For `#[config(deserialize_with = ..)]`: parses a setting through [`FromSetting`].
pub(super) fn parsed<'de, T: FromSetting, D: Deserializer<'de>>(source: D) -> Result<T, D::Error> {
    let text = String::deserialize(source)?;
    T::from_setting(&text).map_err(de::Error::custom)
}

impl FromSetting for SmtpUrl {
    fn from_setting(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|fault| fault.to_string())
    }
}

impl FromSetting for SenderAddress {
    fn from_setting(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|fault| fault.to_string())
    }
}

impl FromSetting for RedisAddress {
    fn from_setting(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|fault| fault.to_string())
    }
}

impl FromSetting for Currency {
    fn from_setting(text: &str) -> Result<Self, String> {
        Self::parse(text).map_err(|fault| format!("{text:?}: {fault}"))
    }
}

impl FromSetting for LogFilter {
    fn from_setting(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Err("must say what is logged, such as info".to_owned());
        }
        EnvFilter::try_new(text).map_err(|fault| format!("{text:?}: {fault}"))?;
        Ok(Self(text.to_owned()))
    }
}

impl LogFilter {
    /// The filter of log lines.
    #[must_use]
    pub fn filter(&self) -> EnvFilter {
        EnvFilter::new(&self.0)
    }
}

impl MasterKeyBytes {
    /// Reads 32 bytes in base64; `None` when the text is anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.trim()).ok()?;
        bytes.try_into().ok().map(Self)
    }
}

impl FromSetting for MasterKeyBytes {
    fn from_setting(text: &str) -> Result<Self, String> {
        let fault = || "must be 32 bytes in base64 (44 characters)".to_owned();
        Self::parse(text).ok_or_else(fault)
    }
}

impl FromSetting for Duration {
    fn from_setting(text: &str) -> Result<Self, String> {
        match humantime::parse_duration(text.trim()) {
            Ok(duration) if !duration.is_zero() => Ok(duration),
            _ => Err(format!(
                "{text:?} must be a length of time above 0 with its unit, such as 500ms, 15s, 5m, 2h or 1d"
            )),
        }
    }
}

/// Durations, separated by commas.
impl FromSetting for Vec<Duration> {
    fn from_setting(text: &str) -> Result<Self, String> {
        text.split(',').map(Duration::from_setting).collect()
    }
}

/// For `#[config(deserialize_with = ..)]`: the URL of a database.
pub(super) fn database_url<'de, D: Deserializer<'de>>(source: D) -> Result<Secret, D::Error> {
    let text = String::deserialize(source)?;
    store_diesel::check_url(&text).map_err(de::Error::custom)?;
    Ok(Secret(text))
}

/// For `#[config(deserialize_with = ..)]`: the base of the URLs that the service gives out, without a slash
/// at its end.
pub(super) fn public_url<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    base_url(&String::deserialize(source)?)
        .filter(|url| url.username().is_empty() && url.password().is_none())
        .map(without_slash)
        .ok_or_else(|| {
            de::Error::custom(
                "must be an http:// or https:// address with a valid host, without a user name and a query",
            )
        })
}

/// For `#[config(deserialize_with = ..)]`: the URL of a trace collector, which may contain a password.
pub(super) fn collector_url<'de, D: Deserializer<'de>>(source: D) -> Result<String, D::Error> {
    base_url(&String::deserialize(source)?).map(without_slash).ok_or_else(|| {
        de::Error::custom("must be the http:// or https:// address of a collector, without a query")
    })
}

/// Parses the base of other URLs. What the parser of URLs would read over is refused: further slashes before
/// the host, and line breaks.
fn base_url(text: &str) -> Option<Url> {
    let text = text.trim();
    let (_, rest) = text.split_once("://")?;
    if rest.starts_with(['/', '\\']) || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return None;
    }
    let url = Url::parse(text).ok()?;
    let is_host = |host: &str| {
        host.chars().all(|c| c.is_ascii_alphanumeric() || "-._:[]".contains(c))
            && host.trim_end_matches('.').split('.').all(|label| !label.is_empty())
    };
    let is_base = matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some_and(is_host)
        && url.port() != Some(0)
        && url.query().is_none()
        && url.fragment().is_none();
    is_base.then_some(url)
}

fn without_slash(url: Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

impl Secret {
    /// Wraps text as a secret.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The secret as plain text.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl fmt::Debug for MasterKeyBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKeyBytes(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_needs_a_unit_and_is_above_zero() {
        assert_eq!(Duration::from_setting(" 15s "), Ok(Duration::from_secs(15)));
        assert_eq!(Duration::from_setting("12h"), Ok(Duration::from_secs(43_200)));
        for bad in ["", "15", "s", "0s", "-1s", "1.5x", "99999999999999999999d"] {
            assert!(Duration::from_setting(bad).is_err(), "{bad}");
        }
        let several = Vec::<Duration>::from_setting("5m,30m");
        let expected = [300, 1_800].map(Duration::from_secs);
        assert_eq!(several, Ok(expected.to_vec()));
        assert!(Vec::<Duration>::from_setting("5m,").is_err());
    }

    #[test]
    fn a_master_key_is_32_bytes_in_base64() {
        let key = STANDARD.encode([7; 32]);
        assert_eq!(MasterKeyBytes::from_setting(&format!("{key}\n")), Ok(MasterKeyBytes([7; 32])));
        for bad in ["", "abc", &STANDARD.encode([7; 31]), "!"] {
            assert!(MasterKeyBytes::from_setting(bad).is_err(), "{bad}");
        }
    }
}
