//! Adapters that need settings only: quotas, the outgoing client, the store of logos.

use std::sync::Arc;

use access::{RateLimiter, RollingWindows};
use anyhow::Context as _;
use media_object_store::Media;
use ratelimit_redis::SharedWindows;
use webhook_reqwest::{Client, Reach};

use crate::settings::Settings;

/// Quotas shared in Redis where it is set, else those of this process.
pub(super) async fn limiter(settings: &Settings) -> anyhow::Result<Arc<dyn RateLimiter>> {
    Ok(match shared_windows(settings).await? {
        Some(shared) => Arc::new(shared),
        None => Arc::new(RollingWindows::default()),
    })
}

/// The quotas in Redis, where it is set, whether or not it answers.
///
/// # Errors
/// One line that says what is wrong with `COUNTINGHOUSE_REDIS_URL`.
pub async fn shared_windows(settings: &Settings) -> anyhow::Result<Option<SharedWindows>> {
    let Some(address) = &settings.redis_url else {
        return Ok(None);
    };
    let options = ratelimit_redis::Options {
        extra_ca_file: settings.extra_ca_file.clone(),
        ..ratelimit_redis::Options::default()
    };
    let shared = SharedWindows::connect(address, options).await;
    shared.context("COUNTINGHOUSE_REDIS_URL").map(Some)
}

/// The client that calls the addresses which accounts name.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn webhook_client(settings: &Settings) -> anyhow::Result<Client> {
    let reach = if settings.allow_private_targets { Reach::Anywhere } else { Reach::Public };
    let extra_ca = settings.extra_ca_file.as_deref();
    Client::new(reach, extra_ca).context("COUNTINGHOUSE_EXTRA_CA_FILE")
}

/// Opens the store of logo copies.
pub(super) fn open_media(settings: &Settings) -> anyhow::Result<Media> {
    let extra_ca = settings.extra_ca_file.as_deref();
    Media::open(&settings.media()?, extra_ca).context("COUNTINGHOUSE_MEDIA_URL")
}
