//! The routes of pages: the methods of each path, and the check that forms come from pages of this service.

use actix_web::dev::HttpServiceFactory;
use actix_web::guard::Post;
use actix_web::http::header::HeaderValue;
use actix_web::middleware::from_fn;
use actix_web::web::ServiceConfig;
use actix_web::{FromRequest, Handler, HttpRequest, Resource, Responder, Route, rt, web};
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use http_server::{ApiError, get, only, read_only};
use kernel::Id;
use tokio::sync::oneshot;
use tracing::Instrument as _;

use crate::forms::{PageError, same_origin, whole_form};
use crate::sandbox_access;

/// A route of the pages, as tests see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRoute {
    /// The path with its parameters in braces.
    pub path: String,
    pub has_get: bool,
    /// Whether the path accepts forms.
    pub has_post: bool,
}

/// A route with its handlers.
pub(crate) struct Routed {
    route: PageRoute,
    add: Box<dyn FnOnce(&mut ServiceConfig)>,
}

/// Adds the routes of a thread, and lists them.
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

/// The id in the path; not found when it is not a valid id.
pub(crate) fn path_id<E>(http: &HttpRequest) -> Result<Id<E>, PageError> {
    http.match_info().get("id").and_then(Id::parse).ok_or_else(PageError::not_found)
}

/// A read-only page.
pub(crate) fn page<A: FromRequest + 'static>(
    path: &str,
    handler: impl Handler<A, Output: Responder + 'static>,
) -> Routed {
    routed(path, (true, false), read_only(path, get(handler)))
}

/// A page with a form, which is posted to the page's own path.
pub(crate) fn form_page<A: FromRequest + 'static, B: FromRequest + 'static>(
    path: &str,
    show: impl Handler<A, Output: Responder + 'static>,
    send: impl Handler<B, Output: Responder + 'static>,
) -> Routed {
    let resource =
        form_resource(path, show, send).wrap(from_fn(whole_form::wait)).wrap(from_fn(same_origin::require));
    routed(path, (true, true), resource)
}

/// Like [`form_page`], for a page that exists only where the sandbox is on.
pub(crate) fn sandbox_page<A: FromRequest + 'static, B: FromRequest + 'static>(
    path: &str,
    show: impl Handler<A, Output: Responder + 'static>,
    send: impl Handler<B, Output: Responder + 'static>,
) -> Routed {
    let resource = form_resource(path, show, send)
        .wrap(from_fn(whole_form::wait))
        .wrap(from_fn(same_origin::require))
        .wrap(from_fn(sandbox_access::require));
    routed(path, (true, true), resource)
}

/// A path with a page and a form.
fn form_resource<A: FromRequest + 'static, B: FromRequest + 'static>(
    path: &str,
    show: impl Handler<A, Output: Responder + 'static>,
    send: impl Handler<B, Output: Responder + 'static>,
) -> Resource {
    let resource = web::resource(path).route(get(show)).route(post(send));
    only(resource, HeaderValue::from_static("GET, HEAD, POST"))
}

/// A page with a form that mail programs also send by themselves: it is accepted from any origin, so a
/// repeated or unwanted submission must do no more harm than the link.
pub(crate) fn one_click_page<A: FromRequest + 'static, B: FromRequest + 'static>(
    path: &str,
    show: impl Handler<A, Output: Responder + 'static>,
    send: impl Handler<B, Output: Responder + 'static>,
) -> Routed {
    routed(path, (true, false), form_resource(path, show, send))
}

/// The name of the routes that have no page. It is no name of an address.
pub(crate) const FORMS_ONLY: &str = "forms only";

/// A path that forms of other pages are posted to. Without its last segment it is the path of a page.
pub(crate) fn form_post<B: FromRequest + 'static>(
    path: &str,
    send: impl Handler<B, Output: Responder + 'static>,
) -> Routed {
    let resource =
        only(web::resource(path).name(FORMS_ONLY).route(post(send)), HeaderValue::from_static("POST"));
    let resource = resource.wrap(from_fn(whole_form::wait)).wrap(from_fn(same_origin::require));
    routed(path, (false, true), resource)
}

fn routed(
    path: &str,
    (has_get, has_post): (bool, bool),
    resource: impl HttpServiceFactory + 'static,
) -> Routed {
    let route = PageRoute { path: path.to_owned(), has_get, has_post };
    let add = move |config: &mut ServiceConfig| {
        config.service(resource);
    };
    Routed { route, add: Box::new(add) }
}

fn post<B: FromRequest + 'static>(send: impl Handler<B, Output: Responder + 'static>) -> Route {
    web::route().guard(Post()).to(RunToCompletion(send))
}

