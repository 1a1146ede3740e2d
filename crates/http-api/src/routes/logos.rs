//! `/logos/{key}`: the service's own copies of logos, for mail and payment pages.
//!
//! Their names cannot be guessed, so no key is required. The images come from third parties; the headers make
//! browsers treat them only as images.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, EntityTag, HeaderName, IF_NONE_MATCH, IfNoneMatch,
    X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use http_server::{ApiError, ErrorCode, get, read_only};
use kernel::LogoKey;

use crate::state::AppState;

/// A name always refers to the same image.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";
/// If a browser opens an image as a page, the page may load and run nothing.
const NO_CONTENT: &str = "default-src 'none'; sandbox";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

pub(crate) fn configure(config: &mut ServiceConfig) {
    config.service(read_only("/logos/{key}", get(logo)));
}

async fn logo(state: web::Data<AppState>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let not_found = || ApiError::new(ErrorCode::NotFound, "there is no logo at this address");
    let name = request.match_info().get("key").unwrap_or_default();
    let key = LogoKey::parse(name).ok_or_else(not_found)?;
    let found = state.logos.get(&key).await;
    let bytes = found.map_err(ApiError::internal)?;
    let bytes = bytes.ok_or_else(not_found)?;
    // The name identifies the bytes, so it is the entity tag.
    let tag = EntityTag::new_strong(key.as_str().to_owned());
    let is_cached = has_cached(&request, &tag);
    let status = if is_cached { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response = HttpResponse::build(status);
    response
        .insert_header((CACHE_CONTROL, CACHE_FOREVER))
        .insert_header((CONTENT_SECURITY_POLICY, NO_CONTENT))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((RESOURCE_POLICY, "cross-origin"))
        .insert_header((ETAG, tag.to_string()));
    if is_cached {
        return Ok(response.finish());
    }
    Ok(response.content_type(key.kind().media_type()).body(bytes))
}

/// Whether the client has the image already (RFC 9110, section 13.1.2).
fn has_cached(request: &HttpRequest, tag: &EntityTag) -> bool {
    if !request.headers().contains_key(IF_NONE_MATCH) {
        return false;
    }
    match request.get_header::<IfNoneMatch>() {
        Some(IfNoneMatch::Any) => true,
        Some(IfNoneMatch::Items(tags)) => tags.iter().any(|one| one.weak_eq(tag)),
        None => false,
    }
}

#[cfg(test)]
mod tests;
