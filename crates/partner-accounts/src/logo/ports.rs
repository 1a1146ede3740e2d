//! What logos need from outside.

use std::time::Duration;

use async_trait::async_trait;
use kernel::errors::Source;
use kernel::{AccountId, HttpsUrl, LogoKey, StoreError};
use time::OffsetDateTime;

use super::invalid_logo::InvalidLogo;

/// Why a picture is not downloaded, in words for whoever sent its address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogoFetchError {
    /// The address is inside a network.
    #[error("must lead to a public address; this one is not public")]
    NotPublic,
    /// There is no way to the host, or its answer is none, or broke off; the text says which.
    #[error("cannot be downloaded: {0}")]
    Unreachable(String),
    /// The time was up.
    #[error("cannot be downloaded: there was no complete answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// The answer points elsewhere.
    #[error("answers with a redirect, which is not followed; give the address of the image itself")]
    Redirect,
    /// The answer has another status than 200.
    #[error("cannot be downloaded: the answer has status {0} instead of 200")]
    Status(u16),
    /// The file has more than [`super::image::Logo::MOST_BYTES`].
    #[error("{}", InvalidLogo::TooLarge)]
    TooLarge,
}

/// Downloads pictures from addresses that strangers chose.
#[async_trait]
pub trait LogoSource: Send + Sync {
    /// Downloads a file of at most [`super::image::Logo::MOST_BYTES`], reading no more of a larger one, in 10 seconds at the longest. Only public
    /// addresses are called, unless the operator allows others; no redirect is followed.
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError>;
}

/// The copies of logos could not be reached.
#[derive(Debug, thiserror::Error)]
#[error("the store of logos failed")]
pub struct LogoStoreError(#[source] pub Source);

/// Keeps the copies of logos.
#[async_trait]
pub trait LogoStore: Send + Sync {
    /// Stores a picture. When this is done, every process can read it, and it outlasts a crash of the machine.
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError>;

    /// Reads a picture; `None` when there is none of this name.
    async fn get(&self, key: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError>;

    /// Removes a picture. That there is none of this name is no error.
    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError>;
}

/// The account's part of a transaction in which it comes to another logo.
#[async_trait]
pub trait AccountLogos: Send {
    /// Takes the note away by which a new copy was to be removed. `false` when it is gone, or its removal has begun: then the copy must not be
    /// named by an account. Whoever comes to remove it in the same moment waits, and finds no note.
    async fn adopt(&mut self, key: &LogoKey) -> Result<bool, StoreError>;

    /// Notes the removal of the copy that one of the partner's accounts, which is held, had until now: due at once, once this is committed.
    async fn discard(
        &mut self,
        account: AccountId,
        key: &LogoKey,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Notes of copies that are to be removed. They belong to the service and to no account: a copy is noted before there is one to name it.
#[async_trait]
pub trait LogoRemovals: Send + Sync {
    /// Notes the removal of a copy, committed when this is done.
    async fn note(&self, key: &LogoKey, due_at: OffsetDateTime) -> Result<(), StoreError>;

    /// Begins the removal of at most `most` copies that are due: nobody adopts them any more, and nobody else begins theirs until `until`.
    async fn begin(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        most: u32,
    ) -> Result<Vec<LogoKey>, StoreError>;

    /// Takes a note away: the copy is removed.
    async fn done(&self, key: &LogoKey) -> Result<(), StoreError>;
}
