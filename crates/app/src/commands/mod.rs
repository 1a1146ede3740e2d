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

use store_diesel::Announce;

use crate::settings::Settings;
use crate::wiring::Dependencies;

/// Opens the store and makes sure that its schema is up to date, for every command but `migrate`. The
/// embedded database is migrated, as `serve` does.
async fn open(settings: &Settings) -> anyhow::Result<Dependencies> {
    require_database(settings)?;
    open_or_make(settings).await
}

/// Requires that the embedded database exists: the command may have been run in the wrong directory.
fn require_database(settings: &Settings) -> anyhow::Result<()> {
    let url = settings.database_url();
    let file = url.reveal().strip_prefix("sqlite://");
    if let Some(file) = file.filter(|file| !std::path::Path::new(file).exists()) {
        anyhow::bail!(
            "there is no database at {file}: run this where the service runs and with its settings, or start the service first"
        );
    }
    Ok(())
}

/// Opens the store as [`open`] does, and creates the embedded database if it does not exist.
async fn open_or_make(settings: &Settings) -> anyhow::Result<Dependencies> {
    Dependencies::open(settings, Announce::Everywhere).await?.with_schema(settings.migrate_on_start).await
}
