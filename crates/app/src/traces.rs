//! Traces of requests for an OpenTelemetry collector, in a binary that is built with the feature `otlp`.
//!
//! Each request is one span, in the trace that the caller's `traceparent` names or else in a new one. In a
//! binary without the feature, requests have no spans.

#[cfg(feature = "otlp")]
mod otlp;

use std::sync::Arc;

use http_server::{NoTraces, Traces};

use crate::logging::ExtraLayer;
use crate::settings::Settings;

/// Where traces go.
pub struct Tracing {
    /// Makes the spans of requests.
    pub requests: Arc<dyn Traces>,
    /// The layer that receives the spans, in addition to the log; taken once.
    pub log_layer: Option<ExtraLayer>,
    #[cfg(feature = "otlp")]
    sender: Option<opentelemetry_sdk::trace::SdkTracerProvider>,
}

impl Tracing {
    /// Starts tracing if the settings name a collector.
    ///
    /// # Errors
    /// One line that names the setting that cannot be used.
    #[cfg(feature = "otlp")]
    pub fn begin(settings: &Settings) -> anyhow::Result<Self> {
        let Some(endpoint) = &settings.otlp_endpoint else {
            return Ok(Self { requests: Arc::new(NoTraces), log_layer: None, sender: None });
        };
        let sender = otlp::sender(endpoint, settings.extra_ca_file.as_deref())?;
        Ok(Self {
            requests: Arc::new(otlp::Spans::default()),
            log_layer: Some(otlp::layer(&sender)),
            sender: Some(sender),
        })
    }

    /// Traces nothing: this binary is built without the feature.
    ///
    /// # Errors
    /// None.
    #[cfg(not(feature = "otlp"))]
    pub fn begin(_settings: &Settings) -> anyhow::Result<Self> {
        Ok(Self { requests: Arc::new(NoTraces), log_layer: None })
    }

    /// The warning about a setting that this binary does not support, if any. Log it once the log has
    /// started.
    #[must_use]
    pub fn missing(settings: &Settings) -> Option<&'static str> {
        let is_missing = settings.otlp_endpoint.is_some() && !cfg!(feature = "otlp");
        is_missing.then_some(
            "COUNTINGHOUSE_OTLP_ENDPOINT is set, but this binary is built without the feature otlp: no traces are sent \
             (cargo build --profile dist --features otlp)",
        )
    }

    /// Sends the remaining spans, for at most a few seconds.
    pub async fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(sender) = self.sender {
            otlp::end(sender).await;
        }
    }
}
