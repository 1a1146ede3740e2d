//! Where the tables are.

/// Where the tables of a database are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// On one server, each of them whole.
    #[default]
    OneServer,
    /// On a Citus cluster: those of tenants are distributed by account, and the small ones that are read
    /// without knowing the account are on every server.
    ByAccount,
}

impl Layout {
    /// Whether the tables are distributed.
    #[must_use]
    pub const fn is_distributed(self) -> bool {
        matches!(self, Self::ByAccount)
    }
}
