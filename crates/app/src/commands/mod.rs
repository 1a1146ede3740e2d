//! The commands: each reads the settings, opens the store, does one thing and prints it.

pub mod account;
pub mod audit;
pub mod backup;
mod charges;
pub mod contact;
pub mod doctor;
pub mod escalation;
pub mod gateway;
mod idempotent;
pub mod message;
pub mod migrate;
pub mod partner;
pub mod payment;
pub mod rekey;
pub mod reminder;
pub mod restore;
mod sealed_kind;
mod stored_records;
pub mod webhook;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use store_diesel::{Announce, Upkeep};

use crate::settings::Settings;
use crate::wiring::Dependencies;

/// What the command of this process opened to work with records.
static OPENED: OnceLock<Arc<dyn Upkeep>> = OnceLock::new();

/// Waits for the roll-backs of a command that has ended, so that the process leaves no transaction open and
/// nothing locked, such as the idempotency key of a refused payment.
pub async fn roll_backs_ended() {
    if let Some(upkeep) = OPENED.get() {
        upkeep.roll_backs_ended().await;
    }
}

/// Opens the store and makes sure that its schema is up to date, for every command but `migrate`. The
/// embedded database is migrated, as `serve` does.
async fn open(settings: Settings) -> anyhow::Result<Dependencies> {
    require_database(&settings)?;
    open_or_make(settings).await
}

/// Requires that the embedded database exists: the command may have been run in the wrong directory.
fn require_database(settings: &Settings) -> anyhow::Result<()> {
    let url = settings.database_url();
    let file = url.reveal().strip_prefix("sqlite://");
    if let Some(file) = file
        && !is_there(Path::new(file))?
    {
        anyhow::bail!(
            "there is no database at {file}: run this where the service runs and with its settings, or start the service first"
        );
    }
    Ok(())
}

/// Whether there is a file. One in a folder that may not be read is not taken for a missing one.
fn is_there(file: &Path) -> anyhow::Result<bool> {
    std::fs::exists(file).with_context(|| format!("cannot see whether there is a file {}", file.display()))
}

/// Opens the store as [`open`] does, and creates the embedded database if it does not exist.
async fn open_or_make(settings: Settings) -> anyhow::Result<Dependencies> {
    let opened = Dependencies::open(Arc::new(settings), Announce::Everywhere).await?;
    OPENED.get_or_init(|| Arc::clone(&opened.store.upkeep));
    opened.with_schema().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_in_a_folder_that_cannot_be_read_is_not_taken_for_a_missing_one() {
        let folder = tempfile::tempdir().unwrap();
        let no_folder = folder.path().join("file");
        assert!(!is_there(&no_folder).unwrap());
        std::fs::write(&no_folder, "").unwrap();
        let error = is_there(&no_folder.join("countinghouse.db")).unwrap_err();
        assert!(error.to_string().starts_with("cannot see whether there is a file /"), "{error}");
    }
}
