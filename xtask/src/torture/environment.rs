//! The environment of a scenario: an empty database, the binary, accounts with webhooks, and use cases in
//! this process.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use escalations::EscalationService;
use indicatif::ProgressBar;
use invoices::Invoicing;
use kernel::{AccountId, PublicUrls};
use serde_json::Value;
use webhooks::SigningSecret;

use super::options::{Options, Scenario};
use super::receiver::Receiver;
use super::report::{Check, Row};
use super::response_log::Counts;
use crate::fixtures::client::{Connection, write};
use crate::fixtures::database::{self, Database, DatabaseKind};
use crate::fixtures::service_process::{Service, free_address};
use crate::fixtures::small_disk::SmallDisk;
use crate::seed::random::SeededGenerator;

const PUBLIC_URL: &str = "https://books.example.com";

/// An account with its key.
#[derive(Debug, Clone)]
pub(super) struct Account {
    pub(super) id: AccountId,
    pub(super) key: String,
}

/// Everything that a scenario needs. Requests change only the database.
pub(super) struct Environment {
    pub(super) scenario: Scenario,
    pub(super) seed: u64,
    pub(super) span: Duration,
    pub(super) receiver: Receiver,
    pub(super) accounts: Vec<Account>,
    /// The key of the partner that owns the accounts.
    pub(super) partner_key: String,
    /// The use cases that have no route, in this process, which is not the service's.
    pub(super) invoicing: Invoicing,
    pub(super) escalations: EscalationService,
    pub(super) database: Database,
    progress: ProgressBar,
}

/// Shared by all clients.
pub(super) type Shared = Arc<Environment>;

impl Environment {
    /// Sets everything up, on a small disk if one is given; `None` if PostgreSQL is not installed.
    pub(super) async fn prepare(
        kind: DatabaseKind,
        scenario: Scenario,
        options: &Options,
        seed: u32,
        progress: &ProgressBar,
        disk: Option<SmallDisk>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(database) = Database::start_on(kind, "countinghouse-torture-", disk).await? else {
            return Ok(None);
        };
        let urls = PublicUrls::new(PUBLIC_URL);
        let mut environment = Self {
            scenario,
            seed: u64::from(seed).wrapping_mul(1_000).wrapping_add(scenario.number()),
            span: Duration::from_secs(options.seconds.max(1).into()),
            receiver: Receiver::start(&database.authority).await?,
            accounts: Vec::new(),
            partner_key: String::new(),
            invoicing: database.deps.invoicing(&urls),
            escalations: database.deps.escalation_service(&urls),
            database,
            progress: progress.clone(),
        };
        environment.provision().await?;
        Ok(Some(environment))
    }

    /// A separate generator of random numbers, the same at every run with the same seed.
    pub(super) fn generator(&self, of: u64) -> SeededGenerator {
        SeededGenerator::new(self.seed, 0, of)
    }

    /// Shows the current activity.
    pub(super) fn say(&self, what: &str) {
        self.progress.set_message(format!("{}: {}, {what}", self.database.kind, self.scenario));
    }

    /// A line of the table, with these counts of requests.
    pub(super) fn row(
        &self,
        what: impl Into<String>,
        counts: Option<&Counts>,
        figure: String,
        checks: Vec<Check>,
    ) -> Row {
        let requests = counts.map(|counts| (counts.answered, counts.retries()));
        let (database, scenario) = (self.database.kind, self.scenario);
        Row { database, scenario, what: what.into(), requests, figure, checks }
    }

    /// The binary with the settings of this environment.
    pub(super) fn command(&self) -> Command {
        let mut command = self.database.delivering_command();
        command
            .env("COUNTINGHOUSE_PUBLIC_URL", PUBLIC_URL)
            .env("COUNTINGHOUSE_WEBHOOK_TIMEOUT", "2s")
            .env("COUNTINGHOUSE_WEBHOOK_RETRY_WAITS", "1s,2s,4s,8s")
            .env("COUNTINGHOUSE_WORKER_INTERVAL", "1s");
        command
    }

    /// Starts the service at this address.
    pub(super) async fn serve_at(&self, address: SocketAddr) -> anyhow::Result<Service> {
        self.database.serve(self.command(), address).await
    }

    /// The lines about panics in the services' log.
    pub(super) fn panics(&self) -> anyhow::Result<Vec<String>> {
        let log = std::fs::read(self.database.log())?;
        let log = String::from_utf8_lossy(&log);
        let panics = log.lines().filter(|line| line.contains("panicked"));
        Ok(panics.map(str::to_owned).collect())
    }

    /// Creates accounts as a partner does, each with an endpoint for all events.
    async fn provision(&mut self) -> anyhow::Result<()> {
        let create = ["partner", "create", "--name", "Torture", "--json"];
        let partner: Value = serde_json::from_slice(&database::run(&mut self.command(), &create)?)?;
        let key = text(&partner, "partner_key")?;
        let service = self.serve_at(free_address()?).await?;
        let mut connection = Connection::open(service.address).await?;
        for n in 0..self.scenario.accounts(self.database.kind) {
            let path = format!("/{n}");
            let url = self.receiver.url(&path);
            let body = format!(
                r#"{{"company_name":"Account {n}","email":"owner-{n}@example.com","webhook_url":"{url}"}}"#
            );
            let request = write("POST", "/partner/accounts", &key, None, &body);
            let made = connection.json(&request, 201).await.context("an account was not opened")?;
            let secret = SigningSecret::parse(&text(&made, "webhook_signing_secret")?);
            let secret = secret.map_err(|_not_one| anyhow::anyhow!("no signing secret"))?;
            self.receiver.expect(&path, secret);
            let id = AccountId::parse(&text(&made, "id")?).context("an id is a UUID")?;
            self.accounts.push(Account { id, key: text(&made, "api_key")? });
        }
        self.partner_key = key;
        service.stop()
    }
}

impl Scenario {
    /// A number for seeding the generators.
    const fn number(self) -> u64 {
        match self {
            Self::Crash => 101,
            Self::Database => 102,
            Self::Neighbours => 103,
            Self::Rolling => 104,
            Self::Clients => 105,
            Self::Money => 106,
            Self::Communications => 107,
            Self::Disk => 108,
        }
    }

    /// The number of accounts. The scenario `money` has one account, since every account connected to the
    /// gateway gets all events.
    const fn accounts(self, kind: DatabaseKind) -> u32 {
        match (self, kind) {
            (Self::Money, _) => 1,
            (Self::Communications, _) => 4,
            // Enough that each worker has some.
            (_, DatabaseKind::Citus) => 12,
            _ => 6,
        }
    }
}

fn text(value: &Value, field: &str) -> anyhow::Result<String> {
    let text = value.get(field).and_then(Value::as_str);
    Ok(text.with_context(|| format!("no {field} in {value}"))?.to_owned())
}
