//! The arguments of `cargo xtask bench`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::fixtures::build::Profile;
use crate::fixtures::database::On;

/// The arguments of the command.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// What to measure.
    #[arg(value_enum, default_value_t = What::All)]
    pub(super) what: What,
    /// The database to measure on.
    #[arg(long, value_enum, default_value_t = On::Both)]
    pub(super) database: On,
    /// How long each figure and each floor is measured in each round.
    #[arg(long, default_value_t = 2)]
    pub(super) seconds: u32,
    /// How often service and floor are measured in turns.
    #[arg(long, default_value_t = 3)]
    pub(super) rounds: u32,
    /// Adds an account with a million invoices: takes a few minutes and 4 GB of disk more.
    #[arg(long)]
    pub(super) large: bool,
    /// How many old rows the part `retention` writes and the service removes: 6 GB for ten million.
    #[arg(long, default_value_t = 10_000_000)]
    pub(super) old_rows: u32,
    /// Numbers of concurrent connections.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32])]
    pub(super) connections: Vec<u32>,
    /// Only cases whose name contains this text.
    #[arg(long)]
    pub(super) only: Option<String>,
    /// The build profile of the measured service.
    #[arg(long, value_enum, default_value_t = Profile::Dist)]
    pub(super) profile: Profile,
    /// Print one JSON value instead of a table.
    #[arg(long)]
    pub(super) json: bool,
}

/// The parts that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum What {
    /// Requests a second, compared with the floors of the database and of HTTP.
    Requests,
    /// The dashboard, its export of invoices, and the API during sign-ins.
    Pages,
    /// Reminders, and the messages of customers.
    Communications,
    /// Deliveries of webhooks.
    Webhooks,
    /// Start, memory, size.
    Process,
    /// The removal of old rows, by default ten million. Not part of `all`.
    Retention,
    /// Everything but `retention`.
    All,
}

impl Options {
    pub(super) fn wants(&self, what: What) -> bool {
        self.what == what || self.what == What::All
    }

    /// Whether the options select the case with this name.
    pub(super) fn wants_case(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| name.contains(only))
    }

    /// How long one measurement takes.
    pub(super) fn span(&self) -> Duration {
        Duration::from_secs(self.seconds.max(1).into())
    }

    /// The numbers of the rounds, from 1.
    pub(super) fn rounds(&self) -> impl Iterator<Item = u32> + use<> {
        1..=self.rounds.max(1)
    }
}
