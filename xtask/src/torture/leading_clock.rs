//! A clock that is ahead of the system's, in this process and in a file for the service.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use kernel::clock::parse_instant;
use kernel::{Clock, SystemClock, instant_text};
use time::OffsetDateTime;

/// How often the file is written.
const TICK: Duration = Duration::from_millis(20);

#[derive(Clone)]
pub(super) struct LeadingClock {
    ahead: Arc<AtomicI64>,
    /// The file from which the service reads the time.
    pub(super) file: PathBuf,
}

impl LeadingClock {
    pub(super) fn new(file: &Path) -> Self {
        Self { ahead: Arc::default(), file: file.to_path_buf() }
    }

    /// Moves ahead of the system's clock, and writes the file for the first time.
    pub(super) fn go_ahead(&self, by: time::Duration) -> std::io::Result<()> {
        self.ahead.store(by.whole_seconds(), Ordering::Relaxed);
        self.write()
    }

    /// Moves further ahead, and waits until the file, which [`Self::tick`] updates, has the new time.
    pub(super) async fn jump(&self, by: time::Duration) {
        let since = self.now().saturating_add(by);
        self.ahead.fetch_add(by.whole_seconds(), Ordering::Relaxed);
        let reads = || std::fs::read_to_string(&self.file).ok().and_then(|text| parse_instant(&text));
        // The file has only milliseconds.
        while reads().is_none_or(|read| read < since.saturating_sub(time::Duration::SECOND)) {
            tokio::time::sleep(TICK).await;
        }
    }

    /// Keeps the file up to date.
    pub(super) async fn tick(self) {
        loop {
            // If the file cannot be written, the clock stops, and the check for settlement fails.
            let _written = self.write();
            tokio::time::sleep(TICK).await;
        }
    }

    fn write(&self) -> std::io::Result<()> {
        // Replaced atomically, because a service that starts now would refuse an empty file.
        let new = self.file.with_extension("new");
        std::fs::write(&new, instant_text(self.now()))?;
        std::fs::rename(new, &self.file)
    }
}

impl Clock for LeadingClock {
    fn now(&self) -> OffsetDateTime {
        SystemClock.now().saturating_add(time::Duration::seconds(self.ahead.load(Ordering::Relaxed)))
    }
}
