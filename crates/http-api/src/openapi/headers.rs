//! The headers of responses.

use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Components, Ref, RefOr, Response};

/// The headers of every response.
const EVERY: [&str; 1] = ["X-Request-Id"];
/// The headers of a response to an authenticated caller.
const QUOTA: [&str; 3] = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/// Describes every header.
pub(super) fn describe(components: &mut Components) {
    let whole = || ObjectBuilder::new().schema_type(Type::Integer);
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let entries = [
        (
            "X-Request-Id",
            text(),
            "The request's id: the caller's own if it is 1 to 128 letters, digits, dots, underscores and hyphens, else a new one.",
        ),
        ("X-RateLimit-Limit", whole(), "The quota of the bucket: requests in any minute."),
        ("X-RateLimit-Remaining", whole(), "How many more requests fit into the window now."),
        (
            "X-RateLimit-Reset",
            whole(),
            "When the oldest counted request leaves the window, as a Unix timestamp in seconds.",
        ),
        ("Retry-After", whole().minimum(Some(1)), "Whole seconds to wait before the next try."),
        ("WWW-Authenticate", text(), "The challenge of RFC 6750."),
        ("Location", text(), "The address of the record that was created."),
        (
            "Idempotency-Replayed",
            text(),
            "`true` on a stored response, returned to a repeated request with the same Idempotency-Key.",
        ),
    ];
    for (name, schema, description) in entries {
        let header: Header = HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build();
        components.headers.insert(name.to_owned(), RefOr::T(header));
    }
}

/// Adds the headers that a response with this status has.
pub(super) fn put(response: &mut Response, status: &str, honours_keys: bool) {
    let own: &[&str] = match status {
        "401" => &["WWW-Authenticate"],
        "429" => &["Retry-After"],
        "201" => &["Location"],
        _ => &[],
    };
    let quota: &[&str] = if matches!(status, "401" | "403") { &[] } else { &QUOTA };
    let replay: &[&str] = match status {
        "200" | "201" | "400" | "404" | "409" | "413" | "415" if honours_keys => &["Idempotency-Replayed"],
        _ => &[],
    };
    for name in EVERY.iter().chain(quota).chain(own).chain(replay) {
        let header = Ref::new(format!("#/components/headers/{name}"));
        response.headers.insert((*name).to_owned(), RefOr::Ref(header));
    }
}
