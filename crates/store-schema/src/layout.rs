//! The placement of the tables.

/// Where the tables of a database are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// On one server, undivided.
    #[default]
    OneServer,
    /// On a Citus cluster: tables of tenants are distributed by account, and the small tables that are read
    /// before the account is known are on every server.
    ByAccount,
}

impl Layout {
    /// Whether the tables are distributed.
    #[must_use]
    pub const fn is_distributed(self) -> bool {
        matches!(self, Self::ByAccount)
    }
}
