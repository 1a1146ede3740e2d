//! The HTML pages: a typed context and a template for each, and their style sheet.
//!
//! Nothing here knows HTTP: `http-pages` fills a context from a use case, renders it and sends it with the
//! headers that it needs. Every text is in [`texts`]; the template engine escapes text from users.
//!
//! ```
//! use kernel::PublicUrls;
//! use pages::{ErrorPage, Template as _};
//!
//! let urls = PublicUrls::new("https://books.example.com");
//! let html = ErrorPage::new(404, "0199-request", &urls).render().unwrap();
//! assert!(html.contains("Page not found") && html.contains("0199-request"));
//! ```

pub mod account;
pub mod account_page;
mod audit_rows;
pub mod brand;
pub mod communications;
mod company;
pub mod confirmation;
pub mod dashboard;
pub mod error_page;
pub mod form;
pub mod help_page;
mod invoice_texts;
pub mod invoicing;
mod links;
mod page;
pub mod payer_layout;
pub mod payment_page;
pub mod payment_settings_page;
pub mod promise_page;
mod qr_code;
pub mod return_page;
pub mod sandbox_page;
pub mod security;
pub mod sign_in;
pub mod stylesheet;
pub mod texts;
pub mod undo_page;
pub mod unsubscribe_page;

pub use account::{
    ApiKeyPage, BulkReplayPage, DeliveryDetail, DeliveryList, EscalationDetail, EscalationList,
    NotificationsPage, PageLinks, ProfilePage, SecretPage, ShownEscalation, WebhooksPage, profile_values,
};
pub use account_page::AccountPage;
pub use askama::Template;
pub use brand::Brand;
pub use confirmation::Confirmation;
pub use dashboard::{Dashboard, Section};
pub use error_page::ErrorPage;
pub use form::{Button, Choice, Control, Form, FormField};
pub use help_page::HelpPage;
pub use links::{links, local};
pub use page::Page;
pub use payment_page::PaymentPage;
pub use payment_settings_page::{PaymentSettingsPage, ShownPaymentSettings};
pub use promise_page::PromisePage;
pub use return_page::{AfterReturn, ReturnPage};
pub use sandbox_page::SandboxPage;
pub use security::{RecoveryCodesPage, SecondFactorPage, SecurityPage, SecurityState};
pub use sign_in::SignInPage;
pub use undo_page::{UndoPage, Undoing};
pub use unsubscribe_page::UnsubscribePage;
