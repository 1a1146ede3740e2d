//! How a store is opened, and why it cannot be.

use std::path::PathBuf;
use std::time::Duration;

use crate::layout::Layout;

/// Whom a store tells of the webhook deliveries that it commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announce {
    /// This process alone, whose delivery worker takes them at once.
    Here,
    /// Every process, for one that has no delivery worker and ends soon.
    ///
    /// PostgreSQL commits transactions that announce something one after the other, whatever they write. So
    /// a service with many payments does without. On SQLite it changes nothing: other processes see for
    /// themselves that something was committed.
    Everywhere,
}

/// How a store uses its database.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The most connections that are open at once.
    pub max_connections: usize,
    /// How long is waited for one.
    pub acquire_timeout: Duration,
    /// How long PostgreSQL works on one statement.
    pub statement_timeout: Duration,
    /// Certificates that are trusted beside the system's, for `sslmode=verify-full`.
    pub extra_ca_file: Option<PathBuf>,
    /// Whom it tells of the webhook deliveries that it commits.
    pub announce: Announce,
    /// Where its tables are. SQLite has only one place for them.
    pub layout: Layout,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            max_connections: 16,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(20),
            extra_ca_file: None,
            announce: Announce::Here,
            layout: Layout::OneServer,
        }
    }
}

/// Why a store cannot be opened. No message tells a password.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The address is of no database that this store knows.
    #[error("a database is addressed as sqlite://path or postgres://user:password@host/database")]
    UnknownScheme,
    /// The address cannot be read.
    #[error("the database's address cannot be read: {0}")]
    Malformed(String),
    /// The file of trusted certificates cannot be used.
    #[error("the certificates in {} cannot be used", file.display())]
    Certificates {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
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
