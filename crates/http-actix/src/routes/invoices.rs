//! `/invoices`: raise an invoice, read one, list them.

pub(crate) mod create;
mod create_body;
pub(crate) mod get;
pub(crate) mod list;
mod list_parameters;
mod view;

use actix_web::web::{self, ServiceConfig};

use super::{get as reading, only, readable};

pub(super) fn configure(config: &mut ServiceConfig) {
    let invoices = web::resource("/invoices")
        .route(reading(list::list))
        .route(web::post().to(create::create));
    config
        .service(only(invoices, "GET, HEAD, POST"))
        .service(readable("/invoices/{id}", reading(get::get)));
}
