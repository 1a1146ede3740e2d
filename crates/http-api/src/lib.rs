//! The HTTP state: routes, callers, bodies, answers, the OpenAPI document.
//!
//! The app hands a [`AppState`] in, which holds the use cases of the domain crates and a few ports, and [`serve()`] answers requests
//! with it. On its way a request passes the edge (its id, TLS, its deadline, the access log), its route, the caller's key and quota,
//! the idempotency key and the body; then a handler calls one use case and presents the result.
//!
//! Nothing in here decides what the domain decides: this crate knows what things are called over HTTP, and `error.rs` alone knows
//! which refusal has which status.
//!
//! ```
//! let document = http_api::openapi();
//! assert_eq!(document.info.title, "Countinghouse");
//! assert!(document.paths.paths.contains_key("/invoices/{id}"));
//! assert!(http_api::openapi_json().ends_with("}\n"));
//! ```

mod answer;
mod body;
mod edge;
mod error;
mod exact;
mod extract;
mod openapi;
mod query;
mod routes;
mod serve;
mod state;
#[cfg(test)]
mod testing;

pub use openapi::{openapi, openapi_json};
pub use routes::escalations::EscalationView;
pub use routes::invoices::InvoiceView;
pub use routes::partner_accounts::{AccountView, KeyInfoView};
pub use serve::shutdown::GracefulShutdown;
pub use serve::{serve, serve_admin};
pub use state::{AppState, Metrics, NoTraces, Readiness, Traces, Transport};
