//! `backup`: copies the embedded database, also while the server runs.
//!
//! The copy is the database as it was at one moment. It is verified before it gets its name, so a file with
//! that name is a complete backup.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::Serialize;
use store_diesel::EmbeddedFile;

use super::is_there;
use crate::new_file;
use crate::output::Output;
use crate::settings::Settings;

/// What `backup` and `restore` print.
#[derive(Debug, Serialize)]
pub struct Copied {
    /// The path of the backup, as the operator gave it.
    pub file: PathBuf,
    /// The size of the backup.
    pub bytes: u64,
}

/// Runs `backup`.
///
/// # Errors
/// The failure, described for the operator; no file is left behind.
pub async fn run(settings: &Settings, file: &Path, output: Output) -> anyhow::Result<()> {
    let Some(database) = EmbeddedFile::of(settings.database_url().reveal()) else {
        bail!(
            "backup is for the embedded database; of PostgreSQL take one with: \
             pg_dump --format=custom --file=countinghouse.dump \"$DATABASE_URL\""
        );
    };
    let target = file.to_owned();
    let copied = tokio::task::spawn_blocking(move || copy(&database, target)).await??;
    output.show(&copied, |copied| {
        let (file, bytes) = (copied.file.display(), copied.bytes);
        let (data, key) = (settings.data_dir.display(), key_place(settings));
        format!(
            "{file}: {bytes} bytes, all of the database, which was looked through.\n\
             Not in it: the master key, without which a backup cannot be used. Keep {key} apart from it.\n\
             Not in it either: files beside the database. Copy {data}/media and {data}/mail, where they are there."
        )
    })
}

fn copy(database: &EmbeddedFile, file: PathBuf) -> anyhow::Result<Copied> {
    let source = database.path().display();
    if !is_there(database.path())? {
        bail!("there is no database at {source}: run backup with the settings of the service");
    }
    let taken = || format!("{} is there already: name a new file", file.display());
    if std::fs::symlink_metadata(&file).is_ok() {
        bail!(taken());
    }
    let cannot = || format!("cannot write {}", file.display());
    let copy = new_file::begin(&file).with_context(cannot)?;
    let copied = database.copy_to(copy.path());
    copied.with_context(|| format!("cannot copy {source} to {}", file.display()))?;
    let whole = EmbeddedFile::at(copy.path()).inspect();
    whole.with_context(|| format!("the copy of {source} is not fit to be a backup"))?;
    let bytes = std::fs::metadata(copy.path()).with_context(cannot)?.len();
    new_file::publish(copy, &file).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => anyhow::anyhow!(taken()),
        _ => anyhow::Error::new(error).context(cannot()),
    })?;
    Ok(Copied { file, bytes })
}

fn key_place(settings: &Settings) -> String {
    match settings.master_key {
        Some(_) => "COUNTINGHOUSE_MASTER_KEY".to_owned(),
        None => crate::master_key::MasterKey::file(settings).display().to_string(),
    }
}
