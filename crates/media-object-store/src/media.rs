//! The logos of a location.

use std::fmt;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use invoices::LogoPictures;
use kernel::LogoKey;
use kernel::errors::Source;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutPayload};
use partner_accounts::{LogoStore, LogoStoreError};

use crate::cache::PictureCache;
use crate::location::LogoLocation;

/// How long a document waits for its logo. A bucket that hangs would otherwise be tried for minutes, and all
/// mail waits for the mail that is being rendered.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(5);

/// Stores logos in a location, and caches those that documents show. Clones share both.
#[derive(Clone)]
pub struct Media {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
    cache: Arc<PictureCache>,
}

/// Why a location cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MediaOpenError {
    /// The folder cannot be created or read.
    #[error("cannot keep logos in {}", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: Source,
    },
    /// The bucket's settings cannot be used.
    #[error("cannot keep logos in the bucket {bucket}")]
    Bucket {
        bucket: String,
        #[source]
        source: Source,
    },
}

impl Media {
    /// Opens a location. A folder is created if it is missing; a bucket is not called yet. Its credentials,
    /// region and endpoint come from the usual variables (`AWS_ACCESS_KEY_ID`, `AWS_REGION`,
    /// `AWS_ENDPOINT_URL` and so on). `extra_ca` is a PEM file of authorities that are trusted in addition to
    /// the system's.
    ///
    /// # Errors
    /// A [`MediaOpenError`].
    pub fn open(location: &LogoLocation, extra_ca: Option<&FilePath>) -> Result<Self, MediaOpenError> {
        let (objects, prefix) = match location {
            LogoLocation::Folder(folder) => (files(folder)?, Path::default()),
            LogoLocation::Bucket { bucket, prefix } => {
                (objects(bucket, extra_ca)?, Path::from(prefix.as_str()))
            }
        };
        Ok(Self { objects, prefix, cache: Arc::default() })
    }

    fn path(&self, key: &LogoKey) -> Path {
        self.prefix.clone().join(key.as_str())
    }
}

/// Files are synced to disk before they count as stored: an account must not name a picture that was lost in
/// a power cut.
fn files(folder: &FilePath) -> Result<Arc<dyn ObjectStore>, MediaOpenError> {
    let fault = |source| MediaOpenError::Folder { folder: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(|error| fault(error.into()))?;
    let files = LocalFileSystem::new_with_prefix(folder).map_err(|error| fault(error.into()))?;
    Ok(Arc::new(files.with_fsync(true)))
}

#[cfg(feature = "s3")]
fn objects(bucket: &str, extra_ca: Option<&FilePath>) -> Result<Arc<dyn ObjectStore>, MediaOpenError> {
    crate::bucket::open(bucket, extra_ca)
        .map_err(|source| MediaOpenError::Bucket { bucket: bucket.to_owned(), source })
}

#[cfg(not(feature = "s3"))]
fn objects(bucket: &str, _: Option<&FilePath>) -> Result<Arc<dyn ObjectStore>, MediaOpenError> {
    Err(MediaOpenError::Bucket {
        bucket: bucket.to_owned(),
        source: crate::location::LocationFault::WithoutBuckets.into(),
    })
}

fn failed(error: Error) -> LogoStoreError {
    LogoStoreError(error.into())
}

#[async_trait]
impl LogoStore for Media {
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError> {
        let bytes = PutPayload::from(bytes);
        self.objects.put(&self.path(key), bytes).await.map(drop).map_err(failed)
    }

    async fn get(&self, key: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError> {
        let found = match self.objects.get(&self.path(key)).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let bytes = found.bytes().await.map_err(failed)?;
        Ok(Some(bytes.to_vec()))
    }

    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError> {
        self.cache.forget(key);
        match self.objects.delete(&self.path(key)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }
}

#[async_trait]
impl LogoPictures for Media {
    async fn picture(&self, key: &LogoKey) -> Option<Arc<[u8]>> {
        if let Some(picture) = self.cache.get(key) {
            return Some(picture);
        }
        let picture: Arc<[u8]> = match tokio::time::timeout(PICTURE_TIMEOUT, self.get(key)).await {
            Ok(Ok(Some(bytes))) => bytes.into(),
            Ok(Ok(None)) => {
                tracing::warn!(logo = %key, "a logo is missing and is left out of a document");
                return None;
            }
            Ok(Err(LogoStoreError(error))) => {
                tracing::warn!(logo = %key, %error, "a logo cannot be read and is left out of a document");
                return None;
            }
            Err(_elapsed) => {
                tracing::warn!(logo = %key, "a logo takes too long to read and is left out of a document");
                return None;
            }
        };
        self.cache.put(key, picture.clone());
        Some(picture)
    }
}

impl fmt::Debug for Media {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Media").field("objects", &self.objects.to_string()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
