//! Copies of logos that no account names: removed at every interval.

use std::time::Duration;

use partner_accounts::LogoCleanup;

use super::{Stop, Ticks};

/// Removes what is due, until it is time to stop.
pub(super) async fn remove(sweeper: LogoCleanup, interval: Duration, stop: Stop) {
    let mut ticks = Ticks::every(interval, "logos", &sweeper.clock, stop);
    while ticks.next().await {
        let swept = sweeper.sweep().await;
        ticks.ended(swept.is_ok());
        match swept {
            Ok(swept) => {
                for error in swept.failed {
                    tracing::warn!(error = %error.0, "could not remove a logo; it is tried again");
                }
                if swept.removed > 0 {
                    tracing::info!(removed = swept.removed, "removed logos that no account has");
                }
            }
            Err(error) => tracing::warn!(%error, "could not look for logos to remove"),
        }
    }
}
