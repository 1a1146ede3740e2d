//! The HTML pages over HTTP: routes, headers, compression, and the throttle of unknown tokens.
//!
//! The app builds a [`PagesState`] from the use cases of the domain crates and passes [`configure`] to
//! [`http_server::serve()`]. A handler reads the token, calls one use case and renders one page of the crate
//! `pages`. [`HtmlErrors`] turns errors into pages for browsers. A form is accepted only from pages of this
//! service and carried out once (`forms`).
//!
//! ```
//! use http_pages::PagesState;
//! use actix_web::web::ServiceConfig;
//!
//! fn routes(config: &mut ServiceConfig, state: PagesState) {
//!     http_pages::configure(config, state);
//! }
//! ```

mod account;
mod account_page;
mod assets;
pub mod audit;
mod communications_pages;
mod compression;
mod forms;
mod gateway_events;
mod gateway_settings;
mod html_errors;
mod inbound_access;
mod inbound_messages;
mod invoicing;
mod lasting_form_token;
mod list_cursor;
mod next_page;
mod owner_throttle;
mod page;
mod page_views;
mod payer;
mod payment_settings;
mod planned_numbers;
mod routing;
mod sandbox;
mod sandbox_access;
mod sandbox_messages;
mod security_settings;
mod session_caller;
mod session_cookie;
mod sign_in;
mod state;
mod undo;
mod unknown_tokens;
mod unsubscribe;

use actix_web::App;
use actix_web::web::{self, ServiceConfig};

pub use html_errors::HtmlErrors;
pub use inbound_access::InboundAccess;
pub use owner_throttle::OwnerForms;
pub use page_views::PageViews;
pub use pages::links;
pub use payer::throttle::{LinkRequests, PayerForms, PayerReturns};
pub use routing::PageRoute;
pub use state::{AuditedStates, PagesState};
pub use unknown_tokens::UnknownTokens;

use routing::Routes;

/// Adds the pages and the files that they load. Must be called once in each serving thread, with that
/// thread's state.
pub fn configure(config: &mut ServiceConfig, state: PagesState) {
    config
        .app_data(web::Data::new(state))
        .configure(assets::configure)
        .configure(gateway_events::configure)
        .configure(inbound_messages::configure);
    add_routes(&mut Routes::new(config));
}

/// Every route of the pages, taken from the router, so that tests over all routes include new ones.
#[must_use]
pub fn routes() -> Vec<PageRoute> {
    let mut list = Vec::new();
    let _app = App::new().configure(|config| {
        let mut routes = Routes::new(config);
        add_routes(&mut routes);
        list = routes.list;
    });
    list
}

fn add_routes(routes: &mut Routes<'_>) {
    routes
        .configure(payer::configure)
        .configure(sandbox::configure)
        .configure(sandbox_messages::configure)
        .configure(account_page::configure)
        .configure(undo::configure)
        .configure(unsubscribe::configure)
        .configure(payment_settings::configure)
        .configure(communications_pages::configure)
        .configure(invoicing::configure)
        .configure(account::configure)
        .configure(sign_in::configure)
        .configure(security_settings::configure);
}
