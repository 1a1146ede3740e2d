//! Spans of requests, sent by OTLP over HTTP.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use http_server::Traces;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::field::Empty;
use tracing::level_filters::LevelFilter;
use tracing::{Span, debug_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;

use crate::logging::ExtraLayer;

/// The target of the spans of requests. Only these are exported: the exporter's own HTTP client makes spans
/// too, and exporting those would never end.
const TARGET: &str = "countinghouse::requests";

/// The time limit for sending one batch.
const SENDING: Duration = Duration::from_secs(10);
/// The time limit for sending the last batch when the service stops, which has 30 seconds in total.
const LAST_SENDING: Duration = Duration::from_secs(2);

/// Makes the sender of spans to a collector: in batches, from a thread of its own, so that no request waits
/// for it.
///
/// # Errors
/// One line that names the setting that cannot be used.
pub(super) fn sender(endpoint: &str, extra_ca: Option<&Path>) -> anyhow::Result<SdkTracerProvider> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(client(extra_ca)?)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(address(endpoint))
        .with_timeout(SENDING)
        .build()
        .context("COUNTINGHOUSE_OTLP_ENDPOINT")?;
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let service = Resource::builder().with_service_name("countinghouse").with_attribute(version);
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(service.build()).build())
}

/// The URL for traces: a path under the collector's endpoint.
fn address(endpoint: &str) -> String {
    let base = endpoint.trim_end_matches('/');
    match base.strip_suffix("/v1/traces") {
        Some(_) => base.to_owned(),
        None => format!("{base}/v1/traces"),
    }
}

/// The exporter's HTTP client. It is a blocking one, since the exporter has its own thread. It contains a
/// runtime, which may neither be created nor dropped inside another runtime, so a separate thread creates it.
fn client(extra_ca: Option<&Path>) -> anyhow::Result<reqwest::blocking::Client> {
    let pem = match extra_ca {
        Some(file) => std::fs::read(file).context("COUNTINGHOUSE_EXTRA_CA_FILE")?,
        None => Vec::new(),
    };
    let made = thread::spawn(move || {
        let extra = reqwest::Certificate::from_pem_bundle(&pem)?;
        let client = reqwest::blocking::Client::builder().timeout(SENDING);
        client.tls_certs_merge(extra).build()
    });
    made.join()
        .map_err(|_panic| anyhow!("the client of the traces' collector cannot be made"))?
        .context("the client of the traces' collector cannot be made")
}

/// The layer that receives the spans of requests.
pub(super) fn layer(sender: &SdkTracerProvider) -> ExtraLayer {
    let spans = Targets::new().with_target(TARGET, LevelFilter::DEBUG);
    tracing_opentelemetry::layer()
        .with_tracer(sender.tracer("countinghouse"))
        .with_location(false)
        .with_threads(false)
        .with_filter(spans)
        .boxed()
}

/// Sends the remaining spans.
pub(super) async fn end(sender: SdkTracerProvider) {
    let ending = tokio::task::spawn_blocking(move || {
        let ended = sender.shutdown_with_timeout(LAST_SENDING);
        // Dropping the last sender drops the client's runtime, which is allowed on this thread and not in an
        // async task.
        drop(sender);
        ended
    });
    if let Ok(Err(error)) = ending.await {
        tracing::warn!(%error, "the last traces could not be sent");
    }
}

/// Makes the spans of requests.
#[derive(Debug, Default)]
pub(super) struct Spans(TraceContextPropagator);

impl Traces for Spans {
    fn begin<'a>(
        &self,
        method: &'static str,
        request_id: &str,
        headers: &dyn Fn(&str) -> Option<&'a str>,
    ) -> Span {
        // Attribute names follow OpenTelemetry's semantic conventions.
        let span = debug_span!(
            target: TARGET,
            parent: None,
            "request",
            otel.kind = "server",
            otel.status_code = Empty,
            http.request.method = method,
            http.route = Empty,
            http.response.status_code = Empty,
            request_id,
        );
        let parent = self.0.extract_with_context(&Context::new(), &Sent(headers));
        // It fails when no layer receives the span; then no parent is needed.
        let _ = span.set_parent(parent);
        span
    }

    fn record_response(&self, span: &Span, method: &'static str, route: &str, status: u16) {
        // The field `otel.name` has no effect once a span has begun, and the route is known only after that.
        let context = span.context();
        context.span().update_name(format!("{method} {route}"));
        span.record("http.route", route);
        span.record("http.response.status_code", i64::from(status));
        if status >= 500 {
            span.record("otel.status_code", "ERROR");
        }
    }
}

/// The headers of a request, as the propagator reads them.
struct Sent<'h, 'a>(&'h dyn Fn(&str) -> Option<&'a str>);

impl Extractor for Sent<'_, '_> {
    fn get(&self, key: &str) -> Option<&str> {
        (self.0)(key)
    }

    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_path_is_appended_to_the_endpoint_once() {
        for endpoint in ["http://127.0.0.1:4318", "http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"]
        {
            assert_eq!(address(endpoint), "http://127.0.0.1:4318/v1/traces");
        }
    }
}
