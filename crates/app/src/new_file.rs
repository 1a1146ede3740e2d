//! A file that appears under its name only when it is complete: written under a temporary name beside it,
//! synced, then renamed.
//!
//! Only its owner may read it. Dropping it before the rename removes it.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::NamedTempFile;

/// Creates an empty temporary file beside `target`.
///
/// # Errors
/// The error of the operating system.
pub fn begin(target: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
    tempfile::Builder::new()
        .prefix(&format!(".{}.", name.to_string_lossy()))
        .suffix(".part")
        .tempfile_in(folder(target))
}

/// Renames the file to `target`, which must not exist.
///
/// # Errors
/// The error of the operating system; `AlreadyExists` when the name is taken.
pub fn publish(file: NamedTempFile, target: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist_noclobber(target)?;
    sync_folder(target)
}

/// Renames the file to `target`, and replaces a file of that name.
///
/// # Errors
/// The error of the operating system.
pub fn replace(file: NamedTempFile, target: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(target)?;
    sync_folder(target)
}

/// Syncs the folder of a file, so that a rename survives a power cut.
///
/// # Errors
/// The error of the operating system.
pub fn sync_folder(file: &Path) -> io::Result<()> {
    File::open(folder(file))?.sync_all()
}

fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn count(folder: &Path) -> usize {
        folder.read_dir().unwrap().count()
    }

    #[test]
    fn publish_names_a_private_file_and_never_replaces_one() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        let first = begin(&target).unwrap();
        std::fs::write(first.path(), "first").unwrap();
        assert!(!target.exists());
        publish(first, &target).unwrap();
        let mode = std::fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        let refused = publish(begin(&target).unwrap(), &target).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "first");
        assert_eq!(count(folder.path()), 1);
    }

    #[test]
    fn replace_takes_the_name_and_a_dropped_file_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        std::fs::write(&target, "old").unwrap();
        drop(begin(&target).unwrap());
        let new = begin(&target).unwrap();
        std::fs::write(new.path(), "new").unwrap();
        replace(new, &target).unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(count(folder.path()), 1);
    }
}
