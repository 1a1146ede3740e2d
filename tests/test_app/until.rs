//! Waiting for another process.

use std::time::{Duration, Instant};

/// Only a failing test waits this long; generous, for a machine with other work.
const PATIENCE: Duration = Duration::from_secs(180);

/// Polls until `look` returns a value.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
