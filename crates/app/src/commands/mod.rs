//! The commands: each reads the settings, opens the store, does one thing and prints it.

pub mod account;
pub mod backup;
pub mod doctor;
pub mod escalation;
pub mod migrate;
pub mod partner;
pub mod payment;
pub mod rekey;
pub mod restore;
pub mod webhook;

use store_diesel::Announce;

use crate::settings::Settings;
use crate::wiring::House;

/// Opens the store with its schema, as every command but `migrate` wants it. The embedded database is brought up to date, as `serve`
/// does it.
async fn open(settings: &Settings) -> anyhow::Result<House> {
    House::open(settings, Announce::Everywhere)
        .await?
        .with_schema(settings.migrate_on_start)
        .await
}
