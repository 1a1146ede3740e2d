//! The HTML pages: a typed context for each, its template, and the style sheet that they share.
//!
//! Nothing here knows HTTP: `http-pages` fills a context from a use case, renders it and sends it with the
//! headers that it needs. Every text is in [`texts`]; what callers wrote is escaped by the template engine.
//!
//! ```
//! use kernel::PublicUrls;
//! use pages::{ErrorPage, Template as _};
//!
//! let urls = PublicUrls::new("https://books.example.com");
//! let html = ErrorPage::new(404, "0199-request", &urls).render().unwrap();
//! assert!(html.contains("Page not found") && html.contains("0199-request"));
//! ```

pub mod brand;
mod company;
pub mod error_page;
pub mod payment_page;
pub mod stylesheet;
pub mod texts;

pub use askama::Template;
pub use brand::Brand;
pub use error_page::ErrorPage;
pub use payment_page::PaymentPage;
