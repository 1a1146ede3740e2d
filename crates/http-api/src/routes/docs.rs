//! Serves the OpenAPI document and the pages that show it. All files are part of the binary.

use std::sync::{Arc, LazyLock};

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, LOCATION, REFERRER_POLICY};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Responder};
use http_server::{ApiError, ErrorCode, get, read_only};
use utoipa_swagger_ui::{Config, serve};

/// The pages share an origin with the dashboard: they run only their own scripts, and no other page may frame
/// them.
const POLICY: &str =
    "script-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The URL of the document is relative, so that the pages work behind a proxy that serves them under another
/// path.
static PAGES: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    Arc::new(Config::from("../api/v1/openapi.json").use_base_layout().validator_url("none"))
});

pub(crate) fn configure_document(config: &mut ServiceConfig, document: &'static LazyLock<Bytes>) {
    let response = move || async move {
        HttpResponse::Ok().content_type("application/json").body(Bytes::clone(document))
    };
    config.service(read_only("/openapi.json", get(response)));
}

pub(crate) fn configure_pages(config: &mut ServiceConfig) {
    config
        .service(read_only("/docs", get(redirect_to_pages)))
        .service(read_only("/docs/{file:.*}", get(page)));
}

async fn redirect_to_pages() -> impl Responder {
    HttpResponse::PermanentRedirect().insert_header((LOCATION, "docs/")).finish()
}

async fn page(path: HttpRequest) -> Result<HttpResponse, ApiError> {
    let file = path.match_info().get("file").unwrap_or_default();
    let found = serve(file, PAGES.clone()).map_err(|error| ApiError::internal(error.to_string()))?;
    let file = found.ok_or_else(|| ApiError::plain(ErrorCode::NotFound))?;
    Ok(HttpResponse::Ok()
        .content_type(file.content_type)
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .insert_header((REFERRER_POLICY, "same-origin"))
        .insert_header((CACHE_CONTROL, "public, max-age=3600"))
        .body(file.bytes.into_owned()))
}
