//! The listener for those who watch over the service, beside the public one.

use std::io;
use std::net::TcpListener;

use actix_web::dev::ServerHandle;
use http_server::ServerState;
use tokio::task::JoinHandle;

/// The listener, while it serves.
pub(super) struct Admin {
    handle: ServerHandle,
    serving: JoinHandle<io::Result<()>>,
}

impl Admin {
    /// Begins to serve, and logs where.
    pub(super) fn start(state: ServerState, listener: TcpListener) -> io::Result<Self> {
        let admin_listening = listener.local_addr()?;
        let server = http_server::serve_admin(state, listener)?;
        tracing::info!(%admin_listening, "serving /metrics and /health apart");
        Ok(Self { handle: server.handle(), serving: tokio::spawn(server) })
    }

    /// Stops at once. This comes last, so that whoever watches sees the service finish what is in flight; and
    /// nothing waits for the idle connections that they keep.
    pub(super) async fn stop(self) {
        self.handle.stop(false).await;
        match self.serving.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the listener for /metrics failed"),
            Err(error) => tracing::warn!(%error, "the listener for /metrics failed"),
        }
    }
}
