//! One operation of the API, used by both the router and the OpenAPI document.

use actix_web::http::Method;
use actix_web::{FromRequest, Handler, Responder, Route, web};
use http_server::{ErrorCode, get};
use utoipa::__dev::SchemaReferences;
use utoipa::openapi::path::HttpMethod;
use utoipa::openapi::{RefOr, Schema};

/// An operation: its route, its description and its errors. Router and OpenAPI document are made from one
/// list of these.
pub(crate) struct Operation {
    /// The path under the API, such as `/invoices/{id}`.
    pub(crate) path: String,
    pub(crate) method: HttpMethod,
    pub(crate) route: Route,
    /// Makes the operation as `#[utoipa::path]` describes it.
    pub(crate) describe: fn() -> utoipa::openapi::path::Operation,
    /// Adds the schemas that the description refers to.
    pub(crate) schemas: fn(&mut Vec<(String, RefOr<Schema>)>),
    /// The errors of the operation, in addition to those that follow from its key, method, parameters and
    /// body.
    pub(crate) errors: &'static [ErrorCode],
    /// A field and its fault, for the example of a validation error.
    pub(crate) faulty_field: (&'static str, &'static str),
}

/// The methods that operations have, in the order in which `Allow` lists them. GET routes also serve HEAD.
pub(crate) const METHODS: [(HttpMethod, Method, &str); 5] = [
    (HttpMethod::Get, Method::GET, "GET, HEAD"),
    (HttpMethod::Post, Method::POST, "POST"),
    (HttpMethod::Put, Method::PUT, "PUT"),
    (HttpMethod::Patch, Method::PATCH, "PATCH"),
    (HttpMethod::Delete, Method::DELETE, "DELETE"),
];

impl Operation {
    /// The operation of a handler. `_description` is the `__path_<handler>` that `#[utoipa::path]` generates;
    /// the route takes its method and path from there.
    pub(crate) fn new<P: utoipa::Path + SchemaReferences, A: FromRequest + 'static>(
        _description: P,
        handler: impl Handler<A, Output: Responder + 'static>,
    ) -> Self {
        let method = P::methods().pop().unwrap_or(HttpMethod::Get);
        let route = match METHODS.into_iter().find(|(described, ..)| *described == method) {
            Some((_, name, _)) if name != Method::GET => web::method(name).to(handler),
            _ => get(handler),
        };
        Self {
            path: P::path(),
            method,
            route,
            describe: P::operation,
            schemas: P::schemas,
            errors: &[],
            faulty_field: ("id", "must be a UUID"),
        }
    }

    /// Sets the errors of the use case.
    pub(crate) fn errors(self, errors: &'static [ErrorCode]) -> Self {
        Self { errors, ..self }
    }

    /// Sets the example of a faulty field; the default is the `id` of the path.
    pub(crate) fn faulty_field(self, field: &'static str, message: &'static str) -> Self {
        Self { faulty_field: (field, message), ..self }
    }
}
