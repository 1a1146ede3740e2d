//! The data directory and the disk that it is on.

use std::fs::{File, OpenOptions};
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
    let holds_the_database = EmbeddedFile::of(settings.database_url().reveal()).is_some();
    run_blocking(move || inspect(&folder, holds_the_database)).await
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
    let mode = found.mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(format!("{name} can be written to by others (mode {mode:03o}): chmod 700 {name}"));
    }
    let advice = if mode & 0o055 == 0 {
        "for its owner alone"
    } else {
        "and others may look into it: better chmod 700"
    };
    Ok(format!("{name} can be written to; mode {mode:03o}, {advice}"))
}

/// Tries to create a file in a folder, and removes it at once.
pub(super) fn may_write(folder: &Path) -> std::io::Result<()> {
    let file = folder.join(format!(".doctor.{}", std::process::id()));
    OpenOptions::new().write(true).create_new(true).open(&file).map(drop)?;
    std::fs::remove_file(&file)
}

/// Whether anybody but its owner may read a file.
pub(super) fn others_may_read(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.mode() & 0o077 != 0)
}

/// How much space is free on the disk of the data directory.
pub(super) async fn disk(settings: &Settings) -> CheckOutcome {
    let folder = nearest(&settings.data_dir);
    run_blocking(move || room_in(&folder)).await
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
            "{said}: make room, or move COUNTINGHOUSE_DATA_DIR to a larger disk; a full one stops every write"
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
    fn free_space_is_reported_for_a_missing_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(nearest(&folder.path().join("a/b")), folder.path());
        let (Ok(said) | Err(said)) = room_in(folder.path());
        assert!(said.contains("free at"), "{said}");
        assert_eq!((in_words(5 << 20), in_words(20 << 30)), ("5 MiB".to_owned(), "20 GiB".to_owned()));
    }
}
