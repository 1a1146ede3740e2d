//! One operation of the API, for the router and for the OpenAPI document at once.

use actix_web::http::Method;
use actix_web::{FromRequest, Handler, Responder, Route, web};
use http_server::{ErrorCode, get};
use utoipa::__dev::{SchemaReferences, Tags};
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
    /// Makes the schemas that the description refers to.
    pub(crate) schemas: fn() -> Vec<(String, RefOr<Schema>)>,
    /// Its errors besides those that follow from its key, method, parameters and body.
    pub(crate) errors: &'static [ErrorCode],
    /// A field that can be faulty and what is wrong with it, for the example of a validation error.
    pub(crate) faulty_field: (&'static str, &'static str),
}

impl Operation {
    /// The operation of a handler. `description` is the `__path_<handler>` that `#[utoipa::path]` makes of
    /// it: method and path of the route are the described ones.
    pub(crate) fn new<P, H, A>(_description: P, handler: H) -> Self
    where
        P: utoipa::Path + SchemaReferences + for<'t> Tags<'t>,
        H: Handler<A>,
        A: FromRequest + 'static,
        H::Output: Responder + 'static,
    {
        let method = P::methods().pop().unwrap_or(HttpMethod::Get);
        let route = match method {
            HttpMethod::Get => get(handler),
            HttpMethod::Post => web::method(Method::POST).to(handler),
            HttpMethod::Put => web::method(Method::PUT).to(handler),
            HttpMethod::Patch => web::method(Method::PATCH).to(handler),
            HttpMethod::Delete => web::method(Method::DELETE).to(handler),
            HttpMethod::Options => web::method(Method::OPTIONS).to(handler),
            HttpMethod::Head => web::method(Method::HEAD).to(handler),
            HttpMethod::Trace => web::method(Method::TRACE).to(handler),
        };
        Self {
            path: P::path(),
            method,
            route,
            describe: || {
                let mut described = P::operation();
                let tags = P::tags().into_iter().map(str::to_owned);
                described.tags.get_or_insert_default().extend(tags);
                described
            },
            schemas: || {
                let mut schemas = Vec::new();
                P::schemas(&mut schemas);
                schemas
            },
            errors: &[],
            faulty_field: ("id", "must be a UUID"),
        }
    }

    /// Adds errors of the use case.
    pub(crate) fn errors(self, errors: &'static [ErrorCode]) -> Self {
        Self { errors, ..self }
    }

    /// Sets the example of a faulty field; it is the path's `id` otherwise.
    pub(crate) fn faulty_field(self, field: &'static str, message: &'static str) -> Self {
        Self { faulty_field: (field, message), ..self }
    }
}
