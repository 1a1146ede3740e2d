//! Opening the store on SQLite.

use store_schema::options::{OpenError, StoreOptions};
use store_schema::store::Store;

use super::pool::Pool;
use super::queries::ports;

/// Opens the store in the file at a path. The file and its directory are created if missing.
///
/// Call this on the process's main, multi-threaded tokio runtime, which runs statements that may run long.
///
/// # Errors
/// An [`OpenError`] when the path does not name a file, or the file cannot be opened.
pub async fn open(path: &str, options: &StoreOptions) -> Result<Store, OpenError> {
    check_path(path)?;
    Ok(ports::store(Pool::open(path, options).await?, options.announce))
}

/// Checks that a path names a file.
///
/// # Errors
/// [`OpenError::Malformed`].
pub fn check_path(path: &str) -> Result<(), OpenError> {
    if path.is_empty() || path.starts_with(":memory:") {
        let what = "it names no file; an embedded database lives in one";
        return Err(OpenError::Malformed(what.to_owned()));
    }
    Ok(())
}
