//! The options of `cargo xtask bench`.

use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::fixtures::database_kind::{Kind, On};

/// What the command line asks for.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// What to measure.
    #[arg(value_enum, default_value_t = What::All)]
    what: What,
    /// On which database.
    #[arg(long, value_enum, default_value_t = On::Both)]
    database: On,
    /// How long each figure and each floor is measured in each round.
    #[arg(long, default_value_t = 2)]
    pub(crate) seconds: u32,
    /// How often service and floor take turns.
    #[arg(long, default_value_t = 3)]
    pub(crate) rounds: u32,
    /// With an account of a million invoices too: a few minutes and 4 GB of disk more.
    #[arg(long)]
    pub(crate) large: bool,
    /// How many connections press at once.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 8, 32])]
    pub(crate) connections: Vec<u32>,
    /// Only cases whose name has this in it.
    #[arg(long)]
    only: Option<String>,
    /// Print one JSON value in place of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// Requests a second, beside the database's floor and that of HTTP.
    Requests,
    /// Deliveries of webhooks.
    Webhooks,
    /// Start, memory, size.
    Process,
    /// Everything.
    All,
}

impl Options {
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.database.kinds()
    }

    pub(crate) fn wants(&self, what: What) -> bool {
        self.what == what || self.what == What::All
    }

    /// Whether a case of this name is to be measured.
    pub(crate) fn wants_case(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| name.contains(only))
    }

    /// How long one measurement takes.
    pub(crate) fn span(&self) -> Duration {
        Duration::from_secs(self.seconds.max(1).into())
    }
}
