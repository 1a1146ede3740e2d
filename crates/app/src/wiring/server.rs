//! The state of the HTTP server.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use http_pages::HtmlErrors;
use http_server::{GracefulShutdown, Metrics, Readiness, ServerState, Traces, Transport};
use kernel::{PublicUrls, error_chain};
use store_diesel::Upkeep;

use super::Dependencies;
use crate::metrics::rounds::WorkerHealth;
use crate::settings::Settings;

/// The time limit of one request. A request under an idempotency key that is in flight for more than 60
/// seconds counts as abandoned (contract, "Idempotency"): it must have ended by then.
const REQUEST_DEADLINE: Duration = Duration::from_secs(30);
const _: () = assert!(REQUEST_DEADLINE.as_secs() < 60);

/// The observers of requests, and the health of the workers.
pub struct Observers {
    /// Counts requests.
    pub metrics: Arc<dyn Metrics>,
    /// Makes the spans of requests.
    pub traces: Arc<dyn Traces>,
    /// Which workers of this process are failing.
    pub workers: WorkerHealth,
}

impl Dependencies {
    /// The state of the HTTP server.
    #[must_use]
    pub fn server_state(&self, urls: &PublicUrls, observers: Observers) -> ServerState {
        ServerState {
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            transport: transport(&self.settings),
            deadline: REQUEST_DEADLINE,
            readiness: Arc::new(ServiceReady {
                upkeep: self.store.upkeep.clone(),
                workers: observers.workers,
            }),
            metrics: observers.metrics,
            metrics_apart: self.settings.admin_listen.is_some(),
            error_pages: Some(Arc::new(HtmlErrors(urls.clone()))),
            traces: observers.traces,
            shutdown: GracefulShutdown::default(),
        }
    }
}

fn transport(settings: &Settings) -> Transport {
    // Check the proxy first: it may speak TLS to this process too, and still only its header says how the
    // client reached it.
    if settings.behind_tls_proxy {
        Transport::BehindTlsProxy { hops: settings.proxy_hops }
    } else if settings.tls_cert_file.is_some() {
        Transport::Tls
    } else {
        Transport::Plain
    }
}

/// Ready means that the database answers, its schema is up to date, and no worker is failing.
struct ServiceReady {
    upkeep: Arc<dyn Upkeep>,
    workers: WorkerHealth,
}

#[async_trait]
impl Readiness for ServiceReady {
    async fn ready(&self) -> Result<(), String> {
        match self.upkeep.migrations().await {
            Ok(migrations) if migrations.pending.is_empty() => match &*self.workers.failing() {
                [] => self.placed().await,
                failing => Err(format!("failing workers: {}", failing.join(", "))),
            },
            Ok(migrations) => Err(format!("{} migrations are pending", migrations.pending.len())),
            Err(error) => {
                tracing::warn!(error = error_chain(&error), "the database cannot be reached");
                Err("the database cannot be reached".to_owned())
            }
        }
    }
}

impl ServiceReady {
    /// Checks that the tables are distributed as the settings say.
    async fn placed(&self) -> Result<(), String> {
        match self.upkeep.placement_faults().await {
            Ok(faults) if faults.is_empty() => Ok(()),
            Ok(faults) => Err(faults.join("; ")),
            Err(error) => {
                tracing::warn!(error = error_chain(&error), "cannot see how the tables are distributed");
                Err("the database cannot be reached".to_owned())
            }
        }
    }
}
