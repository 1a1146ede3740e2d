//! The routes of pages: which methods a path knows, and that forms come from our own pages.

use actix_web::guard::Post;
use actix_web::http::header::HeaderValue;
use actix_web::middleware::from_fn;
use actix_web::web::ServiceConfig;
use actix_web::{FromRequest, Handler, Responder, Route, web};
use http_server::{get, only, read_only};

use crate::forms::same_origin;

/// A route of the pages, as tests see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRoute {
    /// The path with its parameters in braces.
    pub path: String,
    pub has_get: bool,
    /// Whether it takes forms of our own pages.
    pub has_post: bool,
}

/// A route with its handlers.
pub(crate) struct Routed {
    route: PageRoute,
    add: Box<dyn FnOnce(&mut ServiceConfig)>,
}

/// The routes of a thread, with a list of them.
pub(crate) struct Routes<'a> {
    config: &'a mut ServiceConfig,
    pub(crate) list: Vec<PageRoute>,
}

impl<'a> Routes<'a> {
    pub(crate) const fn new(config: &'a mut ServiceConfig) -> Self {
        Self { config, list: Vec::new() }
    }

    pub(crate) fn service(&mut self, routed: Routed) -> &mut Self {
        (routed.add)(self.config);
        self.list.push(routed.route);
        self
    }

    pub(crate) fn configure(&mut self, add: impl FnOnce(&mut Self)) -> &mut Self {
        add(self);
        self
    }
}

/// A page that is only read.
pub(crate) fn page<F, A>(path: &str, handler: F) -> Routed
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let resource = read_only(path, get(handler));
    routed(path, (true, false), |config| {
        config.service(resource);
    })
}

/// A page with a form, which is sent to the page's own address.
pub(crate) fn form_page<F, A, G, B>(path: &str, show: F, send: G) -> Routed
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
    G: Handler<B>,
    B: FromRequest + 'static,
    G::Output: Responder + 'static,
{
    let resource = web::resource(path).route(get(show)).route(post(send));
    let resource = only(resource, HeaderValue::from_static("GET, HEAD, POST"));
    let resource = resource.wrap(from_fn(same_origin::require));
    routed(path, (true, true), |config| {
        config.service(resource);
    })
}

/// A page with a form that mail programs send by themselves too: it is taken from anywhere, and must harm
/// when it is sent again or without being wanted no more than its link does.
pub(crate) fn one_click_page<F, A, G, B>(path: &str, show: F, send: G) -> Routed
where
    F: Handler<A>,
    A: FromRequest + 'static,
    F::Output: Responder + 'static,
    G: Handler<B>,
    B: FromRequest + 'static,
    G::Output: Responder + 'static,
{
    let resource = web::resource(path).route(get(show)).route(post(send));
    let resource = only(resource, HeaderValue::from_static("GET, HEAD, POST"));
    routed(path, (true, false), |config| {
        config.service(resource);
    })
}

/// An address that forms of other pages are sent to.
pub(crate) fn form_post<G, B>(path: &str, send: G) -> Routed
where
    G: Handler<B>,
    B: FromRequest + 'static,
    G::Output: Responder + 'static,
{
    let resource = only(web::resource(path).route(post(send)), HeaderValue::from_static("POST"));
    let resource = resource.wrap(from_fn(same_origin::require));
    routed(path, (false, true), |config| {
        config.service(resource);
    })
}

fn routed(
    path: &str,
    (has_get, has_post): (bool, bool),
    add: impl FnOnce(&mut ServiceConfig) + 'static,
) -> Routed {
    let route = PageRoute { path: path.to_owned(), has_get, has_post };
    Routed { route, add: Box::new(add) }
}

fn post<G, B>(send: G) -> Route
where
    G: Handler<B>,
    B: FromRequest + 'static,
    G::Output: Responder + 'static,
{
    web::route().guard(Post()).to(send)
}
