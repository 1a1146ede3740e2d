//! The URL of a PostgreSQL database, with libpq's `sslmode`.

use std::path::PathBuf;

use tokio_postgres::Config;
use tokio_postgres::config;

use crate::options::ConfigError;

/// What libpq's `sslmode` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SslMode {
    /// No TLS.
    Disable,
    /// TLS if the server supports it, with any certificate.
    Prefer,
    /// TLS with any certificate: it protects against eavesdropping, not against an impostor.
    Require,
    /// TLS with a certificate of a trusted authority for the server's name.
    Verify,
}

/// A parsed URL.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) ssl_mode: SslMode,
    /// libpq's `sslrootcert`: trusted instead of the system's authorities.
    pub(crate) root_certificates: Option<PathBuf>,
}

impl Address {
    /// Parses a URL. The TLS parameters are parsed here, since tokio-postgres does not know all of them.
    pub(crate) fn parse(url: &str) -> Result<Self, ConfigError> {
        let (base, parameters) = url.split_once('?').unwrap_or((url, ""));
        let (mut ssl_mode, mut root_certificates, mut rest) = (SslMode::Prefer, None, Vec::new());
        for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", mode)) => ssl_mode = SslMode::parse(mode)?,
                Some(("sslrootcert", "system")) => {}
                Some(("sslrootcert", file)) => root_certificates = Some(PathBuf::from(file)),
                _ => rest.push(parameter),
            }
        }
        let plain = match rest.as_slice() {
            [] => base.to_owned(),
            rest => format!("{base}?{}", rest.join("&")),
        };
        // tokio-postgres' message about a malformed URL contains no password.
        let mut config: Config = plain
            .parse()
            .map_err(|source: tokio_postgres::Error| ConfigError::Malformed(source.to_string()))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(ConfigError::Malformed("it names no host".to_owned()));
        }
        config.ssl_mode(match ssl_mode {
            SslMode::Disable => config::SslMode::Disable,
            SslMode::Prefer => config::SslMode::Prefer,
            SslMode::Require | SslMode::Verify => config::SslMode::Require,
        });
        Ok(Self { config, ssl_mode, root_certificates })
    }
}

impl SslMode {
    fn parse(mode: &str) -> Result<Self, ConfigError> {
        match mode {
            "disable" => Ok(Self::Disable),
            "allow" | "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            // The name is checked for both: a certificate for another name proves nothing.
            "verify-ca" | "verify-full" => Ok(Self::Verify),
            _ => Err(ConfigError::Malformed(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full".to_owned(),
            )),
        }
    }
}

/// Checks the form of an address without connecting to it.
///
/// # Errors
/// [`ConfigError::Malformed`].
pub fn check_url(url: &str) -> Result<(), ConfigError> {
    Address::parse(url).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_with_any_libpq_sslmode_is_parsed() {
        for (mode, ssl_mode, driver_mode) in [
            ("", SslMode::Prefer, config::SslMode::Prefer),
            ("?sslmode=disable", SslMode::Disable, config::SslMode::Disable),
            ("?sslmode=require&connect_timeout=3", SslMode::Require, config::SslMode::Require),
            ("?sslmode=verify-full&sslrootcert=ca.pem", SslMode::Verify, config::SslMode::Require),
        ] {
            let address = Address::parse(&format!("postgres://u:p@db.example/x{mode}")).unwrap();
            assert_eq!(address.ssl_mode, ssl_mode, "{mode}");
            assert_eq!(address.config.get_ssl_mode(), driver_mode, "{mode}");
            assert_eq!(address.config.get_dbname(), Some("x"));
        }
    }

    #[test]
    fn address_malformed_is_refused_without_the_password() {
        for url in [
            "postgres://",
            "postgres://u:hunter2@h:port/x",
            "postgres://u:hunter2@h/x?sslmode=on",
            "postgres://u:hunter2@h/x?nonsense=1",
        ] {
            let error = Address::parse(url).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
