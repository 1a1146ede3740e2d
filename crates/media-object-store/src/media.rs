//! The logos of a location.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use invoices::LogoPictures;
use kernel::LogoKey;
use kernel::errors::Source;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutPayload};
use partner_accounts::{LogoStore, LogoStoreError};

use crate::cache::PictureCache;
use crate::folder::{Folder, FolderError};
use crate::location::LogoLocation;

/// How long a document waits for its logo. A bucket that hangs would otherwise be tried for minutes, and all
/// mail waits for the mail that is being rendered.
const PICTURE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a call to the store may take. A bucket that hangs would otherwise be tried for minutes, while the
/// owner who changes a logo waits.
const CALL_TIMEOUT: Duration = Duration::from_secs(15);

/// Stores logos in a location, and caches those that documents show. Clones share both.
#[derive(Clone)]
pub struct Media {
    objects: Objects,
    prefix: Path,
    cache: Arc<PictureCache>,
}

#[derive(Clone)]
enum Objects {
    Folder(Arc<Folder>),
    Bucket(Arc<dyn ObjectStore>),
}

/// The bucket's settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot keep logos in the bucket {bucket}")]
pub struct BucketError {
    bucket: String,
    #[source]
    source: Source,
}

impl Media {
    /// Opens a location. A folder is not created yet, and a bucket is not called yet. Its credentials, region
    /// and endpoint come from the usual variables (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL` and
    /// so on). `extra_ca` is a PEM file of authorities that are trusted in addition to the system's.
    pub fn open(location: &LogoLocation, extra_ca: Option<&FilePath>) -> Result<Self, BucketError> {
        let (objects, prefix) = match location {
            LogoLocation::Folder(folder) => (Objects::Folder(Arc::new(Folder::at(folder))), Path::default()),
            LogoLocation::Bucket { bucket, prefix } => {
                (Objects::Bucket(objects(bucket, extra_ca)?), Path::from(prefix.as_str()))
            }
        };
        Ok(Self { objects, prefix, cache: Arc::default() })
    }

    /// Creates the folder, if logos are kept in one, readable by its owner only. It is also created when the
    /// first logo is stored; a service learns earlier that it cannot be.
    pub fn create_folder(&self) -> Result<(), FolderError> {
        match &self.objects {
            Objects::Folder(folder) => folder.create().map(drop),
            Objects::Bucket(_) => Ok(()),
        }
    }

    /// The objects to read; `None` if nothing was stored yet.
    fn stored(&self) -> Result<Option<Arc<dyn ObjectStore>>, LogoStoreError> {
        match &self.objects {
            Objects::Folder(folder) => folder.existing().map_err(|error| LogoStoreError(error.into())),
            Objects::Bucket(bucket) => Ok(Some(bucket.clone())),
        }
    }

    fn path(&self, key: &LogoKey) -> Path {
        self.prefix.clone().join(key.as_str())
    }
}

#[cfg(feature = "s3")]
fn objects(bucket: &str, extra_ca: Option<&FilePath>) -> Result<Arc<dyn ObjectStore>, BucketError> {
    crate::bucket::open(bucket, extra_ca).map_err(|source| BucketError { bucket: bucket.to_owned(), source })
}

#[cfg(not(feature = "s3"))]
fn objects(bucket: &str, _: Option<&FilePath>) -> Result<Arc<dyn ObjectStore>, BucketError> {
    Err(BucketError {
        bucket: bucket.to_owned(),
        source: crate::location::LocationFault::WithoutBuckets.into(),
    })
}

/// Limits the time of a call.
async fn in_time<T>(call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let done = tokio::time::timeout(CALL_TIMEOUT, call).await;
    done.unwrap_or_else(|elapsed| Err(Error::Generic { store: "logos", source: elapsed.into() }))
}

fn failed(error: Error) -> LogoStoreError {
    LogoStoreError(error.into())
}

#[async_trait]
impl LogoStore for Media {
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError> {
        let objects = match &self.objects {
            Objects::Folder(folder) => folder.create().map_err(|error| LogoStoreError(error.into()))?,
            Objects::Bucket(bucket) => bucket.clone(),
        };
        in_time(objects.put(&self.path(key), PutPayload::from(bytes))).await.map(drop).map_err(failed)
    }

    async fn get(&self, key: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError> {
        let Some(objects) = self.stored()? else { return Ok(None) };
        let path = self.path(key);
        match in_time(async { objects.get(&path).await?.bytes().await }).await {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError> {
        self.cache.forget(key);
        let Some(objects) = self.stored()? else { return Ok(()) };
        match in_time(objects.delete(&self.path(key))).await {
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

#[cfg(test)]
mod tests;
