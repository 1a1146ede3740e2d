//! The options of `cargo xtask torture`.

use clap::{Args, ValueEnum};

use crate::fixtures::database_kind::{Kind, On};

/// What the command line asks for.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// One scenario alone.
    #[arg(long, value_enum)]
    only: Option<Scenario>,
    /// On which database.
    #[arg(long, value_enum, default_value_t = On::Both)]
    database: On,
    /// What all randomness is drawn from: the one that a run has printed, to have it again. Default: another
    /// one each time.
    #[arg(long)]
    pub(crate) seed: Option<u32>,
    /// How often the service is killed in the scenario of that name.
    #[arg(long, default_value_t = 50)]
    pub(crate) kills: u32,
    /// How long the load goes on before and after each thing that goes wrong.
    #[arg(long, default_value_t = 6)]
    pub(crate) seconds: u32,
    /// Print one JSON value in place of a table.
    #[arg(long)]
    pub(crate) json: bool,
    /// Torture the development build beside this program, without building anything.
    #[arg(long)]
    pub(crate) debug_build: bool,
}

/// What can be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scenario {
    /// `kill -9` of the service at random moments.
    Crash,
    /// The database dies, refuses, hangs, and comes back.
    Database,
    /// Redis, the mail server and the receivers of webhooks go away and come back.
    Neighbours,
    /// Two services on one PostgreSQL: one is killed, or restarted, at a time.
    Rolling,
    /// Clients that mean harm, beside some that do not.
    Clients,
}

impl Scenario {
    const ALL: [Self; 5] = [Self::Crash, Self::Database, Self::Neighbours, Self::Rolling, Self::Clients];

    /// The name for people and machines.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Database => "database",
            Self::Neighbours => "neighbours",
            Self::Rolling => "rolling",
            Self::Clients => "clients",
        }
    }

    /// A number to draw randomness from.
    pub(crate) const fn number(self) -> u64 {
        match self {
            Self::Crash => 101,
            Self::Database => 102,
            Self::Neighbours => 103,
            Self::Rolling => 104,
            Self::Clients => 105,
        }
    }
}

impl Options {
    /// Every scenario on each of its databases. Two services share a PostgreSQL; an embedded database has
    /// one.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = (Kind, Scenario)> {
        let scenarios = self.database.kinds().flat_map(|kind| Scenario::ALL.map(|scenario| (kind, scenario)));
        scenarios
            .filter(|(_, scenario)| self.only.is_none_or(|only| only == *scenario))
            .filter(|pair| *pair != (Kind::Sqlite, Scenario::Rolling))
    }
}
