//! The two key spaces.

use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

/// Describes how each key is sent.
pub(super) fn describe(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    for (name, description) in [
        ("account_key", "An account's key: `ct_live_` and 32 letters and digits."),
        ("partner_key", "A partner's key: `ct_partner_` and 32 letters and digits."),
    ] {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(description)).build();
        components.add_security_scheme(name, SecurityScheme::Http(scheme));
    }
}
