//! Serving HTTP with actix-web: everything that is the same for every route.
//!
//! [`serve()`] starts a listener with its timeouts, optional TLS and serving threads. Each request gets an
//! id, a deadline, the headers that every response carries, one line in the access log and one count in the
//! metrics. [`ApiError`] is an error response; [`ErrorCode`] lists every code with its status. `/health` and
//! `/metrics` are served here; the caller adds routes.
//!
//! ```
//! use std::net::TcpListener;
//!
//! use http_server::ServerState;
//!
//! async fn run(state: ServerState, listener: TcpListener) -> std::io::Result<()> {
//!     http_server::serve(state, listener, None, 2, |_routes| {})?.await
//! }
//! ```

mod access_log;
mod client_address;
mod context;
mod error;
mod error_code;
mod error_pages;
mod health;
mod json;
mod lifecycle;
mod observe;
mod pdf;
mod request_body;
mod routing;
mod server;
mod shutdown;
mod state;
#[cfg(test)]
mod test_app;
mod unread_body;

pub use client_address::client_address;
pub use context::{CallerId, RequestContext};
pub use error::ApiError;
pub use error_code::ErrorCode;
pub use error_pages::{ErrorNote, ErrorPages, FailedRequest};
pub use json::{append_json, json_response, to_json};
pub use observe::{Metrics, NoTraces, Readiness, Traces};
pub use pdf::{pdf_response, receipt_response};
pub use request_body::{BoundedBody, read_beginning, read_body, read_mail, read_upload};
pub use routing::{get, only, read_only};
pub use server::{application, serve, serve_admin};
pub use shutdown::GracefulShutdown;
pub use state::{ServerState, Transport};
