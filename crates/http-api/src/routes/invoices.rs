//! `/invoices`: raise an invoice, amend, cancel, read or draw one, list them.

pub(crate) mod amend;
mod amend_body;
pub(crate) mod cancel;
pub(crate) mod create;
mod create_body;
pub(crate) mod get;
pub(crate) mod list;
mod list_body;
mod list_parameters;
mod list_room;
pub(crate) mod pdf;
mod view;

pub(crate) use list_room::ListRoom;
pub use view::InvoiceView;

use actix_web::web::{self, ServiceConfig};

use super::{get as reading, only, readable};

pub(super) fn configure(config: &mut ServiceConfig) {
    let invoices = web::resource("/invoices")
        .route(reading(list::list))
        .route(web::post().to(create::create));
    let invoice = web::resource("/invoices/{id}")
        .route(reading(get::get))
        .route(web::put().to(amend::amend));
    let cancellation = web::resource("/invoices/{id}/cancel").route(web::post().to(cancel::cancel));
    config
        .service(only(invoices, "GET, HEAD, POST"))
        .service(only(invoice, "GET, HEAD, PUT"))
        .service(only(cancellation, "POST"))
        .service(readable("/invoices/{id}/pdf", reading(pdf::pdf)));
}
