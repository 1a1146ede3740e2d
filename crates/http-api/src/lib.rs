//! The JSON API: routes, callers, request and response types, and the OpenAPI document.
//!
//! The app builds an [`AppState`] from the use cases of the domain crates and passes [`configure`] to
//! [`http_server::serve()`]. A request goes through an extractor, which checks its key and quota, to a
//! handler, which reads the input, calls one use case and presents the result. Domain errors are mapped to
//! HTTP beside the handler.
//!
//! ```
//! let document = http_api::openapi();
//! assert_eq!(document.info.title, "Countinghouse");
//! assert!(document.paths.paths.contains_key("/invoices/{id}"));
//! assert!(http_api::openapi_json().ends_with("}\n"));
//! ```

mod api;
mod body;
mod exact_number;
mod extract;
mod list_memory;
mod openapi;
mod operation;
mod query;
mod respond;
mod routes;
mod state;
#[cfg(test)]
mod test_app;

pub use api::{configure, openapi, openapi_json};
pub use list_memory::ListMemory;
pub use routes::contacts::view::ContactView;
pub use routes::escalations::EscalationView;
pub use routes::invoices::InvoiceView;
pub use routes::partner_accounts::{AccountView, KeyInfoView};
pub use state::AppState;
