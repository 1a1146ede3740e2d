//! The server: sockets, worker threads and the limits of connections.

pub(crate) mod shutdown;

use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::http::KeepAlive;
use actix_web::middleware::from_fn;
use actix_web::web::ServiceConfig;
use actix_web::{App, HttpServer, web};
use rustls::ServerConfig;

use crate::edge::edge;
use crate::routes;
use crate::routes::invoices::ListRoom;
use crate::state::{AppState, Transport};

/// How long a connection may be idle between requests; longer than the usual proxy keeps one, so that it is the proxy that closes.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// How long a caller may take to send the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(10);
/// How long actix goes on reading what a caller still sends when it has its answer already: not at all. The edge does that, since
/// it counts the bytes as well.
const DISCONNECT: Duration = Duration::ZERO;
/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// How long requests in flight have when the server stops, in seconds.
const SHUTDOWN: u64 = 23;
/// How many connections a worker holds before it takes no more.
const MOST_CONNECTIONS: usize = 10_000;

/// Starts to serve on a listener, with TLS that ends here if there is a configuration for it.
///
/// `make_state` is called once in each worker thread, before it takes connections: what it makes serves that thread alone.
/// The server runs when it is awaited or spawned, and stops when its handle is told to; it leaves signals to others.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve(
    make_state: impl Fn() -> AppState + Clone + Send + 'static,
    listener: TcpListener,
    tls: Option<ServerConfig>,
    workers: usize,
) -> io::Result<Server> {
    start(make_state, listener, tls, workers, routes::configure)
}

/// Starts to serve those who watch over the service, by plain HTTP: `/metrics` and `/health`, and nothing else.
///
/// It answers as [`serve()`] does, with a request id and a deadline, and is stopped like that.
///
/// # Errors
/// When the listener cannot be used.
pub fn serve_admin(state: AppState, listener: TcpListener) -> io::Result<Server> {
    let state = AppState {
        transport: Transport::Plain,
        ..state
    };
    start(
        move || state.clone(),
        listener,
        None,
        1,
        routes::configure_admin,
    )
}

/// Puts routes in their places.
type Configure = fn(&mut ServiceConfig, &AppState);

fn start(
    make_state: impl Fn() -> AppState + Clone + Send + 'static,
    listener: TcpListener,
    tls: Option<ServerConfig>,
    workers: usize,
    routes: Configure,
) -> io::Result<Server> {
    let room = web::Data::new(ListRoom::default());
    let server = HttpServer::new(move || {
        let state = web::Data::new(make_state());
        let at_the_edge = state.clone();
        let within = state.clone();
        App::new()
            .app_data(state)
            .app_data(room.clone())
            .wrap(from_fn(move |request, next| {
                edge(at_the_edge.clone(), request, next)
            }))
            .configure(move |config| routes(config, &within))
    })
    .workers(workers.max(1))
    .keep_alive(KeepAlive::Timeout(KEEP_ALIVE))
    .client_request_timeout(REQUEST_HEAD)
    .client_disconnect_timeout(DISCONNECT)
    .tls_handshake_timeout(HANDSHAKE)
    .max_connections(MOST_CONNECTIONS)
    .shutdown_timeout(SHUTDOWN)
    .disable_signals();
    let server = match tls {
        Some(configuration) => server.listen_rustls_0_23(listener, configuration)?,
        None => server.listen(listener)?,
    };
    Ok(server.run())
}

#[cfg(test)]
mod tests;
