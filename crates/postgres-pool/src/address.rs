//! The URL of a PostgreSQL database, with libpq's `sslmode`.

use std::path::PathBuf;

use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

use crate::options::ConfigError;

/// A parsed URL.
#[derive(Debug, Clone)]
pub(crate) struct DatabaseUrl {
    pub(crate) config: Config,
    /// Whether the server's certificate must be of a trusted authority for the server's name.
    pub(crate) verifies_server: bool,
    /// libpq's `sslrootcert`: trusted instead of the system's authorities.
    pub(crate) root_certificates: Option<PathBuf>,
    /// The names of its parameters: tokio-postgres does not tell a default from the same value in the URL.
    pub(crate) parameters: Vec<String>,
}

impl DatabaseUrl {
    /// Parses a URL. The TLS parameters are parsed here, since tokio-postgres does not know all of them.
    pub(crate) fn parse(url: &str) -> Result<Self, ConfigError> {
        let (base, parameters) = url.split_once('?').unwrap_or((url, ""));
        let (mut ssl_mode, mut verifies_server) = (SslMode::Prefer, false);
        let (mut root_certificates, mut rest) = (None, Vec::new());
        let parameters: Vec<&str> = parameters.split('&').filter(|text| !text.is_empty()).collect();
        for parameter in parameters.iter().copied() {
            match parameter.split_once('=') {
                Some(("sslmode", mode)) => (ssl_mode, verifies_server) = parse_ssl_mode(mode)?,
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
        config.ssl_mode(ssl_mode);
        let names = parameters.iter().filter_map(|parameter| parameter.split_once('='));
        let parameters = names.map(|(name, _)| name.to_owned()).collect();
        Ok(Self { config, verifies_server, root_certificates, parameters })
    }

    /// The same database with the same user on another server.
    pub(crate) fn replace_server(&mut self, host: &str, port: u16) {
        let old = std::mem::take(&mut self.config);
        let new = &mut self.config;
        new.host(host).port(port).ssl_mode(old.get_ssl_mode());
        old.get_user().map(|user| new.user(user));
        old.get_password().map(|password| new.password(password));
        old.get_dbname().map(|name| new.dbname(name));
        old.get_options().map(|options| new.options(options));
        old.get_connect_timeout().map(|timeout| new.connect_timeout(*timeout));
        old.get_tcp_user_timeout().map(|timeout| new.tcp_user_timeout(*timeout));
        old.get_keepalives_interval().map(|interval| new.keepalives_interval(interval));
        old.get_keepalives_retries().map(|retries| new.keepalives_retries(retries));
        new.keepalives(old.get_keepalives()).keepalives_idle(old.get_keepalives_idle());
        new.target_session_attrs(old.get_target_session_attrs());
    }
}

/// What libpq's `sslmode` demands, and whether the server's certificate is verified. Without verification,
/// TLS protects against eavesdropping, but not against an impostor.
fn parse_ssl_mode(mode: &str) -> Result<(SslMode, bool), ConfigError> {
    match mode {
        "disable" => Ok((SslMode::Disable, false)),
        "allow" | "prefer" => Ok((SslMode::Prefer, false)),
        "require" => Ok((SslMode::Require, false)),
        // The name is checked for both modes: a certificate for another name proves nothing.
        "verify-ca" | "verify-full" => Ok((SslMode::Require, true)),
        _ => Err(ConfigError::Malformed(
            "sslmode must be disable, allow, prefer, require, verify-ca or verify-full".to_owned(),
        )),
    }
}

/// Checks the syntax of a URL without connecting.
///
/// # Errors
/// [`ConfigError::Malformed`].
pub fn check_url(url: &str) -> Result<(), ConfigError> {
    DatabaseUrl::parse(url).map(drop)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio_postgres::config::Host;

    use super::*;

    #[test]
    fn address_with_any_libpq_sslmode_is_parsed() {
        for (mode, ssl_mode, verifies_server) in [
            ("", SslMode::Prefer, false),
            ("?sslmode=disable", SslMode::Disable, false),
            ("?sslmode=require&connect_timeout=3", SslMode::Require, false),
            ("?sslmode=verify-full&sslrootcert=ca.pem", SslMode::Require, true),
        ] {
            let address = DatabaseUrl::parse(&format!("postgres://u:p@db.example/x{mode}")).unwrap();
            assert_eq!(address.config.get_ssl_mode(), ssl_mode, "{mode}");
            assert_eq!(address.verifies_server, verifies_server, "{mode}");
            assert_eq!(address.config.get_dbname(), Some("x"));
        }
    }

    #[test]
    fn address_of_another_server_keeps_user_database_and_tls() {
        let url = "postgres://u:p@db.example/x?sslmode=verify-full&keepalives_idle=7&keepalives_retries=2";
        let mut address = DatabaseUrl::parse(url).unwrap();
        address.replace_server("worker.example", 5433);
        let DatabaseUrl { config, verifies_server, .. } = address;
        assert_eq!(config.get_hosts(), [Host::Tcp("worker.example".to_owned())]);
        assert_eq!((config.get_ports(), config.get_hostaddrs()), (&[5433][..], &[][..]));
        let expected = (Some("u"), Some(&b"p"[..]), Some("x"), SslMode::Require, true);
        let user = (config.get_user(), config.get_password(), config.get_dbname());
        assert_eq!((user.0, user.1, user.2, config.get_ssl_mode(), verifies_server), expected);
        assert_eq!(config.get_keepalives_idle(), Duration::from_secs(7));
        assert_eq!(config.get_keepalives_retries(), Some(2));
    }

    #[test]
    fn address_malformed_is_refused_without_the_password() {
        for url in [
            "postgres://",
            "postgres://u:hunter2@h:port/x",
            "postgres://u:hunter2@h/x?sslmode=on",
            "postgres://u:hunter2@h/x?nonsense=1",
        ] {
            let error = DatabaseUrl::parse(url).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
