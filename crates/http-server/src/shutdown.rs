//! Graceful shutdown that loses no request.
//!
//! A server that just closes its listener resets connections that the kernel has established and the server
//! has not accepted yet, and may close an idle connection just when its client sends the next request. Those
//! clients cannot know whether their request was carried out. So first every response carries `Connection:
//! close` for a moment; then no new connections are established while the accept queue is emptied; then the
//! server stops and waits for requests in flight.

use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long responses carry `Connection: close` before new connections are refused: within this time a busy
/// client sends its next request.
const CLOSE_CONNECTIONS: Duration = Duration::from_millis(400);
/// How long the server has to accept the connections in the accept queue.
const EMPTY_ACCEPT_QUEUE: Duration = Duration::from_millis(100);

/// Whether the server is about to stop. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct GracefulShutdown(Arc<AtomicBool>);

impl GracefulShutdown {
    /// Whether responses must carry `Connection: close`.
    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Prepares the stop, for half a second, while the server keeps serving. `listener` is a clone of the
    /// server's. The server must be stopped right afterwards.
    pub async fn prepare(&self, listener: TcpListener) {
        self.0.store(true, Ordering::Relaxed);
        tokio::time::sleep(CLOSE_CONNECTIONS).await;
        if let Err(error) = drop_new_connections(&listener) {
            tracing::debug!(%error, "new connections are accepted until the listener is closed");
        }
        tokio::time::sleep(EMPTY_ACCEPT_QUEUE).await;
    }
}

/// Makes the kernel drop the SYN packets of new connections as if they were lost. The client sends another
/// one a second later and finds the address closed, or another process listening: in both cases no request
/// has been sent.
///
/// Measured with 16 clients that open a connection for each request, over 8 shutdowns each: 10 to 20
/// established connections were reset at every shutdown without this filter, and none with it.
/// `server/tests.rs` repeats the measurement.
#[cfg(target_os = "linux")]
fn drop_new_connections(listener: &TcpListener) -> io::Result<()> {
    use socket2::{SockFilter, SockRef};

    // A classic BPF program over the TCP header: of the flags in byte 13, is SYN (2) set and ACK (16) not?
    const LOAD_BYTE: u16 = 0x30;
    const AND: u16 = 0x54;
    const JUMP_IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    SockRef::from(listener).attach_filter(&[
        SockFilter::new(LOAD_BYTE, 0, 0, 13),
        SockFilter::new(AND, 0, 0, 0x12),
        SockFilter::new(JUMP_IF_EQUAL, 0, 1, 0x02),
        SockFilter::new(RETURN, 0, 0, 0),
        SockFilter::new(RETURN, 0, 0, u32::MAX),
    ])
}

#[cfg(not(target_os = "linux"))]
fn drop_new_connections(_listener: &TcpListener) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
