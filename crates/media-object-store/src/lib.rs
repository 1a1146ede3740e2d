//! Logos in an object store: a folder, or S3.
//!
//! A folder is enough for one process; several processes share a bucket. A logo never changes under its name,
//! so that a copy in memory stays valid: [`Media`] caches the few that documents show.
//!
//! ```
//! use kernel::{LogoKey, LogoKind, SystemRandom};
//! use media_object_store::{Media, LogoLocation};
//! use partner_accounts::LogoStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let folder = tempfile::tempdir().unwrap();
//! let location = LogoLocation::parse(None, folder.path()).unwrap();
//! let media = Media::open(&location, None).unwrap();
//!
//! let key = LogoKey::generate(LogoKind::Png, &SystemRandom::default());
//! media.put(&key, b"a picture".to_vec()).await.unwrap();
//! assert_eq!(media.get(&key).await.unwrap().as_deref(), Some(&b"a picture"[..]));
//! # }
//! ```

#[cfg(feature = "s3")]
mod bucket;
mod cache;
mod folder;
mod location;
mod media;

pub use folder::FolderError;
pub use location::{LocationFault, LogoLocation};
pub use media::{BucketError, Media};
