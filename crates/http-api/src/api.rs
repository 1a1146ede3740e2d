//! The API as a whole: its routes and its OpenAPI document, both made from the list of operations.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use actix_web::Resource;
use actix_web::http::header::HeaderValue;
use actix_web::web::{self, Bytes, ServiceConfig};
use http_server::only;
use kernel::PublicUrls;
use utoipa::openapi::path::HttpMethod;

use crate::openapi::document;
use crate::operation::{METHODS, Operation};
use crate::routes::{contacts, docs, escalations, invoices, logos, partner_accounts};
use crate::state::AppState;

/// Every operation of the API.
fn operations() -> impl Iterator<Item = Operation> {
    invoices::operations()
        .into_iter()
        .chain(contacts::operations())
        .chain(escalations::operations())
        .chain(partner_accounts::operations())
}

/// Adds the API under `/api/v1`, its documentation under `/docs`, and `/logos`. Must be called once in each
/// serving thread, with that thread's state.
pub fn configure(config: &mut ServiceConfig, state: AppState) {
    config
        .app_data(web::Data::new(state))
        .service(
            web::scope(PublicUrls::API_PATH)
                .configure(configure_operations)
                .configure(|config| docs::configure_document(config, &DOCUMENT)),
        )
        .configure(docs::configure_pages)
        .configure(logos::configure);
}

fn configure_operations(config: &mut ServiceConfig) {
    let mut by_path: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    for operation in operations() {
        by_path.entry(operation.path.clone()).or_default().push(operation);
    }
    for (path, operations) in by_path {
        let allow = allow_header(&operations);
        let routes = operations.into_iter().map(|operation| operation.route);
        config.service(only(routes.fold(web::resource(path), Resource::route), allow));
    }
}

/// The value of `Allow` for a path: its methods, for responses to any other method.
fn allow_header(operations: &[Operation]) -> HeaderValue {
    let has = |method: &HttpMethod| operations.iter().any(|one| one.method == *method);
    let names: Vec<_> =
        METHODS.into_iter().filter(|(method, ..)| has(method)).map(|(.., name)| name).collect();
    HeaderValue::try_from(names.join(", ")).unwrap_or(HeaderValue::from_static("GET, HEAD"))
}

/// The document is the same for every request, so it is serialized once.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(openapi_json()));

/// The OpenAPI document of the whole API.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    document::build(operations())
}

/// The document as indented JSON, in a fixed order, with a line break at its end.
#[must_use]
pub fn openapi_json() -> String {
    let json = serde_json::to_string_pretty(&openapi());
    let mut text = json
        .inspect_err(|error| tracing::error!(%error, "the OpenAPI document has no JSON form"))
        .unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
