//! A throw-away embedded database.

use tempfile::TempDir;

use crate::scratch;

/// The URL of an embedded database in a directory of its own; the file is created when it is first opened.
///
/// The directory and the database in it are removed when the guard is dropped: keep the guard as long as the
/// store is open.
#[must_use]
pub fn temporary() -> (TempDir, String) {
    let dir = tempfile::Builder::new()
        .prefix("countinghouse-sqlite-")
        .tempdir_in(scratch::directory())
        .expect("a temporary directory can be made");
    let url = format!("sqlite://{}/countinghouse.db", dir.path().display());
    (dir, url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_database_has_a_place_of_its_own_that_goes_with_the_guard() {
        let ((one, url), (_other, other_url)) = (temporary(), temporary());
        assert_ne!(url, other_url);
        let path = std::path::PathBuf::from(url.strip_prefix("sqlite://").unwrap());
        assert!(path.is_absolute() && path.starts_with(one.path()));
        std::fs::write(&path, "rows").unwrap();
        drop(one);
        assert!(!path.exists());
    }
}
