//! Routes that answer HEAD as GET, and 405 with `Allow` for any other method.

use actix_web::guard::{Any, Get, Head};
use actix_web::http::header::HeaderValue;
use actix_web::web;
use actix_web::{FromRequest, Handler, Resource, Responder, Route};

use crate::error::ApiError;

/// A route for GET and HEAD; the server leaves the body out of the answer to HEAD.
pub fn get<F, A>(handler: F) -> Route
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    web::route().guard(Any(Get()).or(Head())).to(handler)
}

/// A path that knows GET and HEAD alone.
pub fn read_only(path: &str, route: Route) -> Resource {
    let allow = HeaderValue::from_static("GET, HEAD");
    only(web::resource(path).route(route), allow)
}

/// Answers every method that the path has no route for with 405; `allow` lists those that it has.
pub fn only(resource: Resource, allow: HeaderValue) -> Resource {
    resource.default_service(web::to(move || {
        let error = ApiError::method_not_allowed(allow.clone());
        async move { Err::<&str, _>(error) }
    }))
}
