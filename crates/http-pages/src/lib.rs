//! The HTML pages over HTTP: routes, headers, compression, and the throttle of unknown tokens.
//!
//! The app builds a [`PagesState`] from the use cases of the domain crates and passes [`configure`] to
//! [`http_server::serve()`]. A handler reads the token, calls one use case and renders one page of the crate
//! `pages`. Its errors are [`http_server::ApiError`]s, which [`HtmlErrors`] turns into pages for browsers.
//!
//! ```
//! use http_pages::PagesState;
//! use actix_web::web::ServiceConfig;
//!
//! fn routes(config: &mut ServiceConfig, state: PagesState) {
//!     http_pages::configure(config, state);
//! }
//! ```

mod assets;
mod compression;
mod html_errors;
mod page;
mod payer_request;
mod payment_page;
mod state;
mod unknown_tokens;

use actix_web::web::{self, ServiceConfig};

pub use html_errors::HtmlErrors;
pub use state::PagesState;
pub use unknown_tokens::UnknownTokens;

/// Adds the pages and what they load. Call it once in each worker thread, with the state of that thread.
pub fn configure(config: &mut ServiceConfig, state: PagesState) {
    config.app_data(web::Data::new(state)).configure(payment_page::configure).configure(assets::configure);
}
