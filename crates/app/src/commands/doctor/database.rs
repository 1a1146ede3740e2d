//! The database: whether it answers, which it is, and whether its schema is the one that this program knows.

use std::time::Instant;

use store_diesel::{Announce, EmbeddedFile, Kind, Store};

use super::finding::Finding;
use crate::settings::Settings;
use crate::wiring::open_store;

pub(super) const DATABASE: &str = "database";
pub(super) const MIGRATIONS: &str = "migrations";

/// The first major version of PostgreSQL that the service runs on.
const OLDEST_POSTGRES: u32 = 14;

/// A database that answers.
pub(super) struct Opened {
    pub(super) store: Store,
    /// Whether the steps of the schema that the other checks ask for have been taken.
    pub(super) has_schema: bool,
}

impl Opened {
    /// Opens the database, if it is there, and asks it for a sign of life. Nothing is made.
    pub(super) async fn open(settings: &Settings) -> (Option<Self>, Finding) {
        if let Some(file) = EmbeddedFile::of(settings.database_url().reveal())
            && !file.path().exists()
        {
            let said = format!(
                "{} is not there: run this where the service runs and with its settings, or start `countinghouse serve` once, \
                 which makes it",
                file.path().display()
            );
            return (None, Finding::wrong(DATABASE, said));
        }
        match Self::answering(settings).await {
            Ok((opened, said)) => (Some(opened), Finding::of(DATABASE, said)),
            Err(error) => {
                let said = format!(
                    "{error:#}: see whether DATABASE_URL is right, the database is up, and it may be reached from here"
                );
                (None, Finding::wrong(DATABASE, said))
            }
        }
    }

    async fn answering(settings: &Settings) -> anyhow::Result<(Self, Result<String, String>)> {
        let store = open_store(settings, Announce::Everywhere).await?;
        // The first question makes the connection, the second one measures.
        let version = store.checkup.version().await?;
        let asked = Instant::now();
        store.upkeep.ping().await?;
        let took = asked.elapsed();
        let migrations = store.upkeep.migrations().await?;
        let has_schema = migrations.pending.is_empty();
        let said = match store.upkeep.kind() {
            Kind::Sqlite => Ok(format!("SQLite {version}, embedded, answers in {took:.1?}")),
            Kind::Postgres if is_too_old(&version) => {
                Err(format!("PostgreSQL {version} is too old: the service wants {OLDEST_POSTGRES} or later"))
            }
            Kind::Postgres => Ok(format!("PostgreSQL {version} answers in {took:.1?}")),
        };
        Ok((Self { store, has_schema }, said))
    }

    /// Whether the schema is the one that this program knows.
    pub(super) async fn migrations(&self) -> Finding {
        let found = match self.store.upkeep.migrations().await {
            Ok(found) => found,
            Err(error) => return Finding::wrong(MIGRATIONS, chain(error)),
        };
        let newer: Vec<_> = found.newer().collect();
        if !newer.is_empty() {
            let said = format!(
                "{} were applied by a newer version of Countinghouse: install that version here too",
                newer.join(", ")
            );
            return Finding::wrong(MIGRATIONS, said);
        }
        if found.pending.is_empty() {
            return Finding::fine(MIGRATIONS, format!("all {} are applied", found.applied.len()));
        }
        let (pending, kind) = (found.pending.join(", "), self.store.upkeep.kind());
        let start = match kind {
            Kind::Sqlite => "the next start does it too",
            Kind::Postgres => "COUNTINGHOUSE_MIGRATE_ON_START=true has the next start do it",
        };
        let said = format!("pending: {pending}; run `countinghouse migrate` ({start})");
        Finding::wrong(MIGRATIONS, said)
    }
}

/// An error with all its causes, in one line.
pub(super) fn chain(error: impl std::error::Error + Send + Sync + 'static) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

fn is_too_old(version: &str) -> bool {
    let major = version.split(|c: char| !c.is_ascii_digit()).next();
    let major = major.and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major < OLDEST_POSTGRES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_told_apart_by_their_first_number() {
        assert!(is_too_old("13.11") && is_too_old("9.6.24"));
        assert!(!is_too_old("14.2 (Debian 14.2-1)") && !is_too_old("17rc1") && !is_too_old(""));
    }
}
