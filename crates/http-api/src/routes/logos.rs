//! `/logos/{key}`: the service's own copies of logos, for mail, payment pages and whoever else shows them.
//!
//! Whoever has an address has been given it: names cannot be guessed, so no key is asked for. The pictures came from strangers; the headers
//! see to it that nobody's browser takes one for anything but a picture.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ETAG, EntityTag, HeaderName, IF_NONE_MATCH,
    IfNoneMatch, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use kernel::LogoKey;

use super::{get, readable};
use crate::error::{ApiError, Code};
use crate::state::AppState;

/// A picture never changes under its name.
const FOR_EVER: &str = "public, max-age=31536000, immutable";
/// Should a browser ever open a picture as a page, that page may do nothing.
const NOTHING: &str = "default-src 'none'; sandbox";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

pub(super) fn configure(config: &mut ServiceConfig) {
    config.service(readable("/logos/{key}", get(logo)));
}

async fn logo(state: web::Data<AppState>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let nothing = || ApiError::new(Code::NotFound, "there is no logo at this address");
    let name = request.match_info().get("key").unwrap_or_default();
    let key = LogoKey::parse(name).ok_or_else(nothing)?;
    let found = state.logos.get(&key).await;
    let bytes = found.map_err(|error| ApiError::failed(Code::InternalError, error))?;
    let bytes = bytes.ok_or_else(nothing)?;
    // The name is the tag: it stands for the same bytes for ever.
    let tag = EntityTag::new_strong(key.as_str().to_owned());
    let is_known = knows(&request, &tag);
    let status = if is_known {
        StatusCode::NOT_MODIFIED
    } else {
        StatusCode::OK
    };
    let mut answer = HttpResponse::build(status);
    answer
        .insert_header((CACHE_CONTROL, FOR_EVER))
        .insert_header((CONTENT_SECURITY_POLICY, NOTHING))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((RESOURCE_POLICY, "cross-origin"))
        .insert_header((ETAG, tag.to_string()));
    if is_known {
        return Ok(answer.finish());
    }
    Ok(answer.content_type(key.kind().media_type()).body(bytes))
}

/// Whether the caller has the picture already (RFC 9110, section 13.1.2).
fn knows(request: &HttpRequest, tag: &EntityTag) -> bool {
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
