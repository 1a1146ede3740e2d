//! What the store offers besides the domain's ports: its upkeep, and loading in bulk.

use access::NewKey;
use async_trait::async_trait;
use contacts::Contact;
use invoices::Invoice;
use kernel::{AccountId, Operator, StoreError};
use partner_accounts::Account;
use time::OffsetDateTime;

/// What the service stores about itself, one value each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetadataKey {
    /// The value by which a master key is known to fit the database.
    MasterKeyCheck,
    /// The sealed key of the cursors of lists.
    CursorKey,
    /// The base of the addresses that are handed out, as of the last start.
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

/// Which database a store stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A PostgreSQL server.
    Postgres,
    /// The embedded database.
    Sqlite,
}

impl Kind {
    /// The name by which people know the database, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgresql",
            Self::Sqlite => "sqlite",
        }
    }
}

/// The steps of the schema, by the names of their folders, in the order in which they are taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migrations {
    /// Those that have been taken.
    pub applied: Vec<String>,
    /// Those that are still to take.
    pub pending: Vec<String>,
}

impl Migrations {
    /// Those that were taken by a newer version of the program: this one knows no more of them than their
    /// numbers, so no name follows.
    pub fn newer(&self) -> impl Iterator<Item = &str> {
        let applied = self.applied.iter().map(String::as_str);
        applied.filter(|name| !name.contains('_'))
    }
}

/// What the connection pool is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PoolStatus {
    /// The most connections that it opens.
    pub most: usize,
    /// The connections that are open.
    pub size: usize,
    /// Those of them that are idle.
    pub available: usize,
    /// How many wait for one.
    pub waiting: usize,
}

/// How one queue of the database stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueFigures {
    /// The queue's name in figures, such as `mail`.
    pub queue: String,
    /// How many items are not finished: those due, those that wait for their next attempt, those that
    /// a worker has leased.
    pub waiting: u64,
    /// When the first of them is due, or was. A leased item counts as due when that attempt
    /// would be given up for lost.
    pub first_due_at: Option<OffsetDateTime>,
}

/// Looks at the queues from outside, for those who watch over the service.
#[async_trait]
pub trait Queues: Send + Sync {
    /// Every queue in which something waits, across all accounts: the kinds of jobs, `webhooks` and
    /// `inbound`. One statement, which reads the indexes of what is waiting and no table.
    async fn figures(&self) -> Result<Vec<QueueFigures>, StoreError>;

    /// The queues that have an item which was due before an instant, is not leased and is not held.
    async fn overdue(&self, before: OffsetDateTime) -> Result<Vec<String>, StoreError>;

    /// Deletes jobs, and replays that owners asked for, that ended before an instant: at most `most` of each.
    /// Returns how many it were.
    async fn prune_jobs(&self, ended_before: OffsetDateTime, most: u32) -> Result<u64, StoreError>;
}

/// Keeps the database in shape.
#[async_trait]
pub trait Upkeep: Send + Sync {
    /// Asks the database for a sign of life.
    async fn ping(&self) -> Result<(), StoreError>;

    /// Which steps of the schema have been taken. Changes nothing, also in a database that has seen none.
    async fn migrations(&self) -> Result<Migrations, StoreError>;

    /// Takes every step that is pending, and distributes the tables where the layout says so. Several
    /// processes may do this at once: one does the work, the others wait for it.
    async fn migrate_up(&self) -> Result<Migrations, StoreError>;

    /// Takes back the last step that was taken, if any was.
    async fn migrate_down(&self) -> Result<Migrations, StoreError>;

    /// What stands in the way of the [layout](crate::layout::Layout) that the store was opened with, a line
    /// each: a table that is not distributed as it should be, or one that should not be and is.
    async fn placement_faults(&self) -> Result<Vec<String>, StoreError>;

    /// Whether there is any partner.
    async fn has_partners(&self) -> Result<bool, StoreError>;

    /// A stored value.
    async fn metadata(&self, key: MetadataKey) -> Result<Option<Vec<u8>>, StoreError>;

    /// Stores a value unless it is stored already. Returns what is stored then: of two processes at once,
    /// both get the first one's.
    async fn metadata_or_insert(&self, key: MetadataKey, value: &[u8]) -> Result<Vec<u8>, StoreError>;

    /// Replaces a value where the old value is still stored.
    async fn replace_metadata(&self, key: MetadataKey, old: &[u8], new: &[u8]) -> Result<(), StoreError>;

    /// Stores a value, whatever was stored before.
    async fn set_metadata(&self, key: MetadataKey, value: &[u8]) -> Result<(), StoreError>;

    /// Waits for the roll-backs that run in the background, for twenty seconds at the longest, so that a
    /// process that ends now leaves nothing locked. What was dropped within a statement is closed instead,
    /// and not waited for. On the embedded database there is nothing to wait for: its locks end with the
    /// process.
    async fn roll_backs_ended(&self);

    /// Which database this is.
    fn kind(&self) -> Kind;

    /// What the connection pool is doing.
    fn pool_status(&self) -> PoolStatus;
}

/// What the operator asks a database about itself when something may be wrong.
#[async_trait]
pub trait Checkup: Send + Sync {
    /// The version that the database says it is of.
    async fn version(&self) -> Result<String, StoreError>;

    /// What the database's clock shows; the embedded one has that of this machine.
    async fn clock(&self) -> Result<OffsetDateTime, StoreError>;

    /// How many jobs of a kind were given up after this instant, of all accounts.
    async fn jobs_given_up_since(
        &self,
        operator: Operator,
        kind: &'static str,
        instant: OffsetDateTime,
    ) -> Result<u64, StoreError>;
}

/// Loads records by the thousand, past the domain's use cases. Each call is one transaction and few
/// statements.
#[async_trait]
pub trait BulkLoad: Send + Sync {
    /// Inserts contacts.
    async fn contacts(&self, contacts: &[Contact]) -> Result<(), StoreError>;

    /// Inserts invoices with their lines and payments.
    async fn invoices(&self, invoices: &[Invoice]) -> Result<(), StoreError>;

    /// Inserts accounts with their logins and keys.
    async fn accounts(&self, accounts: &[(Account, NewKey)]) -> Result<(), StoreError>;

    /// Has the account's invoice sequence go on with `next`, unless it is further already.
    async fn set_sequence(&self, account: AccountId, next: u64) -> Result<(), StoreError>;
}
