//! `/partner/accounts`: provision an account, read one, list them, amend one, switch one off, rotate a key.

pub(crate) mod amend;
mod amend_body;
pub(crate) mod create;
mod create_body;
pub(crate) mod deactivate;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod rotate_key;
mod view;

use actix_web::web::{self, ServiceConfig};

pub use view::{AccountView, KeyInfoView};

use super::{get as reading, only};

/// Where accounts are found under the API.
const COLLECTION: &str = "partner/accounts";

pub(super) fn configure(config: &mut ServiceConfig) {
    let accounts = web::resource("/partner/accounts")
        .route(reading(list::list))
        .route(web::post().to(create::create));
    let account = web::resource("/partner/accounts/{id}")
        .route(reading(get::get))
        .route(web::patch().to(amend::amend))
        .route(web::delete().to(deactivate::deactivate));
    let key = web::resource("/partner/accounts/{id}/api-key")
        .route(web::post().to(rotate_key::rotate_key));
    config
        .service(only(accounts, "GET, HEAD, POST"))
        .service(only(account, "GET, HEAD, PATCH, DELETE"))
        .service(only(key, "POST"));
}
