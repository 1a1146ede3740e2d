//! The environment of a measurement: a database with records, the binary, and the bare HTTP server.

use indicatif::ProgressBar;

use super::bare_http::Bare;
use super::options::Options;
use super::tenants::Tenants;
use super::{pgbench_tables, sqlite_file};
use crate::fixtures::database::{Database, DatabaseKind};
use crate::fixtures::mail_server::MailServer;
use crate::fixtures::service_process::{Service, free_address};

/// Everything that measurements on one database need.
pub(super) struct Environment {
    pub(super) database: Database,
    pub(super) tenants: Tenants,
    pub(super) bare: Bare,
    pub(super) options: Options,
    progress: ProgressBar,
}

impl Environment {
    /// Starts the database and fills it; `None` if PostgreSQL is not installed.
    pub(super) async fn start(
        kind: DatabaseKind,
        options: &Options,
        progress: &ProgressBar,
    ) -> anyhow::Result<Option<Self>> {
        let Some(database) = Database::start(kind, "countinghouse-bench-").await? else {
            return Ok(None);
        };
        progress.set_message(format!("{kind}: filling the database"));
        let tenants = Tenants::seed(&database.deps, options.large).await?;
        let (options, progress) = (options.clone(), progress.clone());
        let environment = Self { database, tenants, bare: Bare::start()?, options, progress };
        environment.maintain()?;
        Ok(Some(environment))
    }

    /// Runs the database's own maintenance after the many inserts, which would otherwise disturb a
    /// measurement.
    fn maintain(&self) -> anyhow::Result<()> {
        // The seeded invoices are in the past: if they become overdue here, the service need not update them
        // while it is measured.
        self.sql(
            "UPDATE invoices SET status = 'OVERDUE', status_changes_on = NULL WHERE status_changes_on IS NOT NULL;",
        )?;
        match &self.database.cluster {
            Some(cluster) => pgbench_tables::create(cluster, &self.tenants),
            None => self.sql("PRAGMA wal_checkpoint(TRUNCATE);"),
        }
    }

    /// Shows the name of the current measurement.
    pub(super) fn say(&self, what: &str) {
        self.progress.set_message(format!("{}: {what}", self.database.kind));
    }

    /// Runs statements that return nothing.
    pub(super) fn sql(&self, statements: &str) -> anyhow::Result<()> {
        match &self.database.cluster {
            Some(cluster) => cluster.sql(statements).map(drop),
            None => sqlite_file::run(self.database.file(), statements),
        }
    }

    /// Runs a statement whose rows have one text column, `line`.
    pub(super) fn lines(&self, statement: &str) -> anyhow::Result<Vec<String>> {
        match &self.database.cluster {
            Some(cluster) => Ok(cluster.sql(statement)?.lines().map(str::to_owned).collect()),
            None => sqlite_file::lines(self.database.file(), statement),
        }
    }

    /// Starts the service.
    pub(super) async fn serve(&self) -> anyhow::Result<Service> {
        self.database.serve(self.database.command(), free_address()?).await
    }

    /// Starts the service, which sends its mail to this server.
    pub(super) async fn serve_with(&self, mail: &MailServer) -> anyhow::Result<Service> {
        let mut command = self.database.command();
        command.env("COUNTINGHOUSE_SMTP_URL", mail.url());
        self.database.serve(command, free_address()?).await
    }
}
