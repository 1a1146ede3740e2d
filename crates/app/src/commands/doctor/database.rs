//! The database: whether it answers, its kind and version, and whether its schema is the one that this
//! program knows.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Instant;

use kernel::Clock;
use store_diesel::{Announce, DatabaseKind, EmbeddedFile, Store};

use super::finding::{CheckOutcome, CheckProblem};
use crate::commands::{is_there, migrate};
use crate::message_language;
use crate::settings::Settings;
use crate::wiring::open_store;

/// The oldest major version of PostgreSQL that the service supports.
const OLDEST_POSTGRES: u32 = 14;

/// A database that answers.
pub(super) struct Opened {
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    /// Whether the migrations that the other checks need have been applied.
    pub(super) has_schema: bool,
}

impl Opened {
    /// Opens the database, if it exists, and makes sure that it answers. Nothing is created.
    pub(super) async fn open(settings: &Settings) -> (Option<Self>, CheckOutcome) {
        if let Some(file) = EmbeddedFile::of(settings.database_url().reveal()) {
            let said = match is_there(file.path()) {
                Ok(true) => None,
                Ok(false) => Some(format!(
                    "{} is not there: run this where the service runs and with its settings, or start `countinghouse serve` \
                     once, which makes it",
                    file.path().display()
                )),
                Err(error) => Some(unseen(&error)),
            };
            if let Some(said) = said {
                return (None, Err(said.into()));
            }
        }
        match Self::answering(settings).await {
            Ok((opened, outcome)) => (Some(opened), outcome),
            Err(error) => {
                let said = format!(
                    "{error:#}: see whether DATABASE_URL is right, the database is up, and it may be reached from here"
                );
                (None, Err(said.into()))
            }
        }
    }

    async fn answering(settings: &Settings) -> anyhow::Result<(Self, CheckOutcome)> {
        let clock = settings.clock()?;
        let store = open_store(settings, Announce::Everywhere).await?;
        // The first query opens the connection, the second one measures the latency.
        let version = store.checkup.version().await?;
        let asked = Instant::now();
        store.upkeep.ping().await?;
        let took = asked.elapsed();
        let migrations = store.upkeep.migrations().await?;
        let has_schema = migrations.pending.is_empty();
        let unsafe_settings = store.checkup.unsafe_settings().await?;
        let unreadable = message_language::fault(&*store.checkup).await?;
        let outcome = match store.upkeep.kind() {
            DatabaseKind::Sqlite => Ok(format!("SQLite {version}, embedded, answers in {took:.1?}")),
            DatabaseKind::Postgres if is_too_old(&version) => {
                Err(format!("PostgreSQL {version} is too old: the service wants {OLDEST_POSTGRES} or later")
                    .into())
            }
            DatabaseKind::Postgres => match unreadable {
                Some(fault) => Err(fault.into()),
                None => Ok(format!("PostgreSQL {version} answers in {took:.1?}{}", lossy(&unsafe_settings))),
            },
        };
        Ok((Self { store, clock, has_schema }, outcome))
    }

    /// Requires that the migrations have been applied, which the queries of a check need.
    ///
    /// # Errors
    /// [`CheckProblem::Skipped`].
    pub(super) const fn require_schema(&self) -> Result<(), CheckProblem> {
        if self.has_schema {
            return Ok(());
        }
        Err(CheckProblem::Skipped("not looked at, since the schema is not up to date"))
    }

    /// Whether the schema is the one that this program knows.
    pub(super) async fn migrations(&self) -> CheckOutcome {
        let found = self.store.upkeep.migrations().await?;
        if let Some(fault) = migrate::newer(&found) {
            return Err(fault.into());
        }
        if found.pending.is_empty() {
            return Ok(format!("all {} are applied", found.applied.len()));
        }
        let start = match self.store.upkeep.kind() {
            DatabaseKind::Sqlite => "the next start does it too",
            DatabaseKind::Postgres => "COUNTINGHOUSE_MIGRATE_ON_START=true has the next start do it",
        };
        let pending = found.pending.join(", ");
        Err(format!("pending: {pending}; run `countinghouse migrate` ({start})").into())
    }

    /// Whether the tables are distributed as the settings say.
    pub(super) async fn distribution(&self, settings: &Settings) -> CheckOutcome {
        let faults = self.store.upkeep.placement_faults().await?;
        match (&*faults, settings.citus) {
            ([], false) => Ok("every table is on one server".to_owned()),
            ([], true) => Ok("the tables of tenants are distributed by account".to_owned()),
            (faults, _) => Err(faults.join("; ").into()),
        }
    }
}

/// What is said of a file of which it cannot be known whether it is there.
fn unseen(error: &anyhow::Error) -> String {
    match error.downcast_ref::<std::io::Error>() {
        Some(cause) if cause.kind() == ErrorKind::PermissionDenied => {
            format!("{error:#}: see to the owner and mode of its folder")
        }
        _ => format!("{error:#}"),
    }
}

/// A note on settings that are off, which fails no check: a replica on another machine may make up for it.
fn lossy(settings: &str) -> String {
    if settings.is_empty() {
        return String::new();
    }
    format!(
        "; off: {settings}. Turn this on: without synchronous_commit a crash of its machine loses the last payments and \
         mails, without fsync or full_page_writes it may damage the whole database"
    )
}

fn is_too_old(version: &str) -> bool {
    let major = version.split(|c: char| !c.is_ascii_digit()).next();
    let major = major.and_then(|major| major.parse::<u32>().ok());
    major.is_some_and(|major| major < OLDEST_POSTGRES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context as _;

    #[test]
    fn owner_and_mode_are_named_only_where_permission_is_denied() {
        let said = |kind: ErrorKind| {
            let failed: std::io::Result<bool> = Err(kind.into());
            unseen(&failed.context("cannot see whether there is a file x.db").unwrap_err())
        };
        let denied = said(ErrorKind::PermissionDenied);
        let wanted = "cannot see whether there is a file x.db: permission denied: see to the owner and mode of its folder";
        assert_eq!(denied, wanted);
        assert_eq!(
            said(ErrorKind::NotADirectory),
            "cannot see whether there is a file x.db: not a directory"
        );
    }

    #[test]
    fn versions_are_compared_by_major_number() {
        assert!(is_too_old("13.11") && is_too_old("9.6.24"));
        assert!(!is_too_old("14.2 (Debian 14.2-1)") && !is_too_old("17rc1") && !is_too_old(""));
    }
}
