//! The ports of logos.

use std::time::Duration;

use async_trait::async_trait;
use kernel::errors::Source;
use kernel::{AccountId, HttpsUrl, LogoKey, StoreResult};
use time::OffsetDateTime;

use super::image::InvalidLogo;

/// Why a picture was not downloaded. The text follows the name of the field with its address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogoFetchError {
    #[error("must lead to a public address; this one is not public")]
    NotPublic,
    /// No connection, no HTTP response or an incomplete one; the text says which.
    #[error("cannot be downloaded: {0}")]
    Unreachable(String),
    /// The download took too long.
    #[error("cannot be downloaded: there was no complete response within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error("answers with a redirect, which is not followed; give the address of the image itself")]
    Redirect,
    /// The response has a status other than 200.
    #[error("cannot be downloaded: the response has status {0} instead of 200")]
    Status(u16),
    /// The file has more than [`super::image::Logo::MAX_BYTES`].
    #[error("{}", InvalidLogo::TooLarge)]
    TooLarge,
}

/// Downloads pictures from untrusted addresses.
#[async_trait]
pub trait LogoSource: Send + Sync {
    /// Downloads a file of at most [`super::image::Logo::MAX_BYTES`] within 10 seconds, and stops reading a
    /// larger one. Calls only public addresses, unless the operator allows private ones; follows no
    /// redirects.
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError>;
}

/// The store of logo copies failed.
#[derive(Debug, thiserror::Error)]
#[error("the store of logos failed")]
pub struct LogoStoreError(#[source] pub Source);

/// Stores the copies of logos.
#[async_trait]
pub trait LogoStore: Send + Sync {
    /// Stores a picture durably; afterwards every process can read it.
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError>;

    /// Reads a picture; `None` when there is none with this name.
    async fn get(&self, key: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError>;

    /// Removes a picture. A missing one is not an error.
    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError>;
}

/// The logos of a transaction that changes the logo of an account.
#[async_trait]
pub trait AccountLogos: Send {
    /// Deletes the scheduled removal of a new copy. `false` when there is none or it has begun: then no
    /// account may refer to the copy. A concurrent [`LogoRemovals::begin`] waits and does not find the
    /// removal.
    async fn adopt(&mut self, key: &LogoKey) -> StoreResult<bool>;

    /// Schedules the removal of the previous copy of a locked account, due at the commit.
    async fn discard(&mut self, account: AccountId, key: &LogoKey, now: OffsetDateTime) -> StoreResult<()>;
}

/// Scheduled removals of copies. They belong to no account, since a removal is scheduled before an account
/// refers to the copy.
#[async_trait]
pub trait LogoRemovals: Send + Sync {
    /// Schedules the removal of a copy and commits it.
    async fn schedule(&self, key: &LogoKey, due_at: OffsetDateTime) -> StoreResult<()>;

    /// Begins at most `limit` due removals: afterwards no account can adopt these copies, and no other
    /// process begins them before `until`.
    async fn begin(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        limit: u32,
    ) -> StoreResult<Vec<LogoKey>>;

    /// Deletes a completed removal.
    async fn done(&self, key: &LogoKey) -> StoreResult<()>;
}
