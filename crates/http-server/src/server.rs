//! Sockets, serving threads and the limits of connections.

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_web::body::BoxBody;
use actix_web::dev::{Server, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::KeepAlive;
use actix_web::middleware::from_fn;
use actix_web::web::ServiceConfig;
use actix_web::{App, Error, HttpServer, web};
use rustls::ServerConfig;

use crate::error::ApiError;
use crate::error_code::ErrorCode;
use crate::state::{ServerState, Transport};
use crate::{health, lifecycle};

/// How long a connection may be idle between requests: longer than the usual proxy keeps it open, so that the
/// proxy closes it.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a client may take to send the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(10);
/// How long actix keeps reading after a response: not at all, since `unread_body` does that within limits.
const DISCONNECT: Duration = Duration::ZERO;
/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long requests in flight may take when the server stops, in seconds.
const SHUTDOWN: u64 = 23;
/// How long a client may read nothing of a response, and a connection that was lost may go unnoticed.
const UNREAD_RESPONSE: Duration = Duration::from_secs(60);
/// How many connections a serving thread holds before it accepts no more.
const MAX_CONNECTIONS: usize = 10_000;

/// Serves on a listener, over TLS if `tls` is given. `/health` and `/metrics` are served in addition to
/// `routes`.
///
/// `routes` is called once in each of the `threads` serving threads, before the thread accepts connections:
/// state that it creates (such as database connections) belongs only to that thread.
///
/// The server runs when it is awaited or spawned, and stops through its handle; it installs no signal
/// handler.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve(
    state: ServerState,
    listener: TcpListener,
    tls: Option<ServerConfig>,
    threads: usize,
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> io::Result<Server> {
    let with_metrics = !state.metrics_apart;
    start(state, listener, tls, threads, move |config| {
        if with_metrics {
            health::configure_metrics(config);
        }
        routes(config);
    })
}

/// Serves only `/metrics` and `/health`, over plain HTTP, on a listener for operators.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_admin(state: ServerState, listener: TcpListener) -> io::Result<Server> {
    let state = ServerState { transport: Transport::Plain, error_pages: None, ..state };
    start(state, listener, None, 1, health::configure_metrics)
}

fn start(
    state: ServerState,
    listener: TcpListener,
    tls: Option<ServerConfig>,
    threads: usize,
    routes: impl Fn(&mut ServiceConfig) + Clone + Send + 'static,
) -> io::Result<Server> {
    limit_unread_responses(&listener)?;
    let state = web::Data::new(state);
    let server = HttpServer::new(move || application(state.clone(), routes.clone()))
        .workers(threads.max(1))
        .keep_alive(KeepAlive::Timeout(KEEP_ALIVE))
        .client_request_timeout(REQUEST_HEAD)
        .client_disconnect_timeout(DISCONNECT)
        .tls_handshake_timeout(HANDSHAKE)
        .max_connections(MAX_CONNECTIONS)
        .shutdown_timeout(SHUTDOWN)
        .disable_signals();
    let server = match tls {
        Some(configuration) => server.listen_rustls_0_23(listener, configuration)?,
        None => server.listen(listener)?,
    };
    Ok(server.run())
}

/// Makes the kernel close connections whose client reads nothing, since actix waits for it without a limit.
/// Connections have this setting from their listener.
#[cfg(target_os = "linux")]
fn limit_unread_responses(listener: &TcpListener) -> io::Result<()> {
    socket2::SockRef::from(listener).set_tcp_user_timeout(Some(UNREAD_RESPONSE))
}

#[cfg(not(target_os = "linux"))]
fn limit_unread_responses(_listener: &TcpListener) -> io::Result<()> {
    Ok(())
}

/// The application of one serving thread: the middleware, `/health`, `routes`, and 404 for other paths.
/// Public for in-process tests; use [`serve`] otherwise.
pub fn application(
    state: web::Data<ServerState>,
    routes: impl FnOnce(&mut ServiceConfig),
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<BoxBody>,
        Error = Error,
        InitError = (),
    >,
> {
    let of_middleware = state.clone();
    App::new()
        .app_data(state)
        .wrap(from_fn(move |request, next| lifecycle::handle(of_middleware.clone(), request, next)))
        .configure(health::configure)
        .configure(routes)
        .default_service(web::to(not_found))
}

async fn not_found() -> Result<&'static str, ApiError> {
    Err(ApiError::plain(ErrorCode::NotFound))
}

#[cfg(test)]
mod tests;
