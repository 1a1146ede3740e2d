//! The OpenAPI document, and pages to read it by. Everything comes out of this binary, nothing from elsewhere.

use std::sync::{Arc, LazyLock};

use actix_web::http::header::{CACHE_CONTROL, LOCATION};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Responder};
use utoipa_swagger_ui::{Config, serve};

use super::{get, readable};
use crate::error::{ApiError, Code};

/// The document is the same for every request, so it is written once.
static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| Bytes::from(crate::openapi::openapi_json()));

/// The address is relative, so that the pages work behind a proxy that puts a path in state.
static PAGES: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    Arc::new(
        Config::from("../api/v1/openapi.json")
            .use_base_layout()
            .validator_url("none"),
    )
});

pub(super) fn configure_document(config: &mut ServiceConfig) {
    config.service(readable("/openapi.json", get(document)));
}

pub(super) fn configure_pages(config: &mut ServiceConfig) {
    config
        .service(readable("/docs", get(to_the_pages)))
        .service(readable("/docs/{file:.*}", get(page)));
}

async fn document() -> impl Responder {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(DOCUMENT.clone())
}

async fn to_the_pages() -> impl Responder {
    HttpResponse::PermanentRedirect()
        .insert_header((LOCATION, "docs/"))
        .finish()
}

async fn page(path: HttpRequest) -> Result<HttpResponse, ApiError> {
    let file = path.match_info().get("file").unwrap_or_default();
    let found = serve(file, PAGES.clone())
        .map_err(|error| ApiError::failed(Code::InternalError, error.to_string()))?;
    let file = found.ok_or_else(|| ApiError::plain(Code::NotFound))?;
    Ok(HttpResponse::Ok()
        .content_type(file.content_type)
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(file.bytes.into_owned()))
}
