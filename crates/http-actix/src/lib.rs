//! The HTTP front: routes, callers, bodies, answers, the OpenAPI document.
//!
//! The app hands a [`Front`] in, which holds the use cases of the domain crates and a few ports, and [`serve()`] answers requests
//! with it. On its way a request passes the edge (its id, TLS, its deadline, the access log), its route, the caller's key and quota,
//! the idempotency key and the body; then a handler calls one use case and presents the result.
//!
//! Nothing in here decides what the domain decides: this crate knows what things are called over HTTP, and `error.rs` alone knows
//! which refusal has which status.
//!
//! ```
//! let document = http_actix::openapi();
//! assert_eq!(document.info.title, "Countinghouse");
//! assert!(document.paths.paths.contains_key("/invoices/{id}"));
//! assert!(http_actix::openapi_json().ends_with("}\n"));
//! ```

mod answer;
mod body;
mod edge;
mod entry;
mod error;
mod exact;
mod front;
mod openapi;
mod query;
mod routes;
mod serve;
#[cfg(test)]
mod testing;

pub use front::{Front, Metrics, NoTraces, Readiness, Traces, Transport};
pub use openapi::{openapi, openapi_json};
pub use routes::escalations::EscalationView;
pub use routes::invoices::InvoiceView;
pub use routes::partner_accounts::{AccountView, KeyInfoView};
pub use serve::farewell::Farewell;
pub use serve::{serve, serve_admin};
