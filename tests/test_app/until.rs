//! Waiting for another process.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

/// Only a failing test waits this long; generous, for a machine with other work.
const PATIENCE: Duration = Duration::from_secs(180);

/// Polls until `look` returns a value.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let looked = timeout_at(deadline, look()).await;
        let Ok(found) = looked else { panic!("waited in vain for {what}") };
        if let Some(found) = found {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        sleep(Duration::from_millis(20)).await;
    }
}
