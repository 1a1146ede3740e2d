//! The routes: which path and method leads to which handler.
//!
//! The folders mirror the paths. A handler extracts, calls one use case and presents what came of it; its request type, its
//! answer type and its part of the OpenAPI document stand beside it.

pub(crate) mod contacts;
mod docs;
pub(crate) mod escalations;
mod health;
#[cfg(test)]
mod hostile_input;
pub(crate) mod invoices;
mod logos;
mod metrics;
pub(crate) mod partner_accounts;
mod path_id;

use actix_web::guard::{Any, Get, Head};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, Resource, Responder, Route};
use kernel::PublicUrls;

use crate::error::{ApiError, Code};
use crate::state::AppState;

/// Puts every route in its place.
pub(crate) fn configure(config: &mut ServiceConfig, state: &AppState) {
    if !state.metrics_apart {
        metrics::configure(config);
    }
    config
        .service(
            web::scope(PublicUrls::API_PATH)
                .configure(invoices::configure)
                .configure(contacts::configure)
                .configure(escalations::configure)
                .configure(partner_accounts::configure)
                .configure(docs::configure_document),
        )
        .configure(docs::configure_pages)
        .configure(logos::configure)
        .configure(health::configure)
        .default_service(web::to(nothing_here));
}

/// The routes of the listener for those who watch over the service, and no others.
pub(crate) fn configure_admin(config: &mut ServiceConfig, _front: &AppState) {
    config
        .configure(health::configure)
        .configure(metrics::configure)
        .default_service(web::to(nothing_here));
}

/// What GET does, and HEAD: the server leaves the body out of the answer to that.
fn get<F, A>(handler: F) -> Route
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::route().guard(Any(Get()).or(Head())).to(handler)
}

/// A path that can be read and nothing else.
fn readable(path: &str, route: Route) -> Resource {
    only(web::resource(path).route(route), "GET, HEAD")
}

/// StoredResponses methods that a path does not know with those that it knows.
fn only(resource: Resource, allow: &'static str) -> Resource {
    resource.default_service(web::to(move || async move {
        Err::<&str, _>(ApiError::method_not_allowed(allow))
    }))
}

async fn nothing_here() -> Result<&'static str, ApiError> {
    Err(ApiError::plain(Code::NotFound))
}
