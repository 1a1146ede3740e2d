//! The configuration of a pool, and its errors.

use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) type Source = Box<dyn std::error::Error + Send + Sync>;

/// How a pool uses its database.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    /// The name under which the server lists the connections.
    pub application_name: &'static str,
    /// The maximum number of open connections.
    pub max_connections: usize,
    /// How many threads may have connections of their own. Together these threads get half of the
    /// connections.
    pub threads: usize,
    /// How long [`Pool::get`](crate::Pool::get) waits for a connection to become free or to be opened.
    pub acquire_timeout: Duration,
    /// How long the server may work on one statement.
    pub statement_timeout: Duration,
    /// Certificates that are trusted beside the system's, for `sslmode=verify-full`.
    pub extra_ca_file: Option<PathBuf>,
    /// A host name and a port that replace those of the URL, for another server of the same cluster.
    pub server: Option<(String, u16)>,
    /// Settings of every pooled connection, by name.
    pub settings: Vec<(&'static str, &'static str)>,
}

impl Default for PoolOptions {
    /// 16 connections, one thread for each processor, 5 s to acquire, 20 s for a statement.
    fn default() -> Self {
        Self {
            application_name: "postgres-pool",
            max_connections: 16,
            threads: std::thread::available_parallelism().map_or(1, NonZero::get),
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(20),
            extra_ca_file: None,
            server: None,
            settings: Vec::new(),
        }
    }
}

/// Why a pool cannot be configured. No message contains the password.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The URL cannot be parsed.
    #[error("the database's address cannot be read: {0}")]
    Malformed(String),
    /// The file of trusted certificates cannot be used.
    #[error("the certificates in {} cannot be used", file.display())]
    Certificates { file: PathBuf, source: Source },
    /// TLS or the pool cannot be set up.
    #[error("the connection pool cannot be set up")]
    Setup(#[source] Source),
}
