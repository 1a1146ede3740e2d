//! The environment of a scenario: an empty database, the binary, accounts with webhooks, and use cases in
//! this process.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use escalations::EscalationService;
use invoices::Invoicing;
use kernel::{AccountId, PublicUrls};
use serde_json::Value;
use tempfile::TempDir;
use webhooks::SigningSecret;

use super::database_reader::DatabaseReader;
use super::options::{Options, Scenario};
use super::receiver::Receiver;
use crate::fixtures::authority::Authority;
use crate::fixtures::build;
use crate::fixtures::client::Connection;
use crate::fixtures::cluster::Cluster;
use crate::fixtures::database::Database;
use crate::fixtures::database_kind::Kind;
use crate::fixtures::request::post;
use crate::fixtures::service_process::{self, Service, free_address};
use crate::seed::random::SeededGenerator;

const ACCOUNTS: u32 = 6;
const PUBLIC_URL: &str = "https://books.example.com";

/// An account, with the key that opens it.
#[derive(Debug, Clone)]
pub(super) struct Account {
    pub(super) id: AccountId,
    pub(super) key: String,
}

/// Everything that a scenario needs. What is changed by requests is in the database alone.
pub(super) struct Environment {
    pub(super) kind: Kind,
    pub(super) seed: u64,
    pub(super) span: Duration,
    pub(super) cluster: Option<Cluster>,
    pub(super) receiver: Receiver,
    pub(super) accounts: Vec<Account>,
    /// The use cases that have no route, in this process: another one than the service's.
    pub(super) invoicing: Invoicing,
    pub(super) desk: EscalationService,
    binary: PathBuf,
    url: String,
    authority: Authority,
    folder: TempDir,
}

impl Environment {
    /// Makes all of it; `None` where there is no PostgreSQL to start.
    pub(super) async fn prepare(
        kind: Kind,
        scenario: Scenario,
        options: &Options,
        seed: u32,
    ) -> anyhow::Result<Option<Self>> {
        let Some(database) = Database::start(kind, "countinghouse-torture-").await? else {
            return Ok(None);
        };
        let Database { folder, cluster, settings, deps } = database;
        let authority = Authority::new(folder.path())?;
        let mut environment = Self {
            kind,
            seed: u64::from(seed).wrapping_mul(1_000).wrapping_add(scenario.number()),
            span: Duration::from_secs(options.seconds.max(1).into()),
            cluster,
            receiver: Receiver::start(&authority).await?,
            accounts: Vec::new(),
            invoicing: deps.invoicing(&settings, &PublicUrls::new(PUBLIC_URL)),
            desk: deps.escalation_service(&PublicUrls::new(PUBLIC_URL)),
            binary: build::service()?,
            url: settings.database_url().reveal().to_owned(),
            authority,
            folder,
        };
        environment.provision().await?;
        Ok(Some(environment))
    }

    /// Random numbers of their own, the same at every run with the same seed.
    pub(super) fn generator(&self, of: u64) -> SeededGenerator {
        SeededGenerator::new(self.seed, 0, of)
    }

    /// The database, read from outside.
    pub(super) fn reader(&self) -> DatabaseReader<'_> {
        match &self.cluster {
            Some(cluster) => DatabaseReader::Postgres(cluster),
            None => DatabaseReader::Sqlite(self.file()),
        }
    }

    /// The file of the embedded database.
    pub(super) fn file(&self) -> &str {
        self.url.trim_start_matches("sqlite://")
    }

    /// The binary with its settings.
    pub(super) fn command(&self) -> Command {
        let mut command = service_process::command(&self.binary, &self.url, self.folder.path());
        command
            .env("COUNTINGHOUSE_EXTRA_CA_FILE", &self.authority.file)
            .env("COUNTINGHOUSE_ALLOW_PRIVATE_TARGETS", "true")
            .env("COUNTINGHOUSE_PUBLIC_URL", PUBLIC_URL)
            .env("COUNTINGHOUSE_WEBHOOK_TIMEOUT", "2s")
            .env("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "1s,2s,4s,8s")
            .env("COUNTINGHOUSE_WORKER_INTERVAL", "1s");
        command
    }

    /// Starts the service where it is wanted.
    pub(super) async fn serve_at(&self, address: SocketAddr) -> anyhow::Result<Service> {
        self.start(self.command(), address).await
    }

    /// Starts a service with settings of its own.
    pub(super) async fn start(&self, command: Command, address: SocketAddr) -> anyhow::Result<Service> {
        Service::start_at(address, command, &self.folder.path().join("log")).await
    }

    /// What the services' log says of threads that panicked.
    pub(super) fn panics(&self) -> anyhow::Result<Vec<String>> {
        let log = std::fs::read(self.folder.path().join("log"))?;
        let log = String::from_utf8_lossy(&log);
        let panics = log.lines().filter(|line| line.contains("panicked"));
        Ok(panics.map(str::to_owned).collect())
    }

    /// Opens accounts as a partner does, each with an endpoint that is told of everything.
    async fn provision(&mut self) -> anyhow::Result<()> {
        let made = self
            .command()
            .args(["partner", "create", "--name", "Torture", "--json"])
            .stdin(Stdio::null())
            .output()?;
        if !made.status.success() {
            bail!("partner create: {}", String::from_utf8_lossy(&made.stderr));
        }
        let partner: Value = serde_json::from_slice(&made.stdout)?;
        let key = text(&partner, "partner_key")?;
        let service = self.serve_at(free_address()?).await?;
        let mut connection = Connection::open(service.address).await?;
        for n in 0..ACCOUNTS {
            let path = format!("/{n}");
            let url = self.receiver.url(&path);
            let body = format!(
                r#"{{"company_name":"Account {n}","email":"owner-{n}@example.com","webhook_url":"{url}"}}"#
            );
            let mut request = Vec::new();
            post(&mut request, "/partner/accounts", &key, None, &body);
            let status = connection.exchange(&request).await?;
            let (_, body) = connection.last()?;
            if status != 201 {
                bail!("an account was not opened: {}", String::from_utf8_lossy(&body));
            }
            let made: Value = serde_json::from_slice(&body)?;
            let secret = SigningSecret::parse(&text(&made, "webhook_signing_secret")?);
            let secret = secret.map_err(|_not_one| anyhow::anyhow!("no signing secret"))?;
            self.receiver.expect(&path, secret);
            self.accounts.push(Account {
                id: AccountId::parse(&text(&made, "id")?).context("an id is a UUID")?,
                key: text(&made, "api_key")?,
            });
        }
        service.stop()
    }
}

fn text(value: &Value, field: &str) -> anyhow::Result<String> {
    let stored_records = value.get(field).and_then(Value::as_str);
    Ok(stored_records.with_context(|| format!("no {field} in {value}"))?.to_owned())
}

/// Shared by everybody who takes part.
pub(super) type Shared = Arc<Environment>;
