//! Logos on the store in memory, and addresses that have some.

use async_trait::async_trait;
use kernel::{AccountId, HttpsUrl, LogoKey, StoreError};
use partner_accounts::{
    AccountLogos, LogoFetchError, LogoRemovals, LogoSource, LogoStore, LogoStoreError,
};
use time::OffsetDateTime;

use super::store::Store;
use super::transaction::Tx;

/// The addresses of logos: what is there, their paths say.
pub(crate) struct Pictures;

/// A picture of one pixel, whose pixel nobody reads.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00....\
    \x00\x00\x00\x00IDAT....\x00\x00\x00\x00IEND....";

#[async_trait]
impl LogoSource for Pictures {
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        match url.url().path() {
            "/logo.png" => Ok(PNG.to_vec()),
            "/logo.svg" => Ok(b"<svg/>".to_vec()),
            _ => Err(LogoFetchError::Status(404)),
        }
    }
}

#[async_trait]
impl LogoStore for Store {
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError> {
        self.0.lock().unwrap().logos.push((key.clone(), bytes));
        Ok(())
    }

    async fn get(&self, key: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError> {
        let kept = self.look().await;
        let kept = kept.map_err(|error| LogoStoreError(error.into()))?;
        let found = kept.logos.into_iter().find(|(one, _)| one == key);
        Ok(found.map(|(_, bytes)| bytes))
    }

    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError> {
        self.0.lock().unwrap().logos.retain(|(one, _)| one != key);
        Ok(())
    }
}

#[async_trait]
impl LogoRemovals for Store {
    async fn note(&self, key: &LogoKey, _: OffsetDateTime) -> Result<(), StoreError> {
        self.0.lock().unwrap().logos_to_remove.push(key.clone());
        Ok(())
    }

    async fn begin(
        &self,
        _: OffsetDateTime,
        _: OffsetDateTime,
        _: u32,
    ) -> Result<Vec<LogoKey>, StoreError> {
        Ok(self.look().await?.logos_to_remove)
    }

    async fn done(&self, key: &LogoKey) -> Result<(), StoreError> {
        let mut kept = self.0.lock().unwrap();
        kept.logos_to_remove.retain(|one| one != key);
        Ok(())
    }
}

#[async_trait]
impl AccountLogos for Tx {
    async fn adopt(&mut self, key: &LogoKey) -> Result<bool, StoreError> {
        let noted = &mut self.draft.logos_to_remove;
        let before = noted.len();
        noted.retain(|one| one != key);
        Ok(noted.len() < before)
    }

    async fn discard(
        &mut self,
        _: AccountId,
        key: &LogoKey,
        _: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.draft.logos_to_remove.push(key.clone());
        Ok(())
    }
}
