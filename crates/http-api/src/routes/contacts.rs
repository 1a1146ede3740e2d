//! `/contacts`: find or create a contact, look one up, read one.

pub(crate) mod create;
pub(crate) mod get;
pub(crate) mod look_up;
mod reference;
mod view;

use actix_web::web::{self, ServiceConfig};

pub(crate) use reference::ContactReferenceBody;
pub(crate) use view::AddressView;

use super::{get as reading, only, readable};

pub(super) fn configure(config: &mut ServiceConfig) {
    let contacts = web::resource("/contacts")
        .route(reading(look_up::look_up))
        .route(web::post().to(create::create));
    config
        .service(only(contacts, "GET, HEAD, POST"))
        .service(readable("/contacts/{id}", reading(get::get)));
}
