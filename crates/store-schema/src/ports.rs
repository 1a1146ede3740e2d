//! Ports of the store besides the domain's: upkeep, and bulk loading.

use access::NewKey;
use async_trait::async_trait;
use contacts::Contact;
use invoices::Invoice;
use kernel::{AccountId, Operator, StoreResult};
use partner_accounts::Account;
use time::OffsetDateTime;

/// Single values that the service stores about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataKey {
    /// The value that shows whether a master key belongs to the database.
    MasterKeyCheck,
    /// The sealed key that authenticates the cursors of lists.
    CursorKey,
    /// The base of the public URLs, as of the last start.
    PublicUrl,
}

impl MetadataKey {
    pub const fn name(self) -> &'static str {
        match self {
            Self::MasterKeyCheck => "master_key_check",
            Self::CursorKey => "cursor_key",
            Self::PublicUrl => "public_url",
        }
    }
}

/// The database behind a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// A PostgreSQL server.
    Postgres,
    /// The embedded database.
    Sqlite,
}

impl DatabaseKind {
    /// The usual name of the database, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgresql",
            Self::Sqlite => "sqlite",
        }
    }
}

/// The migrations of the schema, by the names of their folders, in the order in which they are applied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migrations {
    /// The applied migrations.
    pub applied: Vec<String>,
    /// The pending migrations.
    pub pending: Vec<String>,
}

impl Migrations {
    /// Migrations that a newer version of the program applied: this version knows only their numbers, so no
    /// name follows.
    pub fn newer(&self) -> impl Iterator<Item = &str> {
        let applied = self.applied.iter().map(String::as_str);
        applied.filter(|name| !name.contains('_'))
    }
}

/// The state of the connection pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStatus {
    /// The maximum number of open connections.
    pub max_connections: usize,
    /// The number of open connections.
    pub open: usize,
    /// How many of them are idle.
    pub available: usize,
    /// How many callers wait for a connection.
    pub waiting: usize,
}

/// The state of one queue of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueFigures {
    /// The queue's name in metrics, such as `mail`.
    pub queue: String,
    /// How many items are not finished: due ones, those that wait for their next attempt, leased and held
    /// ones.
    pub waiting: u64,
    /// When the first of them that is not held is or was due. A leased item is due when its lease ends.
    pub first_due_at: Option<OffsetDateTime>,
}

/// Reads the state of the queues, for monitoring.
#[async_trait]
pub trait Queues: Send + Sync {
    /// Every queue with waiting items, across all accounts: the kinds of jobs, `webhooks` and `inbound`. They
    /// are counted in the indexes of waiting items; of the tables, only the first jobs that are due are read.
    async fn figures(&self) -> StoreResult<Vec<QueueFigures>>;

    /// The queues that have an item which was due before `before`, is not leased and is not held.
    async fn overdue(&self, before: OffsetDateTime) -> StoreResult<Vec<String>>;

    /// Deletes jobs, and replays that owners requested, that ended before `ended_before`: at most `limit` of
    /// each. Returns how many were deleted.
    async fn prune_jobs(&self, ended_before: OffsetDateTime, limit: u32) -> StoreResult<u64>;
}

/// Maintains the database.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Checks that the database responds.
    async fn ping(&self) -> StoreResult<()>;

    /// The applied and pending migrations. Changes nothing, even in an empty database.
    async fn migrations(&self) -> StoreResult<Migrations>;

    /// Applies every pending migration, and distributes the tables if the layout says so. Processes may call
    /// this concurrently: one does the work, the others wait for it.
    async fn migrate_up(&self) -> StoreResult<Migrations>;

    /// Reverts the last migration, if any was applied.
    async fn migrate_down(&self) -> StoreResult<Migrations>;

    /// How the tables deviate from the [layout](crate::layout::Layout) that the store was opened with, one
    /// line for each: a table that is not distributed as it should be, or is distributed and should not be.
    async fn placement_faults(&self) -> StoreResult<Vec<String>>;

    /// A stored value.
    async fn metadata(&self, key: MetadataKey) -> StoreResult<Option<Vec<u8>>>;

    /// Stores a value unless one is stored, and returns the stored one: two concurrent callers both get the
    /// first caller's value.
    async fn metadata_or_insert(&self, key: MetadataKey, value: &[u8]) -> StoreResult<Vec<u8>>;

    /// Replaces a value if the old value is still stored.
    async fn replace_metadata(&self, key: MetadataKey, old: &[u8], new: &[u8]) -> StoreResult<()>;

    /// Stores a value, replacing any earlier one.
    async fn set_metadata(&self, key: MetadataKey, value: &[u8]) -> StoreResult<()>;

    /// Waits for the roll-backs that run in the background, at most twenty seconds, so that a process that
    /// ends now leaves nothing locked. A connection that was dropped within a statement is closed instead,
    /// and not waited for. The embedded database needs no wait: its locks end with the process.
    async fn roll_backs_ended(&self);

    fn kind(&self) -> DatabaseKind;

    /// The state of the connection pool.
    fn pool_status(&self) -> PoolStatus;
}

/// What the operator asks a database about itself in a check-up.
#[async_trait]
pub trait Checkup: Send + Sync {
    /// The version that the database reports.
    async fn version(&self) -> StoreResult<String>;

    /// The language of the database's messages, as `lc_messages` has it. Those of the embedded database are
    /// English.
    async fn message_language(&self) -> StoreResult<String>;

    /// The time of the database's clock; that of the embedded database is this machine's.
    async fn clock(&self) -> StoreResult<OffsetDateTime>;

    /// The settings of the database that are off and without which a crash of its machine loses committed
    /// transactions, joined by `and`; empty if there are none. The embedded database has no such settings.
    async fn unsafe_settings(&self) -> StoreResult<String>;

    /// How many jobs of a kind were given up after this instant, across all accounts. Those that ended
    /// because somebody decided so, such as by cancelling the invoice, are not counted.
    async fn jobs_given_up_since(
        &self,
        operator: Operator,
        kind: &'static str,
        instant: OffsetDateTime,
    ) -> StoreResult<u64>;
}

/// Loads thousands of records, bypassing the domain's use cases. Each call is one transaction with few
/// statements.
#[async_trait]
pub trait BulkLoad: Send + Sync {
    /// Inserts contacts.
    async fn contacts(&self, contacts: &[Contact]) -> StoreResult<()>;

    /// Inserts invoices with their lines and payments.
    async fn invoices(&self, invoices: &[Invoice]) -> StoreResult<()>;

    /// Inserts accounts with their logins and keys.
    async fn accounts(&self, accounts: &[(Account, NewKey)]) -> StoreResult<()>;

    /// Makes the account's invoice sequence continue with `next`, unless it is further already.
    async fn set_sequence(&self, account: AccountId, next: u64) -> StoreResult<()>;
}
