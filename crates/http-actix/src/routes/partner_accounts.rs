//! `/partner/accounts`: provision an account, read one, list them, rotate a key.

pub(crate) mod create;
mod create_body;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod rotate_key;
mod view;

use actix_web::web::{self, ServiceConfig};

pub use view::{AccountView, KeyInfoView};

use super::{get as reading, only, readable};

/// Where accounts are found under the API.
const COLLECTION: &str = "partner/accounts";

pub(super) fn configure(config: &mut ServiceConfig) {
    let accounts = web::resource("/partner/accounts")
        .route(reading(list::list))
        .route(web::post().to(create::create));
    let key = web::resource("/partner/accounts/{id}/api-key")
        .route(web::post().to(rotate_key::rotate_key));
    config
        .service(only(accounts, "GET, HEAD, POST"))
        .service(readable("/partner/accounts/{id}", reading(get::get)))
        .service(only(key, "POST"));
}
