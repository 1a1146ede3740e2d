//! `/assets/{name}`: the files that pages load, under names that change with their content.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_ENCODING, VARY};
use actix_web::web::{Bytes, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use http_server::{ApiError, ErrorCode, get, read_only};
use pages::stylesheet;

use crate::compression;

const CACHE_FOR_A_YEAR: &str = "public, max-age=31536000, immutable";

/// The style sheet as gzip; empty when it could not be compressed.
static COMPRESSED: LazyLock<Bytes> =
    LazyLock::new(|| compression::gzip(stylesheet::CSS.as_bytes()).unwrap_or_default().into());

pub(crate) fn configure(config: &mut ServiceConfig) {
    config.service(read_only("/assets/{name}", get(asset)));
}

async fn asset(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    if request.match_info().get("name") != Some(stylesheet::NAME.as_str()) {
        return Err(ApiError::plain(ErrorCode::NotFound));
    }
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/css; charset=utf-8")
        .insert_header((CACHE_CONTROL, CACHE_FOR_A_YEAR))
        .insert_header((VARY, "Accept-Encoding"));
    if compression::is_accepted(request.headers()) && !COMPRESSED.is_empty() {
        return Ok(response.insert_header((CONTENT_ENCODING, "gzip")).body(COMPRESSED.clone()));
    }
    Ok(response.body(stylesheet::CSS))
}
