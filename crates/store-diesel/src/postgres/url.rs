//! The address of a PostgreSQL database, and how far TLS is to be trusted.

use std::path::PathBuf;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::open::OpenError;

/// What libpq's `sslmode` asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tls {
    /// No TLS.
    Disable,
    /// TLS if the server has it, whoever it is.
    Prefer,
    /// TLS, whoever the server is: it keeps out those who listen, not those who pose as the server.
    Require,
    /// TLS with a certificate of a trusted authority for the server's name.
    Verify,
}

/// Where to connect to, and how.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: Tls,
    /// libpq's `sslrootcert`: trusted instead of the system's authorities.
    pub(super) root_certificates: Option<PathBuf>,
}

impl Address {
    /// Reads a URL. The TLS parameters are read here, since tokio-postgres does not know all of them.
    pub(super) fn parse(url: &str) -> Result<Self, OpenError> {
        let (place, parameters) = url.split_once('?').unwrap_or((url, ""));
        let (mut tls, mut root_certificates, mut rest) = (Tls::Prefer, None, Vec::new());
        for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
            match parameter.split_once('=') {
                Some(("sslmode", mode)) => tls = Tls::parse(mode)?,
                Some(("sslrootcert", "system")) => {}
                Some(("sslrootcert", file)) => root_certificates = Some(PathBuf::from(file)),
                _ => rest.push(parameter),
            }
        }
        let plain = match rest.as_slice() {
            [] => place.to_owned(),
            rest => format!("{place}?{}", rest.join("&")),
        };
        // The message of a malformed URL is about its form; what it says of the parts it names holds no password.
        let mut config: Config = plain
            .parse()
            .map_err(|source: tokio_postgres::Error| OpenError::Malformed(source.to_string()))?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(OpenError::Malformed("it names no host".to_owned()));
        }
        config.ssl_mode(match tls {
            Tls::Disable => SslMode::Disable,
            Tls::Prefer => SslMode::Prefer,
            Tls::Require | Tls::Verify => SslMode::Require,
        });
        Ok(Self {
            config,
            tls,
            root_certificates,
        })
    }
}

impl Tls {
    fn parse(mode: &str) -> Result<Self, OpenError> {
        match mode {
            "disable" => Ok(Self::Disable),
            "allow" | "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            // The name is checked for both: a certificate for another name is no proof of anything.
            "verify-ca" | "verify-full" => Ok(Self::Verify),
            _ => Err(OpenError::Malformed(
                "sslmode must be disable, allow, prefer, require, verify-ca or verify-full"
                    .to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_of_libpq_is_understood() {
        for (mode, tls, wire) in [
            ("", Tls::Prefer, SslMode::Prefer),
            ("?sslmode=disable", Tls::Disable, SslMode::Disable),
            (
                "?sslmode=require&connect_timeout=3",
                Tls::Require,
                SslMode::Require,
            ),
            (
                "?sslmode=verify-full&sslrootcert=ca.pem",
                Tls::Verify,
                SslMode::Require,
            ),
        ] {
            let address = Address::parse(&format!("postgres://u:p@db.example/x{mode}")).unwrap();
            assert_eq!(address.tls, tls, "{mode}");
            assert_eq!(address.config.get_ssl_mode(), wire, "{mode}");
            assert_eq!(address.config.get_dbname(), Some("x"));
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_without_telling_the_password() {
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
