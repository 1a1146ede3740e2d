use std::os::unix::fs::PermissionsExt as _;

use kernel::LogoKind;
use object_store::memory::InMemory;
use object_store::throttle::{ThrottleConfig, ThrottledStore};
use testkit::FixedRandom;

use super::*;

fn key(random: &FixedRandom) -> LogoKey {
    LogoKey::generate(LogoKind::Jpeg, random)
}

fn files_of(folder: &FilePath) -> Vec<String> {
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test]
async fn a_logo_comes_back_as_it_went_in_until_it_is_removed() {
    let data = tempfile::tempdir().unwrap();
    let location = LogoLocation::parse(None, data.path()).unwrap();
    let media = Media::open(&location, None).unwrap();
    let random = FixedRandom::default();
    let (ours, other) = (key(&random), key(&random));
    assert_eq!(media.get(&ours).await.unwrap(), None);
    media.remove(&ours).await.unwrap();
    assert!(!data.path().join("media").exists(), "nothing was stored yet");
    media.put(&ours, vec![1, 2, 3]).await.unwrap();
    let mode = std::fs::metadata(data.path().join("media")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert_eq!(files_of(&data.path().join("media")), [ours.as_str()]);

    // Another process on the same folder, or this one after a restart.
    let again = Media::open(&location, None).unwrap();
    assert_eq!(again.get(&ours).await.unwrap(), Some(vec![1, 2, 3]));
    assert_eq!(again.get(&other).await.unwrap(), None);
    for _ in 0..2 {
        media.remove(&ours).await.unwrap();
    }
    assert_eq!(again.get(&ours).await.unwrap(), None);
    assert!(files_of(&data.path().join("media")).is_empty());
}

#[tokio::test]
async fn a_picture_that_was_shown_is_shown_again_from_memory() {
    let data = tempfile::tempdir().unwrap();
    let media = Media::open(&LogoLocation::parse(None, data.path()).unwrap(), None).unwrap();
    let ours = key(&FixedRandom::default());
    assert_eq!(media.picture(&ours).await, None);
    media.put(&ours, vec![7]).await.unwrap();
    assert_eq!(media.picture(&ours).await.as_deref(), Some(&[7][..]));
    std::fs::remove_file(data.path().join("media").join(ours.as_str())).unwrap();
    assert_eq!(media.picture(&ours).await.as_deref(), Some(&[7][..]));
    // Reading the file itself finds that it is missing.
    assert_eq!(media.get(&ours).await.unwrap(), None);
    media.remove(&ours).await.unwrap();
    assert_eq!(media.picture(&ours).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_document_does_not_wait_for_a_store_that_hangs() {
    let an_hour = Duration::from_hours(1);
    let hangs = ThrottleConfig { wait_get_per_call: an_hour, ..ThrottleConfig::default() };
    let objects = Objects::Bucket(Arc::new(ThrottledStore::new(InMemory::new(), hangs)));
    let media = Media { objects, prefix: Path::default(), cache: Arc::default() };
    let ours = key(&FixedRandom::default());
    media.put(&ours, vec![7]).await.unwrap();
    let begun = tokio::time::Instant::now();
    assert_eq!(media.picture(&ours).await, None);
    assert!(begun.elapsed() < an_hour);
}

#[tokio::test(start_paused = true)]
async fn calls_to_a_store_that_hangs_fail_in_time() {
    let an_hour = Duration::from_hours(1);
    let hangs = ThrottleConfig {
        wait_put_per_call: an_hour,
        wait_get_per_call: an_hour,
        wait_delete_per_call: an_hour,
        ..ThrottleConfig::default()
    };
    let objects = Objects::Bucket(Arc::new(ThrottledStore::new(InMemory::new(), hangs)));
    let media = Media { objects, prefix: Path::default(), cache: Arc::default() };
    let ours = key(&FixedRandom::default());
    let begun = tokio::time::Instant::now();
    assert!(media.put(&ours, vec![7]).await.is_err());
    assert!(media.get(&ours).await.is_err());
    assert!(media.remove(&ours).await.is_err());
    assert!(begun.elapsed() < Duration::from_mins(1));
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("file");
    std::fs::write(&file, "").unwrap();
    let media = Media::open(&LogoLocation::Folder(file.join("media")), None).unwrap();
    let refused = media.create_folder().unwrap_err();
    assert!(refused.to_string().contains("file/media"), "{refused}");
    assert!(media.put(&key(&FixedRandom::default()), vec![7]).await.is_err());
}
