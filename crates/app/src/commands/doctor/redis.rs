//! The server of shared quotas, where one is set.

use super::finding::Finding;
use crate::settings::Settings;
use crate::wiring::shared_windows;

pub(super) const REDIS: &str = "redis";

/// Whether Redis lets us in, encrypted and with the password as the address has it.
pub(super) async fn redis(settings: &Settings) -> Finding {
    let Some(address) = &settings.redis_url else {
        let said = "not set: each process counts quotas for itself, which is right for one process";
        return Finding::fine(REDIS, said);
    };
    match shared_windows(settings).await {
        Ok(Some(shared)) if shared.is_shared() => {
            Finding::fine(REDIS, format!("{address} shares the quotas"))
        }
        Ok(_) => {
            let said = format!(
                "{address} does not let us in, so each process counts quotas for itself: see whether it is up, and \
                 COUNTINGHOUSE_REDIS_URL has the right host, port and password"
            );
            Finding::wrong(REDIS, said)
        }
        Err(error) => Finding::wrong(REDIS, format!("{error:#}")),
    }
}
