//! A clock for tests: the time is read from a file, and stands still until the file changes.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use kernel::Clock;
use kernel::clock::to_microseconds;
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

/// A clock that shows the timestamp in a file, which is read at each use.
pub struct TestClock {
    file: PathBuf,
    /// The time that was read last, for when the file is empty because it is being written.
    last: Mutex<OffsetDateTime>,
}

impl TestClock {
    /// Opens the file of the clock.
    ///
    /// # Errors
    /// When the file cannot be read, or does not hold one timestamp (RFC 3339).
    pub fn open(file: &Path) -> anyhow::Result<Self> {
        let last = Mutex::new(read(file)?);
        Ok(Self { file: file.to_owned(), last })
    }
}

impl Clock for TestClock {
    fn now(&self) -> OffsetDateTime {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(now) = read(&self.file) {
            *last = now;
        }
        *last
    }
}

fn read(file: &Path) -> anyhow::Result<OffsetDateTime> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let instant = OffsetDateTime::parse(text.trim(), &Rfc3339);
    let instant = instant.with_context(|| {
        format!("{} must hold one timestamp, such as 2026-12-01T09:00:00Z", file.display())
    })?;
    Ok(to_microseconds(instant.to_offset(UtcOffset::UTC)))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn time_stands_still_until_the_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("now");
        assert!(TestClock::open(&file).is_err());
        std::fs::write(&file, "2026-12-01T09:00:00Z\n").unwrap();
        let clock = TestClock::open(&file).unwrap();
        assert_eq!(
            (clock.now(), clock.now()),
            (datetime!(2026-12-01 9:00 UTC), datetime!(2026-12-01 9:00 UTC))
        );
        std::fs::write(&file, "2026-12-02T10:30:00.5+01:00").unwrap();
        assert_eq!(clock.now(), datetime!(2026-12-02 9:30:00.5 UTC));
        std::fs::write(&file, "").unwrap();
        assert_eq!(clock.now(), datetime!(2026-12-02 9:30:00.5 UTC), "the last time that could be read");
        assert!(TestClock::open(&file).is_err());
    }
}
