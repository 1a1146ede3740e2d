//! From an address to a store.

use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "postgres")]
use crate::postgres;
#[cfg(feature = "sqlite")]
use crate::sqlite;
use crate::store::Store;

/// Whom a store tells of the webhook deliveries that it commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Announce {
    /// This process alone, whose delivery worker takes them at once.
    Here,
    /// Every process, for one that has no delivery worker and ends soon.
    ///
    /// PostgreSQL commits transactions that announce something one after the other, whatever they write. So
    /// whoever serves many payments does without. On SQLite it changes nothing: other processes see for
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
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            max_connections: 16,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(20),
            extra_ca_file: None,
            announce: Announce::Here,
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

/// Opens the store at an address: `sqlite://path`, or `postgres://user:password@host/database`.
///
/// The schema is left as it is (see [`Upkeep`](crate::Upkeep)). An embedded database's file and folder are
/// made if they are not there; PostgreSQL is connected to when it is first asked for something. Its `sslmode`
/// means what it means to libpq: `require` encrypts and trusts any certificate, `verify-ca` and `verify-full`
/// want one of a trusted authority for the server's name, and `prefer`, which is the default, encrypts if the
/// server can.
///
/// Call it on the process's main, multi-threaded tokio runtime, which drives the connections for as long as
/// the store is used. Of those to PostgreSQL, half are reserved for serving threads (see
/// [`Store::for_thread`]).
///
/// # Errors
/// An [`OpenError`].
pub async fn open(url: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    check_url(url)?;
    #[cfg(feature = "sqlite")]
    if let Some(path) = url.strip_prefix("sqlite://") {
        return sqlite::open(path, options).await;
    }
    #[cfg(feature = "postgres")]
    if !url.starts_with("sqlite://") {
        return postgres::open(url, options);
    }
    Err(OpenError::UnknownScheme)
}

/// Checks the form of a database's address without opening or connecting to anything.
///
/// # Errors
/// [`OpenError::UnknownScheme`] or [`OpenError::Malformed`].
pub fn check_url(url: &str) -> Result<(), OpenError> {
    #[cfg(feature = "sqlite")]
    if let Some(path) = url.strip_prefix("sqlite://") {
        if path.is_empty() || path.starts_with(":memory:") {
            let what = "it names no file; an embedded database lives in one";
            return Err(OpenError::Malformed(what.to_owned()));
        }
        return Ok(());
    }
    #[cfg(feature = "postgres")]
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(postgres_pool::check_url(url)?);
    }
    Err(OpenError::UnknownScheme)
}
