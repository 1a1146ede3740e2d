//! The databases that the service runs on.

use clap::ValueEnum;

/// Which databases the command line asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    Postgres,
    Sqlite,
    Both,
}

/// A database that the service runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Postgres,
    Sqlite,
}

impl Kind {
    /// The name for people and machines.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Sqlite => "sqlite",
        }
    }
}

impl On {
    /// One after the other.
    pub(crate) fn kinds(self) -> impl Iterator<Item = Kind> {
        [
            (Kind::Postgres, Self::Sqlite),
            (Kind::Sqlite, Self::Postgres),
        ]
        .into_iter()
        .filter(move |(_, other)| *other != self)
        .map(|(kind, _)| kind)
    }
}
