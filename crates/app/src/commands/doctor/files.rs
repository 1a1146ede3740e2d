//! The folders that the service writes to, and the disks that they are on.

use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use store_diesel::EmbeddedFile;

use super::finding::{CheckOutcome, run_blocking};
use crate::settings::Settings;

/// The minimum of free bytes, on a disk of any size.
const MIN_FREE: u64 = 1 << 30;

/// The minimum of free space as a fraction of the disk: one part in this many.
const MIN_PART: u64 = 20;

/// Whether the data directory exists, is writable, and belongs to the service.
pub(super) async fn data_directory(settings: &Settings) -> CheckOutcome {
    let folder = settings.data_dir.clone();
    let database = EmbeddedFile::of(settings.database_url().reveal());
    run_blocking(move || {
        let said = inspect(&folder, database.is_some())?;
        let beside = database.as_ref().and_then(|file| file.path().parent());
        if let Some(beside) = beside.filter(|beside| *beside != folder)
            && let Ok(found) = beside.metadata()
        {
            kept_from_others(beside, &found)?;
        }
        Ok(said)
    })
    .await
}

fn inspect(folder: &Path, holds_the_database: bool) -> Result<String, String> {
    let name = folder.display();
    let Ok(found) = folder.metadata() else {
        if holds_the_database {
            return Err(format!(
                "{name} is not there: run this where the service runs and with its settings, or start `countinghouse serve` once, \
                 which makes it"
            ));
        }
        return Ok(format!("{name} is not there yet; it is made when it is needed"));
    };
    if !found.is_dir() {
        return Err(format!("{name} is no directory: set COUNTINGHOUSE_DATA_DIR to one"));
    }
    may_write(folder).map_err(|error| {
        format!(
            "{name} cannot be written to ({error}): give it to the user that the service runs as, with chown"
        )
    })?;
    let mode = kept_from_others(folder, &found)?;
    let advice = if mode & 0o055 == 0 {
        "for its owner alone"
    } else {
        "and others may look into it: better chmod 700"
    };
    Ok(format!("{name} can be written to; mode {mode:03o}, {advice}"))
}

/// The mode of a folder in which only its owner may change files. A sticky one, such as `/tmp`, is.
fn kept_from_others(folder: &Path, found: &Metadata) -> Result<u32, String> {
    let (name, mode) = (folder.display(), found.mode() & 0o777);
    if mode & 0o022 != 0 && found.mode() & 0o1000 == 0 {
        return Err(format!("{name} can be written to by others (mode {mode:03o}): chmod 700 {name}"));
    }
    Ok(mode)
}

/// Tries to write a file of a few KiB in a folder, and removes it at once: a full disk may still allow an
/// empty one.
pub(super) fn may_write(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(format!(".doctor.{}", std::process::id()));
    let mut created = OpenOptions::new().write(true).create_new(true).open(&file)?;
    let written = created.write_all(&[0; 16 * 1024]).and_then(|()| created.sync_all());
    std::fs::remove_file(&file).and(written)
}

/// Whether anybody but its owner may read a file.
pub(super) fn others_may_read(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.mode() & 0o077 != 0)
}

/// How much space is free on the disks of the data directory, its folders and the embedded database.
pub(super) async fn disk(settings: &Settings) -> CheckOutcome {
    let data = settings.data_dir.clone();
    let database = EmbeddedFile::of(settings.database_url().reveal());
    run_blocking(move || {
        let folders = ["mail", "messages", "media"].map(|name| data.join(name));
        let database = database.as_ref().and_then(|file| file.path().parent());
        let all = std::iter::once(&*data).chain(database).chain(folders.iter().map(PathBuf::as_path));
        room_in_each(all.map(nearest))
    })
    .await
}

/// The space on each disk once.
fn room_in_each(folders: impl Iterator<Item = PathBuf>) -> Result<String, String> {
    let (mut seen, mut free, mut full) = (BTreeSet::new(), Vec::new(), Vec::new());
    for folder in folders {
        let device = folder.metadata().map(|found| found.dev()).ok();
        if device.is_some_and(|device| !seen.insert(device)) {
            continue;
        }
        match room_in(&folder) {
            Ok(said) => free.push(said),
            Err(said) => full.push(said),
        }
    }
    if full.is_empty() { Ok(free.join("; ")) } else { Err(full.join("; ")) }
}

fn room_in(folder: &Path) -> Result<String, String> {
    let name = folder.display();
    let found = File::open(folder)
        .map_err(|error| error.to_string())
        .and_then(|folder| rustix::fs::fstatvfs(folder).map_err(|error| error.to_string()));
    let found = found.map_err(|error| format!("{name}: the room left cannot be told ({error})"))?;
    let (free, total) =
        (found.f_bavail.saturating_mul(found.f_frsize), found.f_blocks.saturating_mul(found.f_frsize));
    let said = format!("{} of {} free at {name}", in_words(free), in_words(total));
    if free < MIN_FREE || free < total / MIN_PART {
        return Err(format!(
            "{said}: make room, or move what is there to a larger disk; a full one stops every write to it"
        ));
    }
    Ok(said)
}

/// The folder itself, or its nearest ancestor that exists.
fn nearest(folder: &Path) -> PathBuf {
    let there = folder.ancestors().find(|folder| folder.is_dir());
    there.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

fn in_words(bytes: u64) -> String {
    match bytes >> 20 {
        mebibytes if mebibytes < 10 * 1024 => format!("{mebibytes} MiB"),
        mebibytes => format!("{} GiB", mebibytes >> 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn missing_foreign_or_shared_directory_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        assert!(inspect(&data, true).unwrap_err().contains("not there"));
        assert!(inspect(&data, false).is_ok());
        assert!(!data.exists(), "a look makes nothing");
        std::fs::create_dir(&data).unwrap();
        for (mode, fine) in [(0o700, true), (0o755, true), (0o777, false), (0o770, false)] {
            set_permissions(&data, Permissions::from_mode(mode)).unwrap();
            assert_eq!(inspect(&data, true).is_ok(), fine, "{mode:o}");
        }
        assert_eq!(data.read_dir().unwrap().count(), 0);
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(inspect(&file, true).unwrap_err().contains("no directory"));
    }

    #[test]
    fn each_disk_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let (Ok(said) | Err(said)) =
            room_in_each([folder.path().to_owned(), nearest(&folder.path().join("mail"))].into_iter());
        assert_eq!(said.matches("free at").count(), 1, "{said}");
        let (Ok(said) | Err(said)) =
            room_in_each([folder.path().to_owned(), PathBuf::from("/proc")].into_iter());
        assert_eq!(said.matches(" at /proc").count(), 1, "{said}");
    }

    #[test]
    fn free_space_is_reported_for_a_missing_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(nearest(&folder.path().join("a/b")), folder.path());
        let (Ok(said) | Err(said)) = room_in(folder.path());
        assert!(said.contains("free at"), "{said}");
        assert_eq!((in_words(5 << 20), in_words(20 << 30)), ("5 MiB".to_owned(), "20 GiB".to_owned()));
    }
}
