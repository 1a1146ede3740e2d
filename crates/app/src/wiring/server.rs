//! The state of the HTTP server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http_server::{GracefulShutdown, Metrics, Readiness, ServerState, Traces, Transport};
use store_diesel::Upkeep;

use super::Dependencies;
use crate::settings::Settings;

/// The longest that one request may take: well under the minute after which an idempotency key counts as abandoned.
const REQUEST_DEADLINE: Duration = Duration::from_secs(30);

/// What observes requests.
pub struct Observers {
    /// Counts requests.
    pub metrics: Arc<dyn Metrics>,
    /// Makes their spans.
    pub traces: Arc<dyn Traces>,
}

impl Dependencies {
    /// The state of the HTTP server.
    #[must_use]
    pub fn server_state(&self, settings: &Settings, observers: Observers) -> ServerState {
        ServerState {
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            transport: transport(settings),
            deadline: REQUEST_DEADLINE,
            readiness: Arc::new(SchemaReady(self.store.upkeep.clone())),
            metrics: observers.metrics,
            metrics_apart: settings.admin_listen.is_some(),
            traces: observers.traces,
            shutdown: GracefulShutdown::default(),
        }
    }
}

fn transport(settings: &Settings) -> Transport {
    // A proxy may speak TLS to this process too: what callers spoke to the proxy is still for the proxy to say.
    if settings.behind_tls_proxy {
        Transport::BehindTlsProxy
    } else if settings.tls_cert_file.is_some() {
        Transport::Tls
    } else {
        Transport::Plain
    }
}

/// Ready means: the database answers, and its schema is up to date.
struct SchemaReady(Arc<dyn Upkeep>);

#[async_trait]
impl Readiness for SchemaReady {
    async fn ready(&self) -> Result<(), String> {
        match self.0.migrations().await {
            Ok(migrations) if migrations.pending.is_empty() => Ok(()),
            Ok(migrations) => Err(format!(
                "{} migrations are pending",
                migrations.pending.len()
            )),
            Err(error) => {
                tracing::warn!(%error, "the database cannot be reached");
                Err("the database cannot be reached".to_owned())
            }
        }
    }
}
