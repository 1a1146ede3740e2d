//! A file in the making: under another name beside its own until it is whole, and gone if it never gets there.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A file that is being written, for its owner alone. Dropping it removes it.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    target: PathBuf,
}

impl Draft {
    /// Begins an empty file beside the place that it is for.
    ///
    /// # Errors
    /// What the system says.
    pub fn beside(target: &Path) -> io::Result<Self> {
        let name = target.file_name().ok_or(ErrorKind::InvalidInput)?;
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let path = folder(target).join(name);
        // One of this name is from a process long gone.
        let _ = std::fs::remove_file(&path);
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)?;
        Ok(Self {
            path,
            target: target.to_owned(),
        })
    }

    /// Where it is for now.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives the file its name, which nobody may have yet.
    ///
    /// # Errors
    /// What the system says; `AlreadyExists` when the name is taken.
    pub fn publish(self) -> io::Result<()> {
        self.sync()?;
        match std::fs::hard_link(&self.path, &self.target) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(error),
            // Some file systems know no second name for one file; then a moment's race with another writer is what is left.
            Err(_no_links_here) if !self.target.exists() => {
                std::fs::rename(&self.path, &self.target)?;
            }
            Err(error) => return Err(error),
        }
        let target = self.target.clone();
        drop(self);
        sync_folder(&target)
    }

    /// Gives the file its name, whoever has it.
    ///
    /// # Errors
    /// What the system says.
    pub fn replace(self) -> io::Result<()> {
        self.sync()?;
        std::fs::rename(&self.path, &self.target)?;
        sync_folder(&self.target)
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // It may have its name already.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Has the names in a file's folder reach the disk.
///
/// # Errors
/// What the system says.
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

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().unwrap();
        let name = |entry: io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries
            .map(name)
            .map(|n| n.into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_published_file_is_whole_private_and_new() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        let draft = Draft::beside(&target).unwrap();
        std::fs::write(draft.path(), "whole").unwrap();
        assert!(!target.exists());
        draft.publish().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "whole");
        let mode = std::fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        let second = Draft::beside(&target).unwrap();
        let refused = second.publish().unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "whole");
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn a_file_takes_anothers_place_at_once_or_goes_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        std::fs::write(&target, "old").unwrap();
        drop(Draft::beside(&target).unwrap());
        assert_eq!(names(folder.path()), ["file"]);
        let draft = Draft::beside(&target).unwrap();
        std::fs::write(draft.path(), "new").unwrap();
        draft.replace().unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(names(folder.path()), ["file"]);
    }
}
