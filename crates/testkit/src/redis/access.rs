//! How a server is reached: its command-line options, and its URL.

use std::path::{Path, PathBuf};

/// How clients reach the server.
#[derive(Debug)]
pub(super) enum Access {
    Open,
    Password(String),
    Tls { certificate: PathBuf, key: PathBuf },
}

impl Access {
    pub(super) fn url(&self, port: u16) -> String {
        let before = match self {
            Self::Open => "redis://".to_owned(),
            Self::Password(password) => format!("redis://:{password}@"),
            Self::Tls { .. } => "rediss://".to_owned(),
        };
        format!("{before}127.0.0.1:{port}/0")
    }

    pub(super) fn options(&self, port: u16) -> Vec<String> {
        let port = port.to_string();
        let path = |path: &Path| path.display().to_string();
        let options: Vec<(&str, String)> = match self {
            Self::Open => vec![("--port", port)],
            Self::Password(password) => {
                vec![("--port", port), ("--requirepass", password.clone())]
            }
            Self::Tls { certificate, key } => vec![
                ("--port", "0".to_owned()),
                ("--tls-port", port),
                ("--tls-cert-file", path(certificate)),
                ("--tls-key-file", path(key)),
                ("--tls-auth-clients", "no".to_owned()),
            ],
        };
        let pairs = options.into_iter();
        pairs.flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }
}
