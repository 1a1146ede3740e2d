//! `restore`: replaces the embedded database with a backup.
//!
//! The backup is copied and the copy is verified completely before the database is touched. The old database
//! is kept under another name. The next start migrates an older backup, as always.

mod swap;

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use kernel::{Clock as _, SystemClock};
use store_diesel::{DatabaseKind, EmbeddedFile, Findings};

use super::backup::Copied;
use crate::master_key::{MasterKey, make_private_folder};
use crate::new_file;
use crate::output::Output;
use crate::settings::Settings;

/// Runs `restore`.
///
/// # Errors
/// The failure, described for the operator; the database is then unchanged.
pub async fn run(settings: &Settings, file: &Path, output: Output) -> anyhow::Result<()> {
    let Some(database) = EmbeddedFile::of(settings.database_url().reveal()) else {
        bail!(
            "restore is for the embedded database; to PostgreSQL restore with: \
             pg_restore --clean --if-exists --no-owner --exit-on-error --single-transaction --dbname=\"$DATABASE_URL\" countinghouse.dump"
        );
    };
    let database = swap::behind_link(database)?;
    let key = MasterKey::present(settings, DatabaseKind::Sqlite)?;
    let kind = std::fs::metadata(file).with_context(|| format!("cannot copy {}", file.display()))?;
    // A pipe or a device may have no end.
    if !kind.is_file() {
        bail!("{} is no file: a backup is one, as `countinghouse backup` writes it", file.display());
    }
    make_private_folder(&settings.data_dir)?;
    let (backup, place) = (file.to_owned(), database.clone());
    let done = tokio::task::spawn_blocking(move || restore(&backup, &place, key.as_ref()));
    let (copied, kept_as) = done.await??;
    output.show(&copied, |copied| {
        let (file, place) = (copied.file.display(), database.path().display());
        let restored = format!("{file} ({} bytes) is now {place}.", copied.bytes);
        match kept_as {
            Some(kept_as) => format!(
                "{restored}\nThe database that was there is {}; remove it when it is no longer wanted.",
                kept_as.display()
            ),
            None => restored,
        }
    })
}

/// Restores the backup. Returns what was restored, and where the old database is now.
fn restore(
    backup: &Path,
    place: &EmbeddedFile,
    key: Option<&MasterKey>,
) -> anyhow::Result<(Copied, Option<PathBuf>)> {
    let name = backup.display();
    must_have_no_log(backup)?;
    if std::fs::exists(place.path())? {
        swap::lock_unused(place.path())?;
    }
    let new = new_file::begin(place.path());
    let new = new.with_context(|| format!("cannot write beside {}", place.path().display()))?;
    let bytes = copy(backup, new.path()).with_context(|| format!("cannot copy {name}"))?;
    let findings = EmbeddedFile::at(new.path()).inspect();
    let findings = findings.with_context(|| format!("{name} cannot be restored"))?;
    must_be_ours(&findings, key).with_context(|| format!("{name} cannot be restored"))?;
    let kept_as = swap::swap(new, place, SystemClock.now())?;
    let copied = Copied { file: backup.to_owned(), bytes };
    Ok((copied, kept_as))
}

/// Refuses a backup with a log (`-wal`) beside it: the file of a database in use lacks what is still in its
/// log.
fn must_have_no_log(backup: &Path) -> anyhow::Result<()> {
    let log = swap::with_ending(backup, "-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        bail!(
            "{} has a log beside it, {}: it is no backup, but a database in use or a copy of one; take a backup of it first",
            backup.display(),
            log.display()
        );
    }
    Ok(())
}

fn copy(backup: &Path, target: &Path) -> std::io::Result<u64> {
    let mut to = OpenOptions::new().write(true).open(target)?;
    let bytes = std::io::copy(&mut File::open(backup)?, &mut to)?;
    // When root restores for a service that runs as another user, the file must belong to the owner of the
    // folder. Other users may not change the owner, and do not need to.
    if let Some(folder) = target.parent().and_then(|folder| folder.metadata().ok()) {
        let _ = chown(target, Some(folder.uid()), Some(folder.gid()));
    }
    Ok(bytes)
}

fn must_be_ours(findings: &Findings, key: Option<&MasterKey>) -> anyhow::Result<()> {
    let newer: Vec<_> = findings.migrations.newer().collect();
    if !newer.is_empty() {
        bail!(
            "it is of a newer version of Countinghouse, with migrations that this one does not know ({}): install that version",
            newer.join(", ")
        );
    }
    let Some(check) = &findings.master_key_check else {
        return Ok(());
    };
    match key {
        Some(key) if key.fits(check) => Ok(()),
        Some(_) => bail!(
            "the master key does not fit it: set COUNTINGHOUSE_MASTER_KEY (or put master.key into the data directory) to the key \
             of the time when the backup was taken"
        ),
        None => bail!(
            "there is no master key, and a new one would not fit it: put the master.key that was kept apart into the data \
             directory, or set COUNTINGHOUSE_MASTER_KEY"
        ),
    }
}
