//! Routes that serve HEAD like GET, and respond with 405 and `Allow` to unsupported methods.

use actix_web::guard::{Any, Get, Head};
use actix_web::http::header::HeaderValue;
use actix_web::web;
use actix_web::{FromRequest, Handler, Resource, Responder, Route};

use crate::error::ApiError;

/// A route for GET and HEAD; the server omits the body of the response to HEAD.
pub fn get<A: FromRequest + 'static>(handler: impl Handler<A, Output: Responder + 'static>) -> Route {
    web::route().guard(Any(Get()).or(Head())).to(handler)
}

/// A path that supports only GET and HEAD.
pub fn read_only(path: &str, route: Route) -> Resource {
    let allow = HeaderValue::from_static("GET, HEAD");
    only(web::resource(path).route(route), allow)
}

/// Responds with 405 to every method without a route; `allow` lists the methods of the routes.
pub fn only(resource: Resource, allow: HeaderValue) -> Resource {
    resource.default_service(web::to(move || {
        let error = ApiError::method_not_allowed(allow.clone());
        async move { Err::<&str, _>(error) }
    }))
}
