//! The arguments of `cargo xtask torture`.

use std::time::Duration;

use anyhow::bail;
use clap::{Args, ValueEnum};

use crate::fixtures::cluster::citus_programs;
use crate::fixtures::database::{DatabaseKind, On};

/// Longer than any scenario takes without a failure, and the additional time for each kill in the scenario
/// `crash`.
const SCENARIO_WITHIN: Duration = Duration::from_secs(400);
const KILLED_WITHIN: Duration = Duration::from_secs(4);
/// The additional time for each charge in the scenario `money`, with its consequences.
const CHARGED_WITHIN: Duration = Duration::from_millis(400);
/// The additional time for each message in the scenario `communications`.
const SENT_WITHIN: Duration = Duration::from_secs(4);

/// The arguments of the command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Run only this scenario.
    #[arg(long, value_enum)]
    pub(super) only: Option<Scenario>,
    /// The database to run on.
    #[arg(long, value_enum, default_value_t = On::Both)]
    pub(super) database: On,
    /// The seed of all random choices: use a printed seed to repeat that run. Default: a new one each time.
    #[arg(long)]
    pub(super) seed: Option<u32>,
    /// How often the service is killed in the scenario of that name.
    #[arg(long, default_value_t = 50)]
    pub(super) kills: u32,
    /// How many charges are made in the scenario `money`.
    #[arg(long, default_value_t = 10_000)]
    pub(super) charges: u32,
    /// How many reminders are sent in the scenario `communications`.
    #[arg(long, default_value_t = 300)]
    pub(super) messages: u32,
    /// How long the load runs before and after each fault.
    #[arg(long, default_value_t = 6)]
    pub(super) seconds: u32,
    /// Print one JSON value instead of a table.
    #[arg(long)]
    pub(super) json: bool,
    /// Run against the development build beside this program, without building anything.
    #[arg(long)]
    pub(super) debug_build: bool,
}

/// One kind of fault, injected under load. What stands at each is shown by `--help`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, strum::Display, serde::Serialize)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub(super) enum Scenario {
    /// `kill -9` of the service at random moments.
    Crash,
    /// The database dies, refuses connections, hangs, and recovers.
    Database,
    /// Redis, the mail server and the receivers of webhooks become unreachable and come back.
    Neighbours,
    /// Two services on one PostgreSQL: one is killed, or restarted, at a time.
    Rolling,
    /// Hostile clients beside correct ones.
    Clients,
    /// The disk of the database is full, slow, or hangs.
    Disk,
    /// Online payments through a faulty gateway, while the service is killed.
    Money,
    /// Reminders are sent and replies come in for weeks of the service's clock, while the service is killed.
    Communications,
}

impl Scenario {
    /// Whether the scenario is run on this database.
    pub(super) const fn is_for(self, kind: DatabaseKind) -> bool {
        match kind {
            DatabaseKind::Postgres => true,
            // Two services can share a PostgreSQL, but not an embedded database.
            DatabaseKind::Sqlite => !matches!(self, Self::Rolling),
            DatabaseKind::Citus => matches!(self, Self::Crash | Self::Database | Self::Rolling),
        }
    }
}

impl Options {
    /// Fails if a cluster is requested and cannot run here.
    pub(super) fn check_citus(&self) -> anyhow::Result<()> {
        if self.database != On::Citus {
            return Ok(());
        }
        if let Some(scenario) = self.only.filter(|scenario| !scenario.is_for(DatabaseKind::Citus)) {
            bail!("the scenario {scenario} is not made for a cluster: crash, database and rolling are");
        }
        citus_programs().map(drop)
    }

    /// How long a scenario may take.
    pub(super) const fn within(&self, scenario: Scenario) -> Duration {
        let more = match scenario {
            Scenario::Crash => KILLED_WITHIN.saturating_mul(self.kills),
            Scenario::Money => CHARGED_WITHIN.saturating_mul(self.charges),
            Scenario::Communications => SENT_WITHIN.saturating_mul(self.messages),
            _ => Duration::ZERO,
        };
        SCENARIO_WITHIN.saturating_add(more)
    }
}
