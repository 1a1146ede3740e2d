//! The environment of a measurement: a database with records, the binary, and the bare HTTP server.

use std::path::{Path, PathBuf};
use std::process::Command;

use app::settings::Settings;
use app::wiring::Dependencies;
use indicatif::ProgressBar;
use tempfile::TempDir;

use super::bare_http::Bare;
use super::options::Options;
use super::tenants::Tenants;
use super::{pgbench, sqlite_loop};
use crate::fixtures::build;
use crate::fixtures::cluster::Cluster;
use crate::fixtures::database::Database;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::service_process::{self, Service};

/// Everything that measurements on one database need.
pub(super) struct Environment {
    pub(super) kind: Kind,
    pub(super) settings: Settings,
    pub(super) deps: Dependencies,
    pub(super) tenants: Tenants,
    pub(super) bare: Bare,
    pub(super) binary: PathBuf,
    pub(super) cluster: Option<Cluster>,
    folder: TempDir,
}

impl Environment {
    /// Starts the database and fills it; `None` where there is no PostgreSQL to start.
    pub(super) async fn start(
        kind: Kind,
        options: &Options,
        progress: &ProgressBar,
    ) -> anyhow::Result<Option<Self>> {
        let Some(database) = Database::start(kind, "countinghouse-bench-").await? else {
            return Ok(None);
        };
        let Database { folder, cluster, settings, deps } = database;
        progress.set_message(format!("{}: filling the database", kind.name()));
        let tenants = Tenants::seed(&deps, options.large).await?;
        let environment = Self {
            kind,
            settings,
            deps,
            tenants,
            bare: Bare::start()?,
            binary: build::service()?,
            cluster,
            folder,
        };
        environment.settle()?;
        Ok(Some(environment))
    }

    /// The database's own look after so many inserts: nothing that is left to do for later falls into a
    /// measurement.
    fn settle(&self) -> anyhow::Result<()> {
        // The seeded invoices are of the past; moved here, they need not be moved by the service while it is
        // measured.
        let overdue = "UPDATE invoices SET status = 'OVERDUE', status_changes_on = NULL WHERE status_changes_on IS NOT NULL;";
        self.sql(overdue)?;
        match &self.cluster {
            Some(cluster) => pgbench::set_up(cluster, &self.tenants)?,
            None => self.sql("PRAGMA wal_checkpoint(TRUNCATE);")?,
        }
        Ok(())
    }

    /// Runs statements that return nothing.
    pub(super) fn sql(&self, statements: &str) -> anyhow::Result<()> {
        match &self.cluster {
            Some(cluster) => cluster.sql(statements).map(|_printed| ()),
            None => sqlite_loop::run(&self.url(), statements),
        }
    }

    pub(super) fn url(&self) -> String {
        self.settings.database_url().reveal().to_owned()
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The binary with the settings of this database.
    pub(super) fn command(&self) -> Command {
        service_process::command(&self.binary, &self.url(), self.folder())
    }

    /// Starts the service.
    pub(super) async fn serve(&self) -> anyhow::Result<Service> {
        Service::start(self.command(), self.folder()).await
    }
}
