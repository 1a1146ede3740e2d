//! Files that only their owner may read, written completely or not at all.
//!
//! Files that the service writes in place of a mail server or a provider hold links to payment pages. They
//! are written from threads of a runtime that may block.
//!
//! ```
//! # fn main() -> std::io::Result<()> {
//! # let root = tempfile::tempdir()?;
//! let folder = root.path().join("data/mail");
//! private_files::create_folder(&folder)?;
//! private_files::write_atomically(&folder, "1.eml", b"Subject: Invoice\r\n\r\n")?;
//! assert_eq!(std::fs::read_dir(&folder)?.count(), 1);
//! # Ok(())
//! # }
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

/// Creates a folder with mode 0700, and the folders above it. An existing folder stays as it is.
///
/// # Errors
/// The error of the operating system.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Writes a file with mode 0600 completely or not at all, also across a power cut. The folder is created if
/// it is missing. A file of this name is replaced. Concurrent writers of one name are not supported.
///
/// # Errors
/// The error of the operating system.
pub fn write_atomically(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    create_folder(folder)?;
    let unfinished = folder.join(format!(".{name}.tmp"));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&unfinished)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&unfinished, folder.join(name))?;
    // The new name is stored in the folder.
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folder_and_file_are_their_owners_alone() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("data/messages");
        for text in ["first, and longer", "second"] {
            write_atomically(&folder, "a.json", text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(folder.join("a.json")).unwrap(), text);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!((mode(&folder), mode(&folder.join("a.json"))), (0o700, 0o600));
    }

    #[test]
    fn what_cannot_be_written_leaves_the_file_as_it_was() {
        let root = tempfile::tempdir().unwrap();
        write_atomically(root.path(), "a.json", b"first").unwrap();
        // This blocks the unfinished file.
        fs::create_dir(root.path().join(".a.json.tmp")).unwrap();
        assert!(write_atomically(root.path(), "a.json", b"second").is_err());
        assert_eq!(fs::read(root.path().join("a.json")).unwrap(), b"first");
        assert!(write_atomically(&root.path().join("a.json"), "b", b"").is_err());
    }
}