/// A handler that runs to its end once it was called. actix-web drops a handler when its connection is cut,
/// and the deadline of a request drops it too: a form would then stay claimed, and its sender could not learn
/// whether it was carried out.
///
/// The process waits only for connections when it stops, so work whose connection is gone may still be
/// interrupted.
#[derive(Clone)]
struct RunToCompletion<G>(G);

impl<G, B> Handler<B> for RunToCompletion<G>
where
    G: Handler<B>,
    B: 'static,
    G::Output: 'static,
{
    type Output = Result<G::Output, PageError>;
    type Future = LocalBoxFuture<'static, Self::Output>;

    fn call(&self, args: B) -> Self::Future {
        let handler = self.0.clone();
        async move {
            let (done, wait) = oneshot::channel();
            // A sender who no longer waits needs no response.
            let work = async move { drop(done.send(handler.call(args).await)) };
            // Boxed, since the runtime's code for tasks is compiled for each type of future.
            rt::spawn(work.in_current_span().boxed_local());
            wait.await.map_err(|broken_off| ApiError::internal(broken_off).into())
        }
        .boxed_local()
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::Arc;
    use std::time::Duration;

    use actix_web::http::Method;
    use actix_web::http::header::ALLOW;
    use actix_web::middleware::{Next, from_fn};
    use actix_web::test::{TestRequest, init_service, try_call_service};
    use actix_web::{App, HttpServer};
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpStream;
    use tokio::sync::Notify;
    use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
    use tokio::time::timeout;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[actix_web::test]
    async fn only_posts_are_checked_for_their_origin_and_other_methods_are_not_allowed() {
        let add = |config: &mut ServiceConfig| {
            let mut routes = Routes::new(config);
            routes.service(form_page("/form", async || "page", async || "sent"));
            routes.service(form_post("/post", async || "sent"));
        };
        let app = init_service(App::new().configure(add)).await;
        let call = async |method: &str, path: &str| {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let request = TestRequest::default().method(method).uri(path);
            let large = request.set_payload(vec![b'x'; 1_048_577]).to_request();
            let response = match try_call_service(&app, large).await {
                Ok(response) => response.into_parts().1,
                Err(error) => error.error_response().map_into_boxed_body(),
            };
            let allow = response.headers().get(ALLOW).map(|allow| allow.to_str().unwrap().to_owned());
            (response.status().as_u16(), allow.unwrap_or_default())
        };
        for (path, allow) in [("/form", "GET, HEAD, POST"), ("/post", "POST")] {
            for method in ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post"] {
                assert_eq!(call(method, path).await, (405, allow.to_owned()), "{method} {path}");
            }
            assert_eq!(call("POST", path).await, (403, String::new()), "{path}");
        }
        assert_eq!(call("GET", "/form").await.0, 200);
        assert_eq!(call("GET", "/post").await.0, 405);
    }

    /// Reports that it was dropped.
    struct Dropped(UnboundedSender<&'static str>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            let _ended = self.0.send("dropped");
        }
    }

    #[actix_web::test]
    async fn handler_of_a_form_runs_to_its_end_although_the_connection_was_cut() {
        let (say, mut said) = unbounded_channel();
        let go_on = Arc::new(Notify::new());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let waiting = go_on.clone();
        let server = HttpServer::new(move || {
            let (handler, connection, go_on) = (say.clone(), say.clone(), waiting.clone());
            let form = post(move || {
                let (say, go_on) = (handler.clone(), go_on.clone());
                async move {
                    say.send("begun").unwrap();
                    go_on.notified().await;
                    say.send("ended").unwrap();
                    "done"
                }
            });
            App::new().service(web::resource("/").route(form).wrap(from_fn(move |request, next: Next<_>| {
                let dropped = Dropped(connection.clone());
                async move {
                    let response = next.call(request).await;
                    drop(dropped);
                    response
                }
            })))
        });
        let server = server.workers(1).disable_signals().listen(listener).unwrap().run();
        let handle = server.handle();
        rt::spawn(server);
        let mut next = async || timeout(PATIENCE, said.recv()).await.unwrap().unwrap();

        let mut connection = TcpStream::connect(address).await.unwrap();
        let request = b"POST / HTTP/1.1\r\nHost: books\r\nContent-Length: 0\r\n\r\n";
        connection.write_all(request).await.unwrap();
        assert_eq!(next().await, "begun");
        // Reset the connection: an orderly close would be read as a half-closed connection.
        connection.set_zero_linger().unwrap();
        drop(connection);
        assert_eq!(next().await, "dropped");
        go_on.notify_one();
        assert_eq!(next().await, "ended");
        handle.stop(false).await;
    }
}
