//! `/escalations`: read one. They are raised and resolved by the service's own people and machines, never over HTTP.

pub(crate) mod get;
mod view;

use actix_web::web::ServiceConfig;

pub use view::EscalationView;

use super::{get as reading, readable};

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(readable("/escalations/{id}", reading(get::get)));
}
