//! Replaces one database file with another, so that a crash at any moment leaves one of the two in place.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use rustix::fs::{FlockOperation, fcntl_lock};
use rustix::io::Errno;
use store_diesel::EmbeddedFile;
use tempfile::NamedTempFile;
use time::OffsetDateTime;
use time::macros::format_description;

use crate::new_file::{self, sync_folder};

/// The database that a symbolic link leads to: replacing the link itself would move the database to the disk
/// of the link.
pub(super) fn behind_link(database: EmbeddedFile) -> anyhow::Result<EmbeddedFile> {
    let path = database.path();
    if !path.is_symlink() {
        return Ok(database);
    }
    let target = path.canonicalize();
    let target = target.with_context(|| format!("cannot find what the link {} leads to", path.display()))?;
    Ok(EmbeddedFile::at(&target))
}

/// Puts the new file in the database's place. The old file is kept under another name, which is returned.
pub(super) fn swap(
    new: NamedTempFile,
    place: &EmbeddedFile,
    now: OffsetDateTime,
) -> anyhow::Result<Option<PathBuf>> {
    let database = place.path();
    let in_place = || format!("cannot put the backup in the place of {}", database.display());
    if !std::fs::exists(database)? {
        move_log(database, &free_name(database, now)?)?;
        new_file::replace(new, database).with_context(in_place)?;
        return Ok(None);
    }
    // With its log folded in, the old database is one file, which can be replaced atomically. A damaged
    // database stays as it is.
    let _ = place.merge_log();
    let _held_to_the_end = lock_unused(database)?;
    let kept_as = free_name(database, now)?;
    // Link a second name first, so that a file exists under the first name at all times.
    std::fs::hard_link(database, &kept_as)
        .with_context(|| format!("cannot keep {} as {}", database.display(), kept_as.display()))?;
    // SQLite would take a log under the old name for the log of the new database.
    move_log(database, &kept_as)?;
    sync_folder(database)?;
    new_file::replace(new, database).with_context(in_place)?;
    Ok(Some(kept_as))
}

/// Locks the database file, so that no process has it open until the lock is dropped. In this journal mode
/// SQLite holds a lock on part of the file while the database is open; locking the whole file fails then.
pub(super) fn lock_unused(database: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().read(true).write(true).open(database);
    let file = file.with_context(|| format!("cannot open {}", database.display()))?;
    match fcntl_lock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(Errno::ACCESS | Errno::AGAIN) => bail!(
            "{} is in use: stop the service, and whatever else has the database open, then restore",
            database.display()
        ),
        Err(error) => Err(error).with_context(|| format!("cannot lock {}", database.display())),
    }
}

/// The path with `ending` appended.
pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut whole = OsString::from(path);
    whole.push(ending);
    PathBuf::from(whole)
}

/// A free name, also for a second restore within the same second.
fn free_name(database: &Path, now: OffsetDateTime) -> anyhow::Result<PathBuf> {
    let stamp = now.format(format_description!("[year][month][day]T[hour][minute][second]Z"))?;
    let first = with_ending(database, &format!(".before-restore-{stamp}"));
    let others = (2..100_u32).map(|n| with_ending(&first, &format!("-{n}")));
    std::iter::once(first.clone())
        .chain(others)
        .find(|name| !name.exists())
        .with_context(|| format!("{} and all names like it are taken", first.display()))
}

fn move_log(database: &Path, kept_as: &Path) -> anyhow::Result<()> {
    for ending in ["-wal", "-shm"] {
        let (from, to) = (with_ending(database, ending), with_ending(kept_as, ending));
        match std::fs::rename(&from, to) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("cannot move {}", from.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn link_to_a_database_leads_to_its_target_or_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (link, target) = (folder.path().join("x.db"), folder.path().join("disk/x.db"));
        std::fs::create_dir(folder.path().join("disk")).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let found = || behind_link(EmbeddedFile::at(&link));
        assert!(found().unwrap_err().to_string().starts_with("cannot find what the link"));
        std::fs::write(&target, "old").unwrap();
        assert_eq!(found().unwrap().path(), target.canonicalize().unwrap());
        assert_eq!(behind_link(EmbeddedFile::at(&target)).unwrap().path(), target);
    }

    #[test]
    fn swapped_out_file_is_kept_with_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        std::fs::write(at("x.db"), "no database, so no log can be folded in").unwrap();
        std::fs::write(at("x.db-wal"), "log").unwrap();
        let place = EmbeddedFile::at(&at("x.db"));
        let new = new_file::begin(&at("x.db")).unwrap();
        std::fs::write(new.path(), "new").unwrap();
        let now = datetime!(2026-11-20 02:09:06 UTC);
        let kept_as = swap(new, &place, now).unwrap().unwrap();
        assert_eq!(kept_as, at("x.db.before-restore-20261120T020906Z"));
        assert_eq!(read("x.db"), "new");
        assert!(std::fs::read_to_string(&kept_as).unwrap().starts_with("no"));
        assert_eq!(read("x.db.before-restore-20261120T020906Z-wal"), "log");
        assert!(!at("x.db-wal").exists());

        let new = new_file::begin(&at("x.db")).unwrap();
        let second = swap(new, &place, now).unwrap().unwrap();
        assert_eq!(second, with_ending(&kept_as, "-2"));
        assert_eq!(std::fs::read_to_string(second).unwrap(), "new");
    }
}
