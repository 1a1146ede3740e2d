//! Logos: whether a copy can be stored.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kernel::{LogoKey, LogoKind, SystemRandom};
use media_object_store::LogoLocation;
use partner_accounts::{LogoStore, LogoStoreError};

use super::files::may_write;
use super::finding::{CheckOutcome, run_blocking};
use crate::settings::Settings;
use crate::wiring::open_media;

/// How long a bucket may take to store and remove an object. Its client tries again for longer than a check
/// may take.
const BUCKET_LIMIT: Duration = Duration::from_secs(10);

/// Whether logos can be stored in the bucket that is set, else in the data directory.
pub(super) async fn logos(settings: &Settings) -> CheckOutcome {
    match settings.media().map_err(|error| format!("{error:#}"))? {
        LogoLocation::Folder(folder) => in_folder(folder).await,
        LogoLocation::Bucket { bucket, .. } => {
            let media = open_media(settings).map_err(|error| format!("{error:#}"))?;
            in_bucket(&media, &bucket).await
        }
    }
}

async fn in_folder(folder: PathBuf) -> CheckOutcome {
    run_blocking(move || look_at(&folder)).await
}

fn look_at(folder: &Path) -> Result<String, String> {
    let name = folder.display();
    if !folder.exists() {
        return Ok(format!("{name} is not there yet; it is made when it is needed"));
    }
    may_write(folder)
        .map_err(|error| format!("{name} cannot be written to ({error}): see to its owner and mode"))?;
    Ok(format!("stored in {name}, which is right for one process"))
}

/// Stores a small object under a new name, and removes it.
async fn in_bucket(store: &dyn LogoStore, bucket: &str) -> CheckOutcome {
    let key = LogoKey::generate(LogoKind::Png, &SystemRandom::default());
    let probe = async {
        store.put(&key, b"doctor".to_vec()).await?;
        store.remove(&key).await
    };
    let why = match tokio::time::timeout(BUCKET_LIMIT, probe).await {
        Ok(Ok(())) => return Ok(format!("stored in the bucket {bucket}")),
        Ok(Err(LogoStoreError(error))) => error.to_string(),
        Err(_elapsed) => format!("no answer in {} s", BUCKET_LIMIT.as_secs()),
    };
    Err(format!(
        "the bucket {bucket} does not store them ({why}): see whether COUNTINGHOUSE_MEDIA_URL names the right bucket, and \
         the AWS_ variables the right credentials, region and endpoint"
    )
    .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use media_object_store::Media;

    #[test]
    fn folder_that_is_not_one_is_reported_and_a_missing_one_is_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let media = folder.path().join("media");
        assert!(look_at(&media).unwrap().contains("not there yet"));
        assert!(!media.exists());
        std::fs::write(&media, "").unwrap();
        assert!(look_at(&media).unwrap_err().contains("cannot be written to"));
        assert!(look_at(folder.path()).is_ok());
    }

    #[tokio::test]
    async fn bucket_that_refuses_is_reported_and_an_object_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let bucket = folder.path().join("bucket");
        let store = Media::open(&LogoLocation::Folder(bucket.clone()), None).unwrap();
        assert!(in_bucket(&store, "logos-of-ours").await.is_ok());
        assert_eq!(bucket.read_dir().unwrap().count(), 0);
        std::fs::remove_dir(&bucket).unwrap();
        std::fs::write(&bucket, "").unwrap();
        let refused = format!("{:?}", in_bucket(&store, "logos-of-ours").await.unwrap_err());
        assert!(
            refused.contains("logos-of-ours") && refused.contains("COUNTINGHOUSE_MEDIA_URL"),
            "{refused}"
        );
    }
}
