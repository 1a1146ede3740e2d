//! Adapters that need settings only: quotas, transport, readiness, the outgoing client, the store of logos.

use std::sync::Arc;

use access::{RateLimiter, RollingWindows};
use anyhow::Context as _;
use async_trait::async_trait;
use http_api::{Metrics, Readiness, Traces, Transport};
use media_object_store::Media;
use outbox::error_chain;
use ratelimit_redis::SharedWindows;
use store_diesel::Upkeep;
use webhook_reqwest::{Client, Reach};

use crate::metrics::rounds::WorkerHealth;
use crate::settings::Settings;

/// What observes requests.
pub struct Observers {
    /// Counts requests.
    pub metrics: Arc<dyn Metrics>,
    /// Makes their spans.
    pub traces: Arc<dyn Traces>,
    /// How the workers of this process do.
    pub workers: WorkerHealth,
}

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

pub(super) fn transport(settings: &Settings) -> Transport {
    // A proxy may speak TLS to this process too: what callers spoke to the proxy is still for the proxy to say.
    if settings.behind_tls_proxy {
        Transport::BehindTlsProxy
    } else if settings.tls_cert_file.is_some() {
        Transport::Tls
    } else {
        Transport::Plain
    }
}

/// Ready means: the database answers, its schema is up to date, and no worker fails at every round.
pub(super) struct ServiceReady {
    pub(super) upkeep: Arc<dyn Upkeep>,
    pub(super) workers: WorkerHealth,
}

#[async_trait]
impl Readiness for ServiceReady {
    async fn ready(&self) -> Result<(), String> {
        match self.upkeep.migrations().await {
            Ok(migrations) if migrations.pending.is_empty() => match &*self.workers.failing() {
                [] => Ok(()),
                failing => Err(format!("failing workers: {}", failing.join(", "))),
            },
            Ok(migrations) => Err(format!(
                "{} migrations are pending",
                migrations.pending.len()
            )),
            Err(error) => {
                tracing::warn!(
                    error = error_chain(&error),
                    "the database cannot be reached"
                );
                Err("the database cannot be reached".to_owned())
            }
        }
    }
}

/// The client that calls the addresses which accounts name.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub fn webhook_client(settings: &Settings) -> anyhow::Result<Client> {
    let reach = if settings.allow_private_targets {
        Reach::Anywhere
    } else {
        Reach::Public
    };
    let extra_ca = settings.extra_ca_file.as_deref();
    Client::new(reach, extra_ca).context("COUNTINGHOUSE_EXTRA_CA_FILE")
}

/// Opens the store of logo copies.
pub(super) fn open_media(settings: &Settings) -> anyhow::Result<Media> {
    let extra_ca = settings.extra_ca_file.as_deref();
    Media::open(&settings.media()?, extra_ca).context("COUNTINGHOUSE_MEDIA_URL")
}
