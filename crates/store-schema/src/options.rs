//! How a store is opened, and why opening can fail.

use std::path::PathBuf;
use std::time::Duration;

use crate::layout::Layout;

/// Which processes a store notifies of the webhook deliveries that it commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announce {
    /// Only this process, whose delivery worker takes them at once.
    Here,
    /// Every process, for a process that has no delivery worker and ends soon.
    ///
    /// PostgreSQL commits announcing transactions one after the other, whatever they write, so a service with
    /// many payments does not announce. On SQLite this changes nothing: other processes notice commits by
    /// themselves.
    Everywhere,
}

/// How a store uses its database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The maximum number of open connections.
    pub max_connections: usize,
    /// How long to wait for a connection.
    pub acquire_timeout: Duration,
    /// Certificates that are trusted beside the system's, for `sslmode=verify-full`.
    pub extra_ca_file: Option<PathBuf>,
    /// Which processes are notified of the webhook deliveries that it commits.
    pub announce: Announce,
    /// The placement of the tables. SQLite has only one.
    pub layout: Layout,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            max_connections: 16,
            acquire_timeout: Duration::from_secs(5),
            extra_ca_file: None,
            announce: Announce::Here,
            layout: Layout::OneServer,
        }
    }
}

/// Why a store cannot be opened. No message contains a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL has a scheme that this store does not know.
    #[error("a database is addressed as sqlite://path or postgres://user:password@host/database")]
    UnknownScheme,
    /// The URL cannot be parsed.
    #[error("the database's address cannot be read: {0}")]
    Malformed(String),
    /// The file of trusted certificates cannot be used.
    #[error("the certificates in {} cannot be used", file.display())]
    Certificates {
        file: PathBuf,
        /// Why it cannot be used.
        source: kernel::errors::Source,
    },
    /// The database cannot be opened.
    #[error("the database cannot be opened")]
    Open(#[source] kernel::errors::Source),
}

#[cfg(feature = "postgres")]
impl From<postgres_pool::ConfigError> for OpenError {
    fn from(error: postgres_pool::ConfigError) -> Self {
        use postgres_pool::ConfigError;
        match error {
            ConfigError::Malformed(what) => Self::Malformed(what),
            ConfigError::Certificates { file, source } => Self::Certificates { file, source },
            ConfigError::Setup(source) => Self::Open(source),
        }
    }
}
