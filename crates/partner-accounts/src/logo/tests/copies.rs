//! A copy's removal is scheduled before the copy is stored, and carried out at least once.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use kernel::{HttpsUrl, LogoKey, LogoKind, StoreResult};
use testkit::{FixedClock, FixedRandom};
use time::OffsetDateTime;

use super::{JPEG, PNG};
use crate::logo::*;

/// All ports of logos, with a record of the calls in their order.
#[derive(Default)]
struct RecordingPorts {
    steps: Mutex<Vec<String>>,
    broken: bool,
    due: Mutex<Vec<LogoKey>>,
}

impl RecordingPorts {
    fn step(&self, what: String) -> Result<(), LogoStoreError> {
        self.steps.lock().unwrap().push(what);
        if self.broken {
            return Err(LogoStoreError("out of order".into()));
        }
        Ok(())
    }
}

#[async_trait]
impl LogoSource for RecordingPorts {
    async fn fetch(&self, url: &HttpsUrl) -> Result<Vec<u8>, LogoFetchError> {
        match url.url().path() {
            "/jpeg" => Ok(JPEG.to_vec()),
            "/text" => Ok(b"text".to_vec()),
            _ => Err(LogoFetchError::Status(404)),
        }
    }
}

#[async_trait]
impl LogoStore for RecordingPorts {
    async fn put(&self, key: &LogoKey, bytes: Vec<u8>) -> Result<(), LogoStoreError> {
        self.step(format!("put {key} {}", bytes.len()))
    }

    async fn get(&self, _: &LogoKey) -> Result<Option<Vec<u8>>, LogoStoreError> {
        Ok(Some(PNG.to_vec()))
    }

    async fn remove(&self, key: &LogoKey) -> Result<(), LogoStoreError> {
        self.step(format!("remove {key}"))
    }
}

#[async_trait]
impl LogoRemovals for RecordingPorts {
    async fn schedule(&self, key: &LogoKey, due_at: OffsetDateTime) -> StoreResult<()> {
        let wait = due_at - FixedClock::START;
        let _ = self.step(format!("note {key} {}", wait.whole_minutes()));
        Ok(())
    }

    async fn begin(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        most: u32,
    ) -> StoreResult<Vec<LogoKey>> {
        assert!(until > now);
        let mut due = self.due.lock().unwrap();
        let begun = due.len().min(usize::try_from(most).unwrap());
        Ok(due.drain(..begun).collect())
    }

    async fn done(&self, key: &LogoKey) -> StoreResult<()> {
        let _ = self.step(format!("done {key}"));
        Ok(())
    }
}

fn logos(ports: &Arc<RecordingPorts>) -> Logos {
    Logos { source: ports.clone(), store: ports.clone(), removals: ports.clone() }
}

async fn fetched(logos: &Logos, path: &str) -> Result<Logo, String> {
    let url = HttpsUrl::parse(&format!("https://acme.example/{path}")).unwrap();
    logos.fetch(&url).await.map_err(|unfit| unfit.to_string())
}

#[tokio::test]
async fn a_removal_is_scheduled_before_the_copy_is_stored() {
    for broken in [false, true] {
        let ports = Arc::new(RecordingPorts { broken, ..RecordingPorts::default() });
        let logos = logos(&ports);
        let logo = fetched(&logos, "jpeg").await.unwrap();
        let (clock, random) = (FixedClock::default(), FixedRandom::default());
        let stored = logos.store_copy(logo, &clock, &random).await;
        let steps = ports.steps.lock().unwrap().clone();
        assert!(steps[0].starts_with("note ") && steps[0].ends_with(".jpg 60"));
        assert!(steps[1].starts_with("put "));
        assert_eq!((steps.len(), stored.is_err()), (2, broken));
    }
}

#[tokio::test]
async fn each_fault_has_its_own_message() {
    let ports = Arc::new(RecordingPorts::default());
    let logos = logos(&ports);
    assert!(fetched(&logos, "text").await.unwrap_err().contains("PNG"));
    assert!(fetched(&logos, "none").await.unwrap_err().contains("404"));
    assert!(ports.steps.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_failed_removal_stays_scheduled() {
    let random = FixedRandom::default();
    let due: Vec<_> = (0..2).map(|_| LogoKey::generate(LogoKind::Png, &random)).collect();
    for broken in [false, true] {
        let ports =
            Arc::new(RecordingPorts { broken, due: Mutex::new(due.clone()), ..RecordingPorts::default() });
        let cleanup = LogoCleanup {
            removals: ports.clone(),
            store: ports.clone(),
            clock: Arc::new(FixedClock::default()),
        };
        let removed = cleanup.remove_unused().await.unwrap();
        let steps = ports.steps.lock().unwrap().clone();
        let done = steps.iter().filter(|step| step.starts_with("done")).count();
        if broken {
            assert_eq!((removed.removed, removed.failed.len(), done), (0, 2, 0));
        } else {
            assert_eq!((removed.removed, removed.failed.len(), done), (2, 0, 2));
            assert!(steps[0].starts_with("remove") && steps[1].starts_with("done"));
        }
    }
}

#[tokio::test]
async fn due_removals_are_carried_out_until_none_is_left() {
    let random = FixedRandom::default();
    let due: Vec<_> = (0..250).map(|_| LogoKey::generate(LogoKind::Png, &random)).collect();
    let ports = Arc::new(RecordingPorts { due: Mutex::new(due), ..RecordingPorts::default() });
    let cleanup =
        LogoCleanup { removals: ports.clone(), store: ports.clone(), clock: Arc::new(FixedClock::default()) };
    let mut all = 0;
    loop {
        let removed = cleanup.remove_unused().await.unwrap();
        all += removed.removed;
        if !removed.more {
            break;
        }
    }
    assert_eq!(all, 250);
}
